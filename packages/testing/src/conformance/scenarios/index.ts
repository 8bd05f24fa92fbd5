import type { Scenario } from '../scenario.ts'
import { accessScenarios } from './access.ts'
import { apiKeyScenarios } from './api-keys.ts'
import { appliedHistoryScenarios } from './applied-history.ts'
import { batchScenarios } from './batches.ts'
import { boundKeyScenarios } from './bound-keys.ts'
import { bulkActionPreviewScenarios } from './bulk-action-previews.ts'
import { bulkActionScenarios } from './bulk-actions.ts'
import { conditionalScenarios } from './conditional.ts'
import { consequencesScenarios } from './consequences.ts'
import { deletionScenarios } from './deletions.ts'
import { endpointHealthScenarios } from './endpoint-health.ts'
import { entityTagScenarios } from './entity-tags.ts'
import { erasedResponseScenarios } from './erased-responses.ts'
import { erasureEffectScenarios } from './erasure-effects.ts'
import { erasureScenarios } from './erasures.ts'
import { eventCauseScenarios } from './event-causes.ts'
import { eventEndpointScenarios } from './event-endpoints.ts'
import { eventFeedScenarios } from './event-feed.ts'
import { eventPushScenarios } from './event-pushes.ts'
import { exactRuleScenarios } from './exact-rules.ts'
import { explanationScenarios } from './explanations.ts'
import { failureFilterScenarios } from './failure-filters.ts'
import { flowCheckScenarios } from './flow-checks.ts'
import { flowFieldScenarios } from './flow-fields.ts'
import { flowHealthScenarios } from './flow-health.ts'
import { flowScenarios } from './flows.ts'
import { historyListScenarios } from './history-lists.ts'
import { idempotencyScenarios } from './idempotency.ts'
import { inputScenarios } from './input.ts'
import { integrationScenarios } from './integrations.ts'
import { isolationScenarios } from './isolation.ts'
import { keyLifetimeScenarios } from './key-lifetimes.ts'
import { keyScenarios } from './keys.ts'
import { limitScenarios } from './limits.ts'
import { listCursorScenarios } from './list-cursors.ts'
import { notificationLifecycleScenarios } from './notification-lifecycle.ts'
import { otherRecipientScenarios } from './other-recipients.ts'
import { outcomeScenarios } from './outcomes.ts'
import { overloadScenarios } from './overload.ts'
import { pastFlowScenarios } from './past-flows.ts'
import { projectScenarios } from './projects.ts'
import { readAfterWriteScenarios } from './read-after-write.ts'
import { receiptScenarios } from './receipts.ts'
import { rejectedSettingsScenarios } from './rejected-settings.ts'
import { renderingScenarios } from './rendering.ts'
import { retryScenarios } from './retries.ts'
import { searchScenarios } from './search.ts'
import { sendByKeyScenarios } from './send-by-key.ts'
import { sendingScenarios } from './sending.ts'
import { settingsScenarios } from './settings.ts'
import { settingsEndpointScenarios } from './settings-endpoints.ts'
import { settingsHistoryScenarios } from './settings-history.ts'
import { simulatedRecipientScenarios } from './simulated-recipients.ts'
import { skippedDeliveryScenarios } from './skipped-deliveries.ts'
import { suppressionScenarios } from './suppressions.ts'
import { testKeyScenarios } from './test-keys.ts'
import { transportScenarios } from './transport.ts'
import { waitScenarios } from './waits.ts'

/** All conformance scenarios. */
export const scenarios: readonly Scenario[] = [
  ...transportScenarios,
  ...accessScenarios,
  ...inputScenarios,
  ...conditionalScenarios,
  ...entityTagScenarios,
  ...idempotencyScenarios,
  ...projectScenarios,
  ...flowScenarios,
  ...flowFieldScenarios,
  ...keyScenarios,
  ...flowCheckScenarios,
  ...flowHealthScenarios,
  ...boundKeyScenarios,
  ...integrationScenarios,
  ...settingsScenarios,
  ...settingsEndpointScenarios,
  ...consequencesScenarios,
  ...settingsHistoryScenarios,
  ...appliedHistoryScenarios,
  ...historyListScenarios,
  ...pastFlowScenarios,
  ...rejectedSettingsScenarios,
  ...apiKeyScenarios,
  ...keyLifetimeScenarios,
  ...sendingScenarios,
  ...batchScenarios,
  ...sendByKeyScenarios,
  ...renderingScenarios,
  ...limitScenarios,
  ...listCursorScenarios,
  ...exactRuleScenarios,
  ...readAfterWriteScenarios,
  ...deletionScenarios,
  ...isolationScenarios,
  ...overloadScenarios,
  ...notificationLifecycleScenarios,
  ...waitScenarios,
  ...outcomeScenarios,
  ...retryScenarios,
  ...testKeyScenarios,
  ...simulatedRecipientScenarios,
  ...receiptScenarios,
  ...searchScenarios,
  ...failureFilterScenarios,
  ...explanationScenarios,
  ...bulkActionScenarios,
  ...skippedDeliveryScenarios,
  ...bulkActionPreviewScenarios,
  ...suppressionScenarios,
  ...erasureScenarios,
  ...erasedResponseScenarios,
  ...erasureEffectScenarios,
  ...otherRecipientScenarios,
  ...eventEndpointScenarios,
  ...eventPushScenarios,
  ...endpointHealthScenarios,
  ...eventFeedScenarios,
  ...eventCauseScenarios,
]
