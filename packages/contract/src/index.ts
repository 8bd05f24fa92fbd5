export { type KeyMode, keyModes, type OperationMetadata, type Scope, scopes } from './access.ts'
export { api } from './api.ts'
export { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeyPage } from './api-keys.ts'
export { Attempt, Delivery, DeliveryFailure, DeliveryStatus, DeliveryWithAttempts } from './deliveries.ts'
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
export { Integration, IntegrationPage, IntegrationPut } from './integrations.ts'
export { NotificationPreview, PreviewedFlow } from './notification-preview.ts'
export { DeliveryPage, Notification, NotificationPage, NotificationWithAttempts } from './notification-resources.ts'
export { NotificationSend } from './notification-send.ts'
export { createOpenApiDocument, type OpenApiDocument, type OpenApiOperation, type OpenApiOptions } from './openapi.ts'
export { type FieldCode, fieldCodes, type IdKind, idPattern, idPrefixes, Timestamp } from './primitives.ts'
export { FieldError, Problem, type ProblemCode, problemMediaType, problems } from './problem.ts'
export { Project, ProjectCreate, ProjectPage, ProjectUpdate } from './projects.ts'
export { Provider, ProviderPage } from './providers.ts'
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
