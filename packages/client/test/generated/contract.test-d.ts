// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { api } from '@flowpost/contract'
import type { z } from 'zod'
import type { OperationProblems } from '../../src/generated/operations.ts'
import type {
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyListParams,
  BulkAction,
  BulkActionCreate,
  BulkActionGetParams,
  BulkActionListParams,
  BulkActionPreview,
  Delivery,
  DeliveryWithAttempts,
  Erasure,
  ErasureCreate,
  EventAttempt,
  EventEndpoint,
  EventEndpointAttemptsParams,
  EventEndpointCreate,
  EventEndpointListParams,
  EventEndpointUpdate,
  EventEndpointWithSecret,
  EventFeed,
  EventListParams,
  EventReplay,
  Flow,
  FlowCheck,
  FlowCreate,
  FlowGetParams,
  FlowListParams,
  FlowPatch,
  FlowUpdate,
  InboundAddress,
  Integration,
  IntegrationListParams,
  IntegrationPut,
  Notification,
  NotificationBatch,
  NotificationBatchResult,
  NotificationDeliveriesParams,
  NotificationExplanation,
  NotificationGetParams,
  NotificationListParams,
  NotificationPreview,
  NotificationSend,
  NotificationWithAttempts,
  Project,
  ProjectCreate,
  ProjectListParams,
  ProjectUpdate,
  Provider,
  ProviderListParams,
  ReceiptCreate,
  SettingHistoryParams,
  SettingsApplied,
  SettingsApply,
  SettingsExport,
  SettingsHistoryEntry,
  Suppression,
  SuppressionCreate,
  SuppressionListParams,
} from '../../src/generated/types.ts'
import type { PageBody } from '../../src/results.ts'
import type { Equal, Expand, Expect, Opened } from '../type-equality.ts'

type Api = typeof api

export type ProjectsCreateBody = Expect<Equal<ProjectCreate, z.input<Api['projects']['create']['body']>>>
export type ProjectsCreateAnswer = Expect<Equal<Expand<Project>, Opened<z.output<Api['projects']['create']['responses'][201]>>>>
export type ProjectsCreateProblems = Expect<
  Equal<OperationProblems['projects.create'], Api['projects']['create']['metadata']['problems'][number]>
>
export type ProjectsListQuery = Expect<Equal<ProjectListParams, z.input<Api['projects']['list']['query']>>>
export type ProjectsListAnswer = Expect<Equal<Expand<PageBody<Project>>, Opened<z.output<Api['projects']['list']['responses'][200]>>>>
export type ProjectsListProblems = Expect<
  Equal<OperationProblems['projects.list'], Api['projects']['list']['metadata']['problems'][number]>
>
export type ProjectsGetAnswer = Expect<Equal<Expand<Project>, Opened<z.output<Api['projects']['get']['responses'][200]>>>>
export type ProjectsGetProblems = Expect<Equal<OperationProblems['projects.get'], Api['projects']['get']['metadata']['problems'][number]>>
export type ProjectsUpdateBody = Expect<Equal<ProjectUpdate, z.input<Api['projects']['update']['body']>>>
export type ProjectsUpdateAnswer = Expect<Equal<Expand<Project>, Opened<z.output<Api['projects']['update']['responses'][200]>>>>
export type ProjectsUpdateProblems = Expect<
  Equal<OperationProblems['projects.update'], Api['projects']['update']['metadata']['problems'][number]>
>
export type ProjectsDeleteProblems = Expect<
  Equal<OperationProblems['projects.delete'], Api['projects']['delete']['metadata']['problems'][number]>
>
export type FlowsCreateBody = Expect<Equal<FlowCreate, z.input<Api['flows']['create']['body']>>>
export type FlowsCreateAnswer = Expect<Equal<Expand<Flow>, Opened<z.output<Api['flows']['create']['responses'][201]>>>>
export type FlowsCreateProblems = Expect<Equal<OperationProblems['flows.create'], Api['flows']['create']['metadata']['problems'][number]>>
export type FlowsListQuery = Expect<Equal<FlowListParams, z.input<Api['flows']['list']['query']>>>
export type FlowsListAnswer = Expect<Equal<Expand<PageBody<Flow>>, Opened<z.output<Api['flows']['list']['responses'][200]>>>>
export type FlowsListProblems = Expect<Equal<OperationProblems['flows.list'], Api['flows']['list']['metadata']['problems'][number]>>
export type FlowsGetQuery = Expect<Equal<FlowGetParams, z.input<Api['flows']['get']['query']>>>
export type FlowsGetAnswer = Expect<Equal<Expand<Flow>, Opened<z.output<Api['flows']['get']['responses'][200]>>>>
export type FlowsGetProblems = Expect<Equal<OperationProblems['flows.get'], Api['flows']['get']['metadata']['problems'][number]>>
export type FlowsUpdateBody = Expect<Equal<FlowUpdate, z.input<Api['flows']['update']['body']>>>
export type FlowsUpdateAnswer = Expect<Equal<Expand<Flow>, Opened<z.output<Api['flows']['update']['responses'][200]>>>>
export type FlowsUpdateProblems = Expect<Equal<OperationProblems['flows.update'], Api['flows']['update']['metadata']['problems'][number]>>
export type FlowsPatchBody = Expect<Equal<FlowPatch, z.input<Api['flows']['patch']['body']>>>
export type FlowsPatchAnswer = Expect<Equal<Expand<Flow>, Opened<z.output<Api['flows']['patch']['responses'][200]>>>>
export type FlowsPatchProblems = Expect<Equal<OperationProblems['flows.patch'], Api['flows']['patch']['metadata']['problems'][number]>>
export type FlowsDeleteProblems = Expect<Equal<OperationProblems['flows.delete'], Api['flows']['delete']['metadata']['problems'][number]>>
export type FlowsCheckAnswer = Expect<Equal<Expand<FlowCheck>, Opened<z.output<Api['flows']['check']['responses'][200]>>>>
export type FlowsCheckProblems = Expect<Equal<OperationProblems['flows.check'], Api['flows']['check']['metadata']['problems'][number]>>
export type IntegrationsListQuery = Expect<Equal<IntegrationListParams, z.input<Api['integrations']['list']['query']>>>
export type IntegrationsListAnswer = Expect<
  Equal<Expand<PageBody<Integration>>, Opened<z.output<Api['integrations']['list']['responses'][200]>>>
>
export type IntegrationsListProblems = Expect<
  Equal<OperationProblems['integrations.list'], Api['integrations']['list']['metadata']['problems'][number]>
>
export type IntegrationsGetAnswer = Expect<Equal<Expand<Integration>, Opened<z.output<Api['integrations']['get']['responses'][200]>>>>
export type IntegrationsGetProblems = Expect<
  Equal<OperationProblems['integrations.get'], Api['integrations']['get']['metadata']['problems'][number]>
>
export type IntegrationsPutBody = Expect<Equal<IntegrationPut, z.input<Api['integrations']['put']['body']>>>
export type IntegrationsPutAnswer = Expect<Equal<Expand<Integration>, Opened<z.output<Api['integrations']['put']['responses'][200]>>>>
export type IntegrationsPutProblems = Expect<
  Equal<OperationProblems['integrations.put'], Api['integrations']['put']['metadata']['problems'][number]>
>
export type IntegrationsDeleteProblems = Expect<
  Equal<OperationProblems['integrations.delete'], Api['integrations']['delete']['metadata']['problems'][number]>
>
export type IntegrationsRotateInboundAnswer = Expect<
  Equal<Expand<InboundAddress>, Opened<z.output<Api['integrations']['rotateInbound']['responses'][200]>>>
>
export type IntegrationsRotateInboundProblems = Expect<
  Equal<OperationProblems['integrations.rotateInbound'], Api['integrations']['rotateInbound']['metadata']['problems'][number]>
>
export type ProvidersListQuery = Expect<Equal<ProviderListParams, z.input<Api['providers']['list']['query']>>>
export type ProvidersListAnswer = Expect<Equal<Expand<PageBody<Provider>>, Opened<z.output<Api['providers']['list']['responses'][200]>>>>
export type ProvidersListProblems = Expect<
  Equal<OperationProblems['providers.list'], Api['providers']['list']['metadata']['problems'][number]>
>
export type SuppressionsCreateBody = Expect<Equal<SuppressionCreate, z.input<Api['suppressions']['create']['body']>>>
export type SuppressionsCreateAnswer = Expect<
  Equal<
    Expand<Suppression>,
    Opened<z.output<Api['suppressions']['create']['responses'][200]> | z.output<Api['suppressions']['create']['responses'][201]>>
  >
>
export type SuppressionsCreateProblems = Expect<
  Equal<OperationProblems['suppressions.create'], Api['suppressions']['create']['metadata']['problems'][number]>
>
export type SuppressionsListQuery = Expect<Equal<SuppressionListParams, z.input<Api['suppressions']['list']['query']>>>
export type SuppressionsListAnswer = Expect<
  Equal<Expand<PageBody<Suppression>>, Opened<z.output<Api['suppressions']['list']['responses'][200]>>>
>
export type SuppressionsListProblems = Expect<
  Equal<OperationProblems['suppressions.list'], Api['suppressions']['list']['metadata']['problems'][number]>
>
export type SuppressionsDeleteProblems = Expect<
  Equal<OperationProblems['suppressions.delete'], Api['suppressions']['delete']['metadata']['problems'][number]>
>
export type ApiKeysCreateBody = Expect<Equal<ApiKeyCreate, z.input<Api['apiKeys']['create']['body']>>>
export type ApiKeysCreateAnswer = Expect<Equal<Expand<ApiKeyCreated>, Opened<z.output<Api['apiKeys']['create']['responses'][201]>>>>
export type ApiKeysCreateProblems = Expect<
  Equal<OperationProblems['apiKeys.create'], Api['apiKeys']['create']['metadata']['problems'][number]>
>
export type ApiKeysListQuery = Expect<Equal<ApiKeyListParams, z.input<Api['apiKeys']['list']['query']>>>
export type ApiKeysListAnswer = Expect<Equal<Expand<PageBody<ApiKey>>, Opened<z.output<Api['apiKeys']['list']['responses'][200]>>>>
export type ApiKeysListProblems = Expect<Equal<OperationProblems['apiKeys.list'], Api['apiKeys']['list']['metadata']['problems'][number]>>
export type ApiKeysDeleteProblems = Expect<
  Equal<OperationProblems['apiKeys.delete'], Api['apiKeys']['delete']['metadata']['problems'][number]>
>
export type SettingsExportAnswer = Expect<Equal<Expand<SettingsExport>, Opened<z.output<Api['settings']['export']['responses'][200]>>>>
export type SettingsExportProblems = Expect<
  Equal<OperationProblems['settings.export'], Api['settings']['export']['metadata']['problems'][number]>
>
export type SettingsApplyBody = Expect<Equal<SettingsApply, z.input<Api['settings']['apply']['body']>>>
export type SettingsApplyAnswer = Expect<Equal<Expand<SettingsApplied>, Opened<z.output<Api['settings']['apply']['responses'][200]>>>>
export type SettingsApplyProblems = Expect<
  Equal<OperationProblems['settings.apply'], Api['settings']['apply']['metadata']['problems'][number]>
>
export type SettingsHistoryQuery = Expect<Equal<SettingHistoryParams, z.input<Api['settings']['history']['query']>>>
export type SettingsHistoryAnswer = Expect<
  Equal<Expand<PageBody<SettingsHistoryEntry>>, Opened<z.output<Api['settings']['history']['responses'][200]>>>
>
export type SettingsHistoryProblems = Expect<
  Equal<OperationProblems['settings.history'], Api['settings']['history']['metadata']['problems'][number]>
>
export type NotificationsSendBody = Expect<Equal<NotificationSend, z.input<Api['notifications']['send']['body']>>>
export type NotificationsSendAnswer = Expect<Equal<Expand<Notification>, Opened<z.output<Api['notifications']['send']['responses'][202]>>>>
export type NotificationsSendProblems = Expect<
  Equal<OperationProblems['notifications.send'], Api['notifications']['send']['metadata']['problems'][number]>
>
export type NotificationsSendBatchBody = Expect<Equal<NotificationBatch, z.input<Api['notifications']['sendBatch']['body']>>>
export type NotificationsSendBatchAnswer = Expect<
  Equal<Expand<NotificationBatchResult>, Opened<z.output<Api['notifications']['sendBatch']['responses'][200]>>>
>
export type NotificationsSendBatchProblems = Expect<
  Equal<OperationProblems['notifications.sendBatch'], Api['notifications']['sendBatch']['metadata']['problems'][number]>
>
export type NotificationsListQuery = Expect<Equal<NotificationListParams, z.input<Api['notifications']['list']['query']>>>
export type NotificationsListAnswer = Expect<
  Equal<Expand<PageBody<NotificationWithAttempts>>, Opened<z.output<Api['notifications']['list']['responses'][200]>>>
>
export type NotificationsListProblems = Expect<
  Equal<OperationProblems['notifications.list'], Api['notifications']['list']['metadata']['problems'][number]>
>
export type NotificationsGetQuery = Expect<Equal<NotificationGetParams, z.input<Api['notifications']['get']['query']>>>
export type NotificationsGetAnswer = Expect<
  Equal<Expand<NotificationWithAttempts>, Opened<z.output<Api['notifications']['get']['responses'][200]>>>
>
export type NotificationsGetProblems = Expect<
  Equal<OperationProblems['notifications.get'], Api['notifications']['get']['metadata']['problems'][number]>
>
export type NotificationsDeliveriesQuery = Expect<Equal<NotificationDeliveriesParams, z.input<Api['notifications']['deliveries']['query']>>>
export type NotificationsDeliveriesAnswer = Expect<
  Equal<Expand<PageBody<DeliveryWithAttempts>>, Opened<z.output<Api['notifications']['deliveries']['responses'][200]>>>
>
export type NotificationsDeliveriesProblems = Expect<
  Equal<OperationProblems['notifications.deliveries'], Api['notifications']['deliveries']['metadata']['problems'][number]>
>
export type NotificationsExplanationAnswer = Expect<
  Equal<Expand<NotificationExplanation>, Opened<z.output<Api['notifications']['explanation']['responses'][200]>>>
>
export type NotificationsExplanationProblems = Expect<
  Equal<OperationProblems['notifications.explanation'], Api['notifications']['explanation']['metadata']['problems'][number]>
>
export type NotificationsPreviewBody = Expect<Equal<NotificationSend, z.input<Api['notifications']['preview']['body']>>>
export type NotificationsPreviewAnswer = Expect<
  Equal<Expand<NotificationPreview>, Opened<z.output<Api['notifications']['preview']['responses'][200]>>>
>
export type NotificationsPreviewProblems = Expect<
  Equal<OperationProblems['notifications.preview'], Api['notifications']['preview']['metadata']['problems'][number]>
>
export type NotificationsRetryAnswer = Expect<
  Equal<Expand<Notification>, Opened<z.output<Api['notifications']['retry']['responses'][202]>>>
>
export type NotificationsRetryProblems = Expect<
  Equal<OperationProblems['notifications.retry'], Api['notifications']['retry']['metadata']['problems'][number]>
>
export type NotificationsCancelAnswer = Expect<
  Equal<Expand<Notification>, Opened<z.output<Api['notifications']['cancel']['responses'][200]>>>
>
export type NotificationsCancelProblems = Expect<
  Equal<OperationProblems['notifications.cancel'], Api['notifications']['cancel']['metadata']['problems'][number]>
>
export type DeliveriesRecordReceiptBody = Expect<Equal<ReceiptCreate, z.input<Api['deliveries']['recordReceipt']['body']>>>
export type DeliveriesRecordReceiptAnswer = Expect<
  Equal<Expand<Delivery>, Opened<z.output<Api['deliveries']['recordReceipt']['responses'][200]>>>
>
export type DeliveriesRecordReceiptProblems = Expect<
  Equal<OperationProblems['deliveries.recordReceipt'], Api['deliveries']['recordReceipt']['metadata']['problems'][number]>
>
export type BulkActionsCreateBody = Expect<Equal<BulkActionCreate, z.input<Api['bulkActions']['create']['body']>>>
export type BulkActionsCreateAnswer = Expect<
  Equal<
    Expand<BulkActionPreview | BulkAction>,
    Opened<z.output<Api['bulkActions']['create']['responses'][200]> | z.output<Api['bulkActions']['create']['responses'][202]>>
  >
>
export type BulkActionsCreateProblems = Expect<
  Equal<OperationProblems['bulkActions.create'], Api['bulkActions']['create']['metadata']['problems'][number]>
>
export type BulkActionsListQuery = Expect<Equal<BulkActionListParams, z.input<Api['bulkActions']['list']['query']>>>
export type BulkActionsListAnswer = Expect<
  Equal<Expand<PageBody<BulkAction>>, Opened<z.output<Api['bulkActions']['list']['responses'][200]>>>
>
export type BulkActionsListProblems = Expect<
  Equal<OperationProblems['bulkActions.list'], Api['bulkActions']['list']['metadata']['problems'][number]>
>
export type BulkActionsGetQuery = Expect<Equal<BulkActionGetParams, z.input<Api['bulkActions']['get']['query']>>>
export type BulkActionsGetAnswer = Expect<Equal<Expand<BulkAction>, Opened<z.output<Api['bulkActions']['get']['responses'][200]>>>>
export type BulkActionsGetProblems = Expect<
  Equal<OperationProblems['bulkActions.get'], Api['bulkActions']['get']['metadata']['problems'][number]>
>
export type BulkActionsStopAnswer = Expect<Equal<Expand<BulkAction>, Opened<z.output<Api['bulkActions']['stop']['responses'][200]>>>>
export type BulkActionsStopProblems = Expect<
  Equal<OperationProblems['bulkActions.stop'], Api['bulkActions']['stop']['metadata']['problems'][number]>
>
export type ErasuresCreateBody = Expect<Equal<ErasureCreate, z.input<Api['erasures']['create']['body']>>>
export type ErasuresCreateAnswer = Expect<Equal<Expand<Erasure>, Opened<z.output<Api['erasures']['create']['responses'][202]>>>>
export type ErasuresCreateProblems = Expect<
  Equal<OperationProblems['erasures.create'], Api['erasures']['create']['metadata']['problems'][number]>
>
export type ErasuresGetAnswer = Expect<Equal<Expand<Erasure>, Opened<z.output<Api['erasures']['get']['responses'][200]>>>>
export type ErasuresGetProblems = Expect<Equal<OperationProblems['erasures.get'], Api['erasures']['get']['metadata']['problems'][number]>>
export type EventEndpointsCreateBody = Expect<Equal<EventEndpointCreate, z.input<Api['eventEndpoints']['create']['body']>>>
export type EventEndpointsCreateAnswer = Expect<
  Equal<Expand<EventEndpointWithSecret>, Opened<z.output<Api['eventEndpoints']['create']['responses'][201]>>>
>
export type EventEndpointsCreateProblems = Expect<
  Equal<OperationProblems['eventEndpoints.create'], Api['eventEndpoints']['create']['metadata']['problems'][number]>
>
export type EventEndpointsListQuery = Expect<Equal<EventEndpointListParams, z.input<Api['eventEndpoints']['list']['query']>>>
export type EventEndpointsListAnswer = Expect<
  Equal<Expand<PageBody<EventEndpoint>>, Opened<z.output<Api['eventEndpoints']['list']['responses'][200]>>>
>
export type EventEndpointsListProblems = Expect<
  Equal<OperationProblems['eventEndpoints.list'], Api['eventEndpoints']['list']['metadata']['problems'][number]>
>
export type EventEndpointsGetAnswer = Expect<Equal<Expand<EventEndpoint>, Opened<z.output<Api['eventEndpoints']['get']['responses'][200]>>>>
export type EventEndpointsGetProblems = Expect<
  Equal<OperationProblems['eventEndpoints.get'], Api['eventEndpoints']['get']['metadata']['problems'][number]>
>
export type EventEndpointsUpdateBody = Expect<Equal<EventEndpointUpdate, z.input<Api['eventEndpoints']['update']['body']>>>
export type EventEndpointsUpdateAnswer = Expect<
  Equal<Expand<EventEndpoint>, Opened<z.output<Api['eventEndpoints']['update']['responses'][200]>>>
>
export type EventEndpointsUpdateProblems = Expect<
  Equal<OperationProblems['eventEndpoints.update'], Api['eventEndpoints']['update']['metadata']['problems'][number]>
>
export type EventEndpointsDeleteProblems = Expect<
  Equal<OperationProblems['eventEndpoints.delete'], Api['eventEndpoints']['delete']['metadata']['problems'][number]>
>
export type EventEndpointsRotateSecretAnswer = Expect<
  Equal<Expand<EventEndpointWithSecret>, Opened<z.output<Api['eventEndpoints']['rotateSecret']['responses'][200]>>>
>
export type EventEndpointsRotateSecretProblems = Expect<
  Equal<OperationProblems['eventEndpoints.rotateSecret'], Api['eventEndpoints']['rotateSecret']['metadata']['problems'][number]>
>
export type EventEndpointsTestAnswer = Expect<
  Equal<Expand<EventAttempt>, Opened<z.output<Api['eventEndpoints']['test']['responses'][200]>>>
>
export type EventEndpointsTestProblems = Expect<
  Equal<OperationProblems['eventEndpoints.test'], Api['eventEndpoints']['test']['metadata']['problems'][number]>
>
export type EventEndpointsAttemptsQuery = Expect<Equal<EventEndpointAttemptsParams, z.input<Api['eventEndpoints']['attempts']['query']>>>
export type EventEndpointsAttemptsAnswer = Expect<
  Equal<Expand<PageBody<EventAttempt>>, Opened<z.output<Api['eventEndpoints']['attempts']['responses'][200]>>>
>
export type EventEndpointsAttemptsProblems = Expect<
  Equal<OperationProblems['eventEndpoints.attempts'], Api['eventEndpoints']['attempts']['metadata']['problems'][number]>
>
export type EventEndpointsReplayBody = Expect<Equal<EventReplay, z.input<Api['eventEndpoints']['replay']['body']>>>
export type EventEndpointsReplayAnswer = Expect<
  Equal<Expand<EventEndpoint>, Opened<z.output<Api['eventEndpoints']['replay']['responses'][200]>>>
>
export type EventEndpointsReplayProblems = Expect<
  Equal<OperationProblems['eventEndpoints.replay'], Api['eventEndpoints']['replay']['metadata']['problems'][number]>
>
export type EventsListQuery = Expect<Equal<EventListParams, z.input<Api['events']['list']['query']>>>
export type EventsListAnswer = Expect<Equal<Expand<EventFeed>, Opened<z.output<Api['events']['list']['responses'][200]>>>>
export type EventsListProblems = Expect<Equal<OperationProblems['events.list'], Api['events']['list']['metadata']['problems'][number]>>
