// The API rules that the contract's schemas do not express. The server and the mock share this code.
export { invalidToken, parseBearerToken, requireAccess, unauthenticated } from './access.ts'
export {
  ApiError,
  type ApiErrorOptions,
  type BodyIssue,
  keyTaken,
  malformedHeader,
  notFound,
  projectNameTaken,
  rejected,
  toBodyErrors,
  toProblem,
  unavailable,
  validationFailed,
} from './api-error.ts'
export {
  findApiKeyErrors,
  type KeyCreator,
  type KeyRevoker,
  type RevocableKey,
  requireRecordingMode,
  requireRetryMode,
  requireRevocable,
  sortScopes,
} from './api-keys.ts'
export { type BatchItem, batchItemKey, createItemProblems, isTemporary, parseBatchItem, retryAfterOf } from './batch.ts'
export {
  type DeliveryCount,
  findBulkActionErrors,
  maxRunningBulkActions,
  requireBulkActionCapacity,
  toPreviewCounts,
} from './bulk-actions.ts'
export { isNotModified, requireMatch } from './entity-tags.ts'
export { addFieldErrors, findTextErrors, firstErrorPerField, toFieldErrors, toJsonPointer, toNestedFieldErrors } from './field-errors.ts'
export {
  buildOperationPath,
  fingerprintRequest,
  idempotencyInProgress,
  idempotencyKeyReused,
  idempotencyKeyTtlMs,
  idempotencyNotReplayable,
  replayedHeaders,
  toCanonicalJson,
  toIdempotentOperation,
} from './idempotency.ts'
export { bodyTooLarge, maxEmptyBodyBytes, parseJsonBody, requireEmptyBody, requireJson } from './json-body.ts'
export { type IntegrationRules, type MergedIntegration, mergeIntegration, type StoredIntegration } from './merge-integration.ts'
export {
  countDeliveryRows,
  fillPage,
  invalidCursor,
  type ListFilters,
  limitPage,
  maxEmbeddedAttempts,
  maxEmbeddedDeliveries,
  maxEmbeddedRows,
  maxListedAttempts,
  maxPageBytes,
  toCursorBinding,
} from './pages.ts'
export { momentBeforeHistory, momentInFuture } from './past-moment.ts'
export type { PlannedChange } from './plan-settings.ts'
export { toPlannedFlows } from './planned-flows.ts'
export { parseQuery } from './query.ts'
export { requireQueueCapacity } from './queue-limit.ts'
export {
  changedFields,
  type RecordedKind,
  type RecordedSettings,
  recordedEndpoint,
  recordedFlow,
  recordedIntegration,
  recordedProject,
  secretFieldsOf,
} from './recorded-settings.ts'
export { findAddressIssues } from './send-address.ts'
export { type FindFlowWarnings, findSettingsIssues, findSettingsWarnings } from './settings-checks.ts'
export {
  planSettings,
  requireSettingsMatch,
  type SettingsBody,
  type SettingsPlan,
  type StoredSettings,
  settingsDigestInput,
  settingsTooLarge,
  toSettingsDocument,
} from './settings-document.ts'
export { readExpectedSettings, settingsChangedHeaders, settingsDigestHeader } from './settings-drift.ts'
export { type GivenEndpoint, omitEndpointSecrets, type StoredEndpoint, tooManyEventEndpoints } from './settings-endpoints.ts'
export { fitsDocument, requireDocumentSize } from './settings-size.ts'
