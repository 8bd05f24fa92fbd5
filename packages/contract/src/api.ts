import { initContract } from '@ts-rest/core'
import { apiKeys } from './api-keys.ts'
import { bulkActions } from './bulk-actions.ts'
import { erasures } from './erasures.ts'
import { eventEndpoints } from './event-endpoints.ts'
import { events } from './events.ts'
import { flows } from './flows.ts'
import { integrations } from './integrations.ts'
import { notifications } from './notifications.ts'
import { projects } from './projects.ts'
import { providers } from './providers.ts'
import { deliveries } from './receipts.ts'
import { settings } from './settings.ts'
import { suppressions } from './suppressions.ts'

/** The HTTP API of Flowpost: every operation, defined once. */
export const api = initContract().router({
  projects,
  flows,
  integrations,
  providers,
  suppressions,
  apiKeys,
  settings,
  notifications,
  deliveries,
  bulkActions,
  erasures,
  eventEndpoints,
  events,
})
