import type { Mutant } from '../mutant.ts'
import { mockHttpMutants } from './mock-http.ts'
import { mockNotificationMutants } from './mock-notifications.ts'
import { mockSettingsMutants } from './mock-settings.ts'
import { contractRuleMutants } from './rules-contract.ts'
import { domainRuleMutants } from './rules-domain.ts'
import { serverApiKeyMutants } from './server-api-keys.ts'
import { serverDeliveryMutants } from './server-delivery.ts'
import { serverFlowMutants } from './server-flows.ts'
import { serverHttpMutants } from './server-http.ts'
import { serverIntegrationMutants } from './server-integrations.ts'
import { serverNotificationMutants } from './server-notifications.ts'
import { serverProjectMutants } from './server-projects.ts'

/** All mutants. */
export const mutants: readonly Mutant[] = [
  ...serverProjectMutants,
  ...serverFlowMutants,
  ...serverIntegrationMutants,
  ...serverApiKeyMutants,
  ...serverNotificationMutants,
  ...serverDeliveryMutants,
  ...serverHttpMutants,
  ...contractRuleMutants,
  ...domainRuleMutants,
  ...mockSettingsMutants,
  ...mockNotificationMutants,
  ...mockHttpMutants,
]
