// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { api } from '@flowpost/contract'
import type { z } from 'zod'
import type { OperationProblems } from '../../src/generated/operations.ts'
import type {
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyListParams,
  DeliveryWithAttempts,
  Flow,
  FlowCheck,
  FlowCreate,
  FlowListParams,
  FlowPatch,
  FlowUpdate,
  Integration,
  IntegrationListParams,
  IntegrationPut,
  Notification,
  NotificationDeliveriesParams,
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
  SettingsApplied,
  SettingsApply,
  SettingsExport,
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
export type ProvidersListQuery = Expect<Equal<ProviderListParams, z.input<Api['providers']['list']['query']>>>
export type ProvidersListAnswer = Expect<Equal<Expand<PageBody<Provider>>, Opened<z.output<Api['providers']['list']['responses'][200]>>>>
export type ProvidersListProblems = Expect<
  Equal<OperationProblems['providers.list'], Api['providers']['list']['metadata']['problems'][number]>
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
export type NotificationsSendBody = Expect<Equal<NotificationSend, z.input<Api['notifications']['send']['body']>>>
export type NotificationsSendAnswer = Expect<Equal<Expand<Notification>, Opened<z.output<Api['notifications']['send']['responses'][202]>>>>
export type NotificationsSendProblems = Expect<
  Equal<OperationProblems['notifications.send'], Api['notifications']['send']['metadata']['problems'][number]>
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
