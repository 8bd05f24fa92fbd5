import type { Migration } from '../migrate/migration.ts'
import { initial } from './20261121000000-initial.ts'
import { integrations } from './20261121000100-integrations.ts'
import { liveApiKeys } from './20261121000200-live-api-keys.ts'
import { removedCredentials } from './20261121000300-removed-credentials.ts'
import { keyRoots } from './20261121000400-key-roots.ts'
import { vacuumLargeTables } from './20261121000500-vacuum-large-tables.ts'
import { contents } from './20261122000000-contents.ts'
import { deliveryJobs } from './20261122000100-delivery-jobs.ts'
import { compatibilityWindow } from './20261123000000-compatibility-window.ts'
import { readyAt } from './20261123000100-ready-at.ts'
import { databaseIdentity } from './20261124000000-database-identity.ts'
import { notificationFields } from './20261124000100-notification-fields.ts'
import { jobExpiry } from './20261124000110-job-expiry.ts'
import { recipientDigests } from './20261124000120-recipient-digests.ts'
import { searchIndexes } from './20261124000130-search-indexes.ts'
import { requestOfJobs } from './20261124000200-request-of-jobs.ts'
import { testKeys } from './20261124000300-test-keys.ts'
import { testDeliveries } from './20261124000310-test-deliveries.ts'
import { bulkActions } from './20261125000100-bulk-actions.ts'
import { suppressions } from './20261125000200-suppressions.ts'
import { erasures } from './20261125000210-erasures.ts'
import { events } from './20261125000300-events.ts'
import { receipts } from './20261125000400-receipts.ts'
import { inboundAddresses } from './20261125000410-inbound-addresses.ts'
import { reportNonces } from './20261125000420-report-nonces.ts'
import { keys } from './20261125000500-keys.ts'
import { eventEndpointKeys } from './20261125000620-event-endpoint-keys.ts'
import { settingsHistory } from './20261126000100-settings-history.ts'
import { deliveriesPageSpace } from './20261126000200-deliveries-page-space.ts'
import { attemptsPageSpace } from './20261126000210-attempts-page-space.ts'
import { claimedJobs } from './20261127000100-claimed-jobs.ts'
import { capturedSourceType } from './20261128000100-captured-source-type.ts'

/** This release's migrations, in the order in which they run. */
export const migrations: readonly Migration[] = [
  initial,
  integrations,
  liveApiKeys,
  removedCredentials,
  keyRoots,
  vacuumLargeTables,
  contents,
  deliveryJobs,
  compatibilityWindow,
  readyAt,
  databaseIdentity,
  notificationFields,
  jobExpiry,
  recipientDigests,
  searchIndexes,
  requestOfJobs,
  testKeys,
  testDeliveries,
  bulkActions,
  suppressions,
  erasures,
  events,
  receipts,
  inboundAddresses,
  reportNonces,
  keys,
  eventEndpointKeys,
  settingsHistory,
  deliveriesPageSpace,
  attemptsPageSpace,
  claimedJobs,
  capturedSourceType,
]
