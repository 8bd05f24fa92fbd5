// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { CachedOptions, CallOptions, ConditionalOptions, IdempotentOptions, UncachedOptions } from '../options.ts'
import type { Call, Page, SendCall } from '../results.ts'
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
} from './types.ts'

/** The operations on projects. */
export interface ProjectsOperations {
  /**
   * Creates a project without flows. A user can have any number of projects, each with a different name.
   *
   * `POST /v1/settings/projects`, with the scope `settings:write`.
   *
   * @param body The fields of a new project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`,
   * `project_name_taken`, `key_taken`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: ProjectCreate, options?: IdempotentOptions): Call<Project>

  /**
   * Returns the projects of the user, oldest first.
   *
   * `GET /v1/settings/projects`, with the scope `settings:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ProjectListParams, options?: CallOptions): Page<Project>

  /**
   * Returns one project.
   *
   * `GET /v1/settings/projects/:project_id`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, options?: UncachedOptions): Call<Project>

  /**
   * Returns one project.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, options?: CachedOptions): Call<Project | undefined>

  /** The unconditional read again, for types that are derived from the method. */
  get(projectId: string, options?: UncachedOptions): Call<Project>

  /**
   * Renames a project, and changes its key if the request has one. To apply the change only if the project has not
   * changed since you read it, send its `ETag` in `If-Match`.
   *
   * If the body is a function, the call reads the resource, passes it to the function, and writes the result. If
   * the resource changes in between, the call starts over.
   *
   * `PUT /v1/settings/projects/:project_id`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param body The fields of a project that can be changed. An omitted `key` stays as it is. Alternatively, a
   * function that receives the current resource and returns the body.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `project_name_taken`, `key_taken`, `etag_mismatch`.
   */
  update(
    projectId: string,
    body: ProjectUpdate | ((current: Project & ProjectUpdate) => ProjectUpdate | Promise<ProjectUpdate>),
    options?: ConditionalOptions,
  ): Call<Project>

  /**
   * Deletes a project with its flows and cancels its pending deliveries. Its notifications and deliveries remain
   * readable until their retention period ends.
   *
   * `DELETE /v1/settings/projects/:project_id`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, options?: ConditionalOptions): Call<void>
}

/** The operations on flows. */
export interface FlowsOperations {
  /**
   * Adds a flow to a project. The target must have the format that the provider requires. Nothing is sent.
   *
   * `POST /v1/settings/projects/:project_id/flows`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param body The fields of a new flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `key_taken`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(projectId: string, body: FlowCreate, options?: IdempotentOptions): Call<Flow>

  /**
   * Returns the flows of a project, oldest first.
   *
   * `GET /v1/settings/projects/:project_id/flows`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: FlowListParams, options?: CallOptions): Page<Flow>

  /**
   * Returns one flow.
   *
   * `GET /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, flowId: string, options?: UncachedOptions): Call<Flow>

  /**
   * Returns one flow.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, flowId: string, options?: CachedOptions): Call<Flow | undefined>

  /** The unconditional read again, for types that are derived from the method. */
  get(projectId: string, flowId: string, options?: UncachedOptions): Call<Flow>

  /**
   * Replaces the seven fields that describe what a flow does. Its key stays as it is. Messages that are already
   * queued keep their target and content.
   *
   * If the body is a function, the call reads the resource, passes it to the function, and writes the result. If
   * the resource changes in between, the call starts over.
   *
   * `PUT /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @param body The seven fields that describe what a flow does. None has a default, so omitting `active` cannot
   * reactivate a paused flow. The key stays as it is. Alternatively, a function that receives the current resource
   * and returns the body.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `etag_mismatch`.
   */
  update(
    projectId: string,
    flowId: string,
    body: FlowUpdate | ((current: Flow & FlowUpdate) => FlowUpdate | Promise<FlowUpdate>),
    options?: ConditionalOptions,
  ): Call<Flow>

  /**
   * Changes the given fields. Omitted fields stay as they are.
   *
   * `PATCH /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @param body The fields of a flow to change. Omitted fields stay as they are.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `key_taken`, `etag_mismatch`.
   */
  patch(projectId: string, flowId: string, body: FlowPatch, options?: ConditionalOptions): Call<Flow>

  /**
   * Deletes a flow. Its deliveries that are queued or waiting for a retry are canceled.
   *
   * `DELETE /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, flowId: string, options?: ConditionalOptions): Call<void>

  /**
   * Asks the provider whether the credential works and the target can be reached. The result is also stored as the
   * health of the flow. Sends no message.
   *
   * `POST /v1/settings/projects/:project_id/flows/:flow_id/check`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  check(projectId: string, flowId: string, options?: CallOptions): Call<FlowCheck>
}

/** The operations on integrations. */
export interface IntegrationsOperations {
  /**
   * Returns the integrations of a project, oldest first, without the values of secrets.
   *
   * `GET /v1/settings/projects/:project_id/integrations`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: IntegrationListParams, options?: CallOptions): Page<Integration>

  /**
   * Returns one integration of a project, without the values of secrets.
   *
   * `GET /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, sourceType: string, options?: UncachedOptions): Call<Integration>

  /**
   * Returns one integration of a project, without the values of secrets.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, sourceType: string, options?: CachedOptions): Call<Integration | undefined>

  /** The unconditional read again, for types that are derived from the method. */
  get(projectId: string, sourceType: string, options?: UncachedOptions): Call<Integration>

  /**
   * Creates an integration or replaces its settings. An omitted secret keeps its value; `null` removes it. If a
   * setting that determines where secrets are sent changes, such as the host, all secrets must be provided again.
   * Omitting one of them then returns 422 with the field code `required`.
   *
   * `PUT /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @param body The settings and secrets with which a project uses a provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `etag_mismatch`, `encryption_not_configured`.
   */
  put(projectId: string, sourceType: string, body: IntegrationPut, options?: ConditionalOptions): Call<Integration>

  /**
   * Deletes an integration with its settings and secrets. They are not used for any further message.
   *
   * `DELETE /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, sourceType: string, options?: ConditionalOptions): Call<void>
}

/** The operations on providers. */
export interface ProvidersOperations {
  /**
   * Returns the delivery providers that the deployment has registered, with the JSON Schemas of their settings and
   * secrets.
   *
   * `GET /v1/settings/providers`, with the scope `settings:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ProviderListParams, options?: CallOptions): Page<Provider>
}

/** The operations on API keys. */
export interface ApiKeysOperations {
  /**
   * Creates a key and returns its secret once. The key cannot have more scopes, cover more projects or expire
   * later than the credential that creates it, and a test key cannot create a live one. Revoking that credential
   * revokes the key too.
   *
   * `POST /v1/settings/api-keys`, with the scope `keys:write`.
   *
   * @param body The fields of a new API key.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_not_replayable`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: ApiKeyCreate, options?: IdempotentOptions): Call<ApiKeyCreated>

  /**
   * Returns the API keys of the user that have not been revoked, oldest first.
   *
   * `GET /v1/settings/api-keys`, with the scope `settings:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ApiKeyListParams, options?: CallOptions): Page<ApiKey>

  /**
   * Immediately revokes a key and all keys that were created with it. A key can revoke itself, the keys that were
   * created with it, and any other key of the same user that has no scope beyond its own, does not expire later
   * and, for a test key, is a test key. Revoking any other key returns 403 `scope_missing`. Keys that come from
   * the environment (`FLOWPOST_BOOTSTRAP_KEYS`) cannot be revoked either, with the same error.
   *
   * `DELETE /v1/settings/api-keys/:key_id`, with the scope `keys:write`.
   *
   * @param keyId The id of the key.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  delete(keyId: string, options?: CallOptions): Call<void>
}

/** The operations on settings. */
export interface SettingsOperations {
  /**
   * Returns the settings of a project as a document that can be applied: the project, its flows that have a key,
   * and its integrations without their secrets.
   *
   * `GET /v1/settings/projects/:project_id/export`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `settings_too_large`.
   */
  export(projectId: string, options?: UncachedOptions): Call<SettingsExport>

  /**
   * Returns the settings of a project as a document that can be applied: the project, its flows that have a key,
   * and its integrations without their secrets.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id/export`, with the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `settings_too_large`.
   */
  export(projectId: string, options?: CachedOptions): Call<SettingsExport | undefined>

  /** The unconditional read again, for types that are derived from the method. */
  export(projectId: string, options?: UncachedOptions): Call<SettingsExport>

  /**
   * Creates or changes a project, its flows and its integrations, so that they are as in the document. All changes
   * are made in one transaction, or none. Flows without a key are not changed. A flow or integration that the
   * document does not contain is deleted only with `prune`; the pending deliveries of a deleted flow are canceled.
   * To apply exactly the changes that a dry run has returned, send its `digest` as an entity tag in `If-Match`. A
   * credential that is bound to a project can apply only the settings of that project, and cannot create one.
   *
   * `POST /v1/settings/apply`, with the scope `settings:write`.
   *
   * @param body The settings of a project as a document.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `project_name_taken`, `key_taken`, `encryption_not_configured`, `settings_too_large`, `etag_mismatch`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  apply(body: SettingsApply, options?: ConditionalOptions & IdempotentOptions): Call<SettingsApplied>
}

/** The operations on notifications. */
export interface NotificationsOperations {
  /**
   * Renders the message for each triggered flow and stores the notification with its deliveries in one
   * transaction. After a 202 response, Flowpost delivers the message even if the server is killed a moment later.
   * With a test key, the messages are captured instead of delivered, and addresses such as `bounce@flowpost.test`
   * simulate the outcomes of a provider.
   *
   * `POST /v1/notifications`, with the scope `notifications:send`.
   *
   * @param body A message to send, and the flows through which to send it.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `no_active_flows`, `flow_inactive`, `integration_missing`, `override_not_allowed`, `target_unroutable`,
   * `too_many_deliveries`, `content_too_long`, `queue_full`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  send(body: NotificationSend, options?: IdempotentOptions): SendCall<Notification, NotificationWithAttempts>

  /**
   * Returns the notifications of the user, newest first, with their deliveries and attempts. All filters must
   * match; `flow_id`, `target`, `source_type`, `failure_kind` and `failure_code` must match the same delivery. A
   * page can hold fewer than `limit` notifications, because it holds at most 2,000 deliveries and attempts in
   * total. With several filters or `source_type`, a page can even be empty and have a `next_cursor`, because a
   * request examines a limited number of notifications.
   *
   * `GET /v1/notifications`, with the scope `notifications:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(params?: NotificationListParams, options?: CallOptions): Page<NotificationWithAttempts>

  /**
   * Returns one notification with its deliveries and their attempts. A credential can have up to 100 requests with
   * `wait` open at the same time; any further request with `wait` returns 429 `rate_limited`. If the credential is
   * revoked or expires during the wait, the response is 401.
   *
   * `GET /v1/notifications/:notification_id`, with the scope `notifications:read`.
   *
   * @param notificationId The id of the notification.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(notificationId: string, params?: NotificationGetParams, options?: CallOptions): Call<NotificationWithAttempts>

  /**
   * Returns all deliveries of a notification with their attempts, newest first. A page can hold fewer than `limit`
   * deliveries, because it holds at most 2,000 deliveries and attempts in total.
   *
   * `GET /v1/notifications/:notification_id/deliveries`, with the scope `notifications:read`.
   *
   * @param notificationId The id of the notification.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  deliveries(notificationId: string, params?: NotificationDeliveriesParams, options?: CallOptions): Page<DeliveryWithAttempts>

  /**
   * Returns for each flow whether the notification would trigger it, and with which message. Sends and stores
   * nothing.
   *
   * `POST /v1/notifications/preview`, with the scope `notifications:send`.
   *
   * @param body A message to send, and the flows through which to send it.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `no_active_flows`, `flow_inactive`, `integration_missing`, `override_not_allowed`, `target_unroutable`,
   * `too_many_deliveries`, `content_too_long`.
   */
  preview(body: NotificationSend, options?: CallOptions): Call<NotificationPreview>

  /**
   * Queues a notification's failed and ambiguous deliveries again. Other deliveries stay as they are. A test key
   * cannot retry a notification that was sent with a live key (403 `scope_missing`).
   *
   * `POST /v1/notifications/:notification_id/retry`, with the scope `notifications:send`.
   *
   * @param notificationId The id of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `not_retryable`, `queue_full`, `idempotency_in_progress`,
   * `idempotency_key_reused`.
   */
  retry(notificationId: string, options?: IdempotentOptions): Call<Notification>

  /**
   * Cancels the deliveries of a notification that are queued or waiting for a retry. Has no effect if there are
   * none.
   *
   * `POST /v1/notifications/:notification_id/cancel`, with the scope `notifications:send`.
   *
   * @param notificationId The id of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  cancel(notificationId: string, options?: IdempotentOptions): Call<Notification>
}

/** Every operation of Flowpost, grouped by resource. */
export interface Operations {
  /** The operations on projects. */
  readonly projects: ProjectsOperations

  /** The operations on flows. */
  readonly flows: FlowsOperations

  /** The operations on integrations. */
  readonly integrations: IntegrationsOperations

  /** The operations on providers. */
  readonly providers: ProvidersOperations

  /** The operations on API keys. */
  readonly apiKeys: ApiKeysOperations

  /** The operations on settings. */
  readonly settings: SettingsOperations

  /** The operations on notifications. */
  readonly notifications: NotificationsOperations
}

/** The problem codes that each operation declares. */
export interface OperationProblems {
  'projects.create':
    | 'body_too_large'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'internal'
    | 'invalid_json'
    | 'key_taken'
    | 'malformed_header'
    | 'project_name_taken'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'projects.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'projects.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'projects.update':
    | 'body_too_large'
    | 'etag_mismatch'
    | 'internal'
    | 'invalid_json'
    | 'key_taken'
    | 'malformed_header'
    | 'not_found'
    | 'project_name_taken'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'projects.delete':
    | 'etag_mismatch'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'flows.create':
    | 'body_too_large'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'internal'
    | 'invalid_json'
    | 'key_taken'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'flows.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'flows.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'flows.update':
    | 'body_too_large'
    | 'etag_mismatch'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'flows.patch':
    | 'body_too_large'
    | 'etag_mismatch'
    | 'internal'
    | 'invalid_json'
    | 'key_taken'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'flows.delete':
    | 'etag_mismatch'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'flows.check':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'integrations.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'integrations.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'integrations.put':
    | 'body_too_large'
    | 'encryption_not_configured'
    | 'etag_mismatch'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'integrations.delete':
    | 'etag_mismatch'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'providers.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'apiKeys.create':
    | 'body_too_large'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'idempotency_not_replayable'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'apiKeys.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'apiKeys.delete':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'settings.export':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'settings_too_large'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'settings.apply':
    | 'body_too_large'
    | 'encryption_not_configured'
    | 'etag_mismatch'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'internal'
    | 'invalid_json'
    | 'key_taken'
    | 'malformed_header'
    | 'not_found'
    | 'project_name_taken'
    | 'rate_limited'
    | 'scope_missing'
    | 'settings_too_large'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'notifications.send':
    | 'body_too_large'
    | 'content_too_long'
    | 'flow_inactive'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'integration_missing'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'no_active_flows'
    | 'not_found'
    | 'override_not_allowed'
    | 'queue_full'
    | 'rate_limited'
    | 'scope_missing'
    | 'target_unroutable'
    | 'too_many_deliveries'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'notifications.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'notifications.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'notifications.deliveries':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'notifications.preview':
    | 'body_too_large'
    | 'content_too_long'
    | 'flow_inactive'
    | 'integration_missing'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'no_active_flows'
    | 'not_found'
    | 'override_not_allowed'
    | 'rate_limited'
    | 'scope_missing'
    | 'target_unroutable'
    | 'too_many_deliveries'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'notifications.retry':
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'not_retryable'
    | 'queue_full'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'notifications.cancel':
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
}
