import type { Scenario } from '../scenario.ts'
import { accessScenarios } from './access.ts'
import { apiKeyScenarios } from './api-keys.ts'
import { conditionalScenarios } from './conditional.ts'
import { flowScenarios } from './flows.ts'
import { followingScenarios } from './following.ts'
import { idempotencyScenarios } from './idempotency.ts'
import { inputScenarios } from './input.ts'
import { integrationScenarios } from './integrations.ts'
import { projectScenarios } from './projects.ts'
import { sendingScenarios } from './sending.ts'
import { transportScenarios } from './transport.ts'

/** Everything that a server of the interface must do. */
export const scenarios: readonly Scenario[] = [
  ...transportScenarios,
  ...accessScenarios,
  ...inputScenarios,
  ...conditionalScenarios,
  ...idempotencyScenarios,
  ...projectScenarios,
  ...flowScenarios,
  ...integrationScenarios,
  ...apiKeyScenarios,
  ...sendingScenarios,
  ...followingScenarios,
]
