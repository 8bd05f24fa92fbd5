// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { CachedOptions, CallOptions, ConditionalOptions, IdempotentOptions } from '../options.ts'
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
} from './types.ts'

/** The operations on projects. */
export interface ProjectsOperations {
  /**
   * Makes an empty project. A user can have any number of projects; their names are unique for that user.
   *
   * `POST /v1/settings/projects`, with the scope `settings:write`.
   *
   * @param body The fields of a new project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`,
   * `project_name_taken`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: ProjectCreate, options?: IdempotentOptions): Call<Project>

  /**
   * Lists the projects of the user, oldest first.
   *
   * `GET /v1/settings/projects`, with the scope `settings:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ProjectListParams, options?: CallOptions): Page<Project>

  /**
   * Reads one project.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, options: CachedOptions): Call<Project | undefined>

  /**
   * Reads one project.
   *
   * `GET /v1/settings/projects/:project_id`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, options?: CallOptions): Call<Project>

  /**
   * Renames a project. With `If-Match` only when nobody has changed it meanwhile.
   *
   * Given a function, it reads the resource, sends what the function returns only if nobody changed it meanwhile,
   * and starts again if somebody did.
   *
   * `PUT /v1/settings/projects/:project_id`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param body All fields of a project that can be changed. Or a function that makes them of the current state.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `project_name_taken`, `etag_mismatch`.
   */
  update(
    projectId: string,
    body: ProjectUpdate | ((current: Project & ProjectUpdate) => ProjectUpdate | Promise<ProjectUpdate>),
    options?: ConditionalOptions,
  ): Call<Project>

  /**
   * Deletes a project with its flows. What is still queued for it is canceled, not sent; its delivery log stays
   * readable until retention ends.
   *
   * `DELETE /v1/settings/projects/:project_id`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, options?: ConditionalOptions): Call<void>
}

/** The operations on flows. */
export interface FlowsOperations {
  /**
   * Adds a flow to a project. The target is checked for the form that its provider wants; nothing is sent.
   *
   * `POST /v1/settings/projects/:project_id/flows`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param body The fields of a new flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(projectId: string, body: FlowCreate, options?: IdempotentOptions): Call<Flow>

  /**
   * Lists the flows of a project, oldest first.
   *
   * `GET /v1/settings/projects/:project_id/flows`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: FlowListParams, options?: CallOptions): Page<Flow>

  /**
   * Reads one flow.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @param flowId The identifier of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, flowId: string, options: CachedOptions): Call<Flow | undefined>

  /**
   * Reads one flow.
   *
   * `GET /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @param flowId The identifier of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, flowId: string, options?: CallOptions): Call<Flow>

  /**
   * Replaces all seven fields. What is queued already is sent as it was accepted.
   *
   * Given a function, it reads the resource, sends what the function returns only if nobody changed it meanwhile,
   * and starts again if somebody did.
   *
   * `PUT /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param flowId The identifier of the flow.
   * @param body All seven fields of a flow, so that a forgotten `active` cannot wake a paused flow. Or a function
   * that makes them of the current state.
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
   * Changes the given fields and leaves the others.
   *
   * `PATCH /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param flowId The identifier of the flow.
   * @param body The fields of a flow to change.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `etag_mismatch`.
   */
  patch(projectId: string, flowId: string, body: FlowPatch, options?: ConditionalOptions): Call<Flow>

  /**
   * Deletes a flow and cancels what is queued or waiting to be retried for it.
   *
   * `DELETE /v1/settings/projects/:project_id/flows/:flow_id`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param flowId The identifier of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, flowId: string, options?: ConditionalOptions): Call<void>

  /**
   * Asks the provider whether the credential works and the target can be reached, and notes the result as the
   * health of the flow. Sends nothing.
   *
   * `POST /v1/settings/projects/:project_id/flows/:flow_id/check`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param flowId The identifier of the flow.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  check(projectId: string, flowId: string, options?: CallOptions): Call<FlowCheck>
}

/** The operations on integrations. */
export interface IntegrationsOperations {
  /**
   * Lists a project's own credentials, oldest first. Secrets are not shown.
   *
   * `GET /v1/settings/projects/:project_id/integrations`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: IntegrationListParams, options?: CallOptions): Page<Integration>

  /**
   * Reads a project's own credentials for a provider. Secrets are not shown.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * `GET /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @param sourceType The provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, sourceType: string, options: CachedOptions): Call<Integration | undefined>

  /**
   * Reads a project's own credentials for a provider. Secrets are not shown.
   *
   * `GET /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:read`.
   *
   * @param projectId The identifier of the project.
   * @param sourceType The provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, sourceType: string, options?: CallOptions): Call<Integration>

  /**
   * Sets a project's own credentials for a provider, or makes them. All settings are replaced; a secret that is
   * left out is kept, `null` removes it. When a setting changes that decides where secrets are sent, such as the
   * host, a secret that is left out is 422 `required`.
   *
   * `PUT /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param sourceType The provider.
   * @param body A project's own credentials for a provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `etag_mismatch`, `encryption_not_configured`.
   */
  put(projectId: string, sourceType: string, body: IntegrationPut, options?: ConditionalOptions): Call<Integration>

  /**
   * Deletes a project's own credentials for a provider, and stops sending with them.
   *
   * `DELETE /v1/settings/projects/:project_id/integrations/:source_type`, with the scope `settings:write`.
   *
   * @param projectId The identifier of the project.
   * @param sourceType The provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, sourceType: string, options?: ConditionalOptions): Call<void>
}

/** The operations on providers. */
export interface ProvidersOperations {
  /**
   * Lists the delivery providers that this deployment serves, with the schemas of their settings and secrets.
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
   * Makes a key with at most the scopes, project and expiry of the credential that makes it, and returns its
   * secret once. It is revoked with that credential.
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
   * Lists the keys of the user that are not revoked, oldest first.
   *
   * `GET /v1/settings/api-keys`, with the scope `settings:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ApiKeyListParams, options?: CallOptions): Page<ApiKey>

  /**
   * Revokes a key and those created with it, at once. A key may revoke itself, those created with it, and keys of
   * its user that have no scope which it lacks and do not last longer; others are 403 `scope_missing`, and so is a
   * key of the environment (`FLOWPOST_BOOTSTRAP_KEYS`).
   *
   * `DELETE /v1/settings/api-keys/:key_id`, with the scope `keys:write`.
   *
   * @param keyId The identifier of the key.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  delete(keyId: string, options?: CallOptions): Call<void>
}

/** The operations on notifications. */
export interface NotificationsOperations {
  /**
   * Renders the message for each flow that it triggers and stores everything in one transaction. What was accepted
   * is delivered even when the server is killed right after the answer.
   *
   * `POST /v1/notifications`, with the scope `notifications:send`.
   *
   * @param body The message to send and where to.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `no_active_flows`, `flow_inactive`, `integration_missing`, `override_not_allowed`, `target_unroutable`,
   * `too_many_deliveries`, `content_too_long`, `queue_full`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  send(body: NotificationSend, options?: IdempotentOptions): SendCall<Notification, NotificationWithAttempts>

  /**
   * Lists the notifications of the user, newest first, with their deliveries and attempts. A page may hold fewer
   * than `limit`: it ends before it would embed more than 2,000 deliveries and attempts.
   *
   * `GET /v1/notifications`, with the scope `notifications:read`.
   *
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(params?: NotificationListParams, options?: CallOptions): Page<NotificationWithAttempts>

  /**
   * Reads one notification with its deliveries and their attempts. A credential may have 100 requests with `wait`
   * open at once; one more is answered with 429 `rate_limited`. A credential that is revoked or expires during the
   * wait gets 401.
   *
   * `GET /v1/notifications/:notification_id`, with the scope `notifications:read`.
   *
   * @param notificationId The identifier of the notification.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(notificationId: string, params?: NotificationGetParams, options?: CallOptions): Call<NotificationWithAttempts>

  /**
   * Lists all deliveries of a notification with their attempts, newest first. A page may hold fewer than `limit`:
   * it ends before it would hold more than 2,000 deliveries and attempts.
   *
   * `GET /v1/notifications/:notification_id/deliveries`, with the scope `notifications:read`.
   *
   * @param notificationId The identifier of the notification.
   * @param params The query.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  deliveries(notificationId: string, params?: NotificationDeliveriesParams, options?: CallOptions): Page<DeliveryWithAttempts>

  /**
   * Explains for every flow whether a notification would trigger it, and shows the rendered message. Sends and
   * stores nothing.
   *
   * `POST /v1/notifications/preview`, with the scope `notifications:send`.
   *
   * @param body The message to send and where to.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `no_active_flows`, `flow_inactive`, `integration_missing`, `override_not_allowed`, `target_unroutable`,
   * `too_many_deliveries`, `content_too_long`.
   */
  preview(body: NotificationSend, options?: CallOptions): Call<NotificationPreview>

  /**
   * Queues its failed and ambiguous deliveries again, and no others.
   *
   * `POST /v1/notifications/:notification_id/retry`, with the scope `notifications:send`.
   *
   * @param notificationId The identifier of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `not_retryable`, `queue_full`, `idempotency_in_progress`,
   * `idempotency_key_reused`.
   */
  retry(notificationId: string, options?: IdempotentOptions): Call<Notification>

  /**
   * Cancels what is queued or waiting to be retried. With nothing to cancel it changes nothing.
   *
   * `POST /v1/notifications/:notification_id/cancel`, with the scope `notifications:send`.
   *
   * @param notificationId The identifier of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  cancel(notificationId: string, options?: IdempotentOptions): Call<Notification>
}

/** Every operation of Flowpost, by what it works on. */
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
