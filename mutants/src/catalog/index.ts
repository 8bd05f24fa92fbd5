import type { Mutant } from '../mutant.ts'
import { contractOperationMutants } from './contract-operations.ts'
import { keyMutants } from './keys.ts'
import { mockHttpMutants } from './mock-http.ts'
import { mockNotificationMutants } from './mock-notifications.ts'
import { mockResponseMutants } from './mock-responses.ts'
import { mockSettingsMutants } from './mock-settings.ts'
import { contractRuleMutants } from './rules-contract.ts'
import { domainRuleMutants } from './rules-domain.ts'
import { serverApiKeyMutants } from './server-api-keys.ts'
import { serverDeliveryMutants } from './server-delivery.ts'
import { serverFlowMutants } from './server-flows.ts'
import { serverHttpMutants } from './server-http.ts'
import { serverIntegrationMutants } from './server-integrations.ts'
import { serverNotificationMutants } from './server-notifications.ts'
import { serverPageMutants } from './server-pages.ts'
import { serverProjectMutants } from './server-projects.ts'
import { serverResponseMutants } from './server-responses.ts'
import { serverStateMutants } from './server-state.ts'
import { settingsMutants } from './settings.ts'
import { testKeyMutants } from './test-keys.ts'

/** All mutants. */
export const mutants: readonly Mutant[] = [
  ...serverProjectMutants,
  ...serverFlowMutants,
  ...serverIntegrationMutants,
  ...serverApiKeyMutants,
  ...serverNotificationMutants,
  ...serverDeliveryMutants,
  ...serverHttpMutants,
  ...serverResponseMutants,
  ...serverPageMutants,
  ...serverStateMutants,
  ...contractOperationMutants,
  ...contractRuleMutants,
  ...domainRuleMutants,
  ...mockSettingsMutants,
  ...mockNotificationMutants,
  ...mockHttpMutants,
  ...mockResponseMutants,
  ...testKeyMutants,
  ...keyMutants,
  ...settingsMutants,
]
