import type { Mutant } from '../mutant.ts'
import { batchMutants } from './batches.ts'
import { bulkActionMutants } from './bulk-actions.ts'
import { consequencesMutants } from './consequences.ts'
import { contractOperationMutants } from './contract-operations.ts'
import { deliveryChangeMutants } from './delivery-changes.ts'
import { erasedRecipientMutants } from './erased-recipients.ts'
import { erasureEffectMutants } from './erasure-effects.ts'
import { erasureMutants } from './erasures.ts'
import { eventPushMutants } from './event-pushes.ts'
import { historyMutants } from './history.ts'
import { keyMutants } from './keys.ts'
import { messageMutants } from './messages.ts'
import { mockDetailMutants } from './mock-details.ts'
import { mockEventMutants } from './mock-events.ts'
import { mockHttpMutants } from './mock-http.ts'
import { mockNotificationMutants } from './mock-notifications.ts'
import { mockResponseMutants } from './mock-responses.ts'
import { mockSettingsMutants } from './mock-settings.ts'
import { otherUserMutants } from './other-users.ts'
import { pastSettingsMutants } from './past-settings.ts'
import { receiptMutants } from './receipts.ts'
import { requestMutants } from './requests.ts'
import { contractRuleMutants } from './rules-contract.ts'
import { domainRuleMutants } from './rules-domain.ts'
import { serverApiKeyMutants } from './server-api-keys.ts'
import { serverDeliveryMutants } from './server-delivery.ts'
import { serverDetailMutants } from './server-details.ts'
import { serverEventMutants } from './server-events.ts'
import { serverFlowMutants } from './server-flows.ts'
import { serverHttpMutants } from './server-http.ts'
import { serverIntegrationMutants } from './server-integrations.ts'
import { serverNotificationMutants } from './server-notifications.ts'
import { serverPageMutants } from './server-pages.ts'
import { serverProjectMutants } from './server-projects.ts'
import { serverResponseMutants } from './server-responses.ts'
import { serverStateMutants } from './server-state.ts'
import { settingsMutants } from './settings.ts'
import { suppressionMutants } from './suppressions.ts'
import { testKeyMutants } from './test-keys.ts'

/** All mutants. */
export const mutants: readonly Mutant[] = [
  ...serverProjectMutants,
  ...serverFlowMutants,
  ...serverIntegrationMutants,
  ...serverApiKeyMutants,
  ...serverNotificationMutants,
  ...serverDeliveryMutants,
  ...serverEventMutants,
  ...serverHttpMutants,
  ...serverResponseMutants,
  ...serverPageMutants,
  ...serverStateMutants,
  ...contractOperationMutants,
  ...contractRuleMutants,
  ...domainRuleMutants,
  ...mockSettingsMutants,
  ...mockNotificationMutants,
  ...mockEventMutants,
  ...mockHttpMutants,
  ...mockResponseMutants,
  ...serverDetailMutants,
  ...mockDetailMutants,
  ...testKeyMutants,
  ...bulkActionMutants,
  ...batchMutants,
  ...suppressionMutants,
  ...erasureMutants,
  ...receiptMutants,
  ...keyMutants,
  ...settingsMutants,
  ...consequencesMutants,
  ...historyMutants,
  ...messageMutants,
  ...erasedRecipientMutants,
  ...pastSettingsMutants,
  ...requestMutants,
  ...otherUserMutants,
  ...eventPushMutants,
  ...erasureEffectMutants,
  ...deliveryChangeMutants,
]
