export { type KeyMode, keyModes, type OperationMetadata, type Scope, scopes } from './access.ts'
export { api } from './api.ts'
export { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeyPage } from './api-keys.ts'
export { BulkAction, BulkActionCreate, BulkActionPage, BulkActionPreview, bulkActionSelects } from './bulk-actions.ts'
export { Attempt, Delivery, DeliveryFailure, DeliveryReceipt, DeliveryStatus, DeliveryWithAttempts } from './deliveries.ts'
export { Erasure, ErasureCreate } from './erasures.ts'
export {
  EventAttempt,
  EventAttemptPage,
  EventEndpoint,
  EventEndpointCreate,
  EventEndpointHealth,
  EventEndpointPage,
  EventEndpointUpdate,
  EventEndpointWithSecret,
  EventReplay,
  maxEventEndpoints,
} from './event-endpoint-resources.ts'
export {
  DeliveryAmbiguousEvent,
  DeliveryCanceledEvent,
  DeliveryFailedEvent,
  DeliveryReceiptEvent,
  DeliverySentEvent,
  Event,
  EventDelivery,
  EventFeed,
  EventNotification,
  FlowHealthyEvent,
  FlowUnhealthyEvent,
  NotificationSettledEvent,
  PushedEvent,
  TestPingEvent,
} from './event-resources.ts'
export { type EventType, type PushedEventType, pushedEventTypes, subscribableEventTypes } from './event-types.ts'
export { FlowCheck, FlowCheckFinding, FlowHealth, FlowWarning } from './flow-diagnostics.ts'
export {
  builtInSourceTypes,
  Flow,
  FlowCreate,
  FlowPage,
  FlowPatch,
  FlowUpdate,
  SourceType,
  TextType,
} from './flows.ts'
export { InboundAddress, Integration, IntegrationPage, IntegrationPut } from './integrations.ts'
export { maxBatchItems, NotificationBatch, NotificationBatchItem, NotificationBatchResult } from './notification-batch.ts'
export { ExplainedFlow, NotificationExplanation } from './notification-explanation.ts'
export { NotificationPreview, PreviewedFlow } from './notification-preview.ts'
export { DeliveryPage, Notification, NotificationPage, NotificationWithAttempts } from './notification-resources.ts'
export { NotificationSend } from './notification-send.ts'
export { successHeaderNames } from './openapi/headers.ts'
export { createOpenApiDocument, type OpenApiDocument, type OpenApiOperation, type OpenApiOptions } from './openapi.ts'
export { type FieldCode, fieldCodes, type IdKind, idPattern, idPrefixes, Key, Timestamp } from './primitives.ts'
export { FieldError, Problem, type ProblemCode, problemMediaType, problems } from './problem.ts'
export { type ProblemHelp, problemHelp } from './problem-help.ts'
export { Project, ProjectCreate, ProjectPage, ProjectUpdate } from './projects.ts'
export { Provider, ProviderPage } from './providers.ts'
export { ReceiptCreate } from './receipts.ts'
export { SettingsConsequences } from './settings-consequences.ts'
export {
  maxSettingsFlows,
  maxSettingsTemplateBytes,
  SettingsApplied,
  SettingsApply,
  SettingsChange,
  SettingsDocument,
  SettingsExport,
  SettingsWarning,
} from './settings-document.ts'
export { SettingsHistoryEntry, SettingsHistoryPage } from './settings-history.ts'
export { Suppression, SuppressionCreate, SuppressionPage } from './suppressions.ts'
