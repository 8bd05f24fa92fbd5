// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { CachedOptions, CallOptions, ConditionalOptions, DryRun, IdempotentOptions, NoDryRun, UncachedOptions } from '../options.ts'
import type { Call, Page, SendCall } from '../results.ts'
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
} from './types.ts'

/** The operations on projects. */
export interface ProjectsOperations {
  /**
   * Creates a project without flows. A user can have any number of projects, each with a different name.
   *
   * Calls `POST /v1/settings/projects`. Requires the scope `settings:write`.
   *
   * @param body The fields of a new project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`,
   * `project_name_taken`, `key_taken`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: ProjectCreate, options?: IdempotentOptions): Call<Project>

  /**
   * Returns the user's projects, oldest first.
   *
   * Calls `GET /v1/settings/projects`. Requires the scope `settings:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ProjectListParams, options?: CallOptions): Page<Project>

  /**
   * Returns one project.
   *
   * Calls `GET /v1/settings/projects/:project_id`. Requires the scope `settings:read`.
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
   * Calls `GET /v1/settings/projects/:project_id`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, options?: CachedOptions): Call<Project | undefined>

  /** Repeats the first overload, because types such as `ReturnType<...>` use only the last one. */
  get(projectId: string, options?: UncachedOptions): Call<Project>

  /**
   * Renames a project, and changes its key if the body contains `key`. To apply the change only if the project has
   * not changed since you read it, send its `ETag` in `If-Match`.
   *
   * If the body is a function, the call reads the resource, passes it to the function, and writes the result. If
   * the resource changes in between, the call starts over.
   *
   * Calls `PUT /v1/settings/projects/:project_id`. Requires the scope `settings:write`.
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
   * Calls `DELETE /v1/settings/projects/:project_id`. Requires the scope `settings:write`.
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
   * Calls `POST /v1/settings/projects/:project_id/flows`. Requires the scope `settings:write`.
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
   * Calls `GET /v1/settings/projects/:project_id/flows`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: FlowListParams, options?: CallOptions): Page<Flow>

  /**
   * Returns one flow. With `at`, returns the flow as it was at that moment, even if it has since been deleted. The
   * health of a flow is not recorded, so its past status is always `unknown`.
   *
   * Calls `GET /v1/settings/projects/:project_id/flows/:flow_id`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, flowId: string, params?: FlowGetParams, options?: UncachedOptions): Call<Flow>

  /**
   * Returns one flow. With `at`, returns the flow as it was at that moment, even if it has since been deleted. The
   * health of a flow is not recorded, so its past status is always `unknown`.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * Calls `GET /v1/settings/projects/:project_id/flows/:flow_id`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, flowId: string, params?: FlowGetParams, options?: CachedOptions): Call<Flow | undefined>

  /** Repeats the first overload, because types such as `ReturnType<...>` use only the last one. */
  get(projectId: string, flowId: string, params?: FlowGetParams, options?: UncachedOptions): Call<Flow>

  /**
   * Replaces all changeable fields of a flow except its key, which stays as it is. Messages that are already
   * queued keep their target and content.
   *
   * If the body is a function, the call reads the resource, passes it to the function, and writes the result. If
   * the resource changes in between, the call starts over.
   *
   * Calls `PUT /v1/settings/projects/:project_id/flows/:flow_id`. Requires the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param flowId The id of the flow.
   * @param body All changeable fields of a flow except its key, which stays as it is. Every field is required: if
   * `active` had a default, omitting it could reactivate an inactive flow. Alternatively, a function that receives
   * the current resource and returns the body.
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
   * Calls `PATCH /v1/settings/projects/:project_id/flows/:flow_id`. Requires the scope `settings:write`.
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
   * Calls `DELETE /v1/settings/projects/:project_id/flows/:flow_id`. Requires the scope `settings:write`.
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
   * Calls `POST /v1/settings/projects/:project_id/flows/:flow_id/check`. Requires the scope `settings:write`.
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
   * Returns the integrations of a project, oldest first, without secret values.
   *
   * Calls `GET /v1/settings/projects/:project_id/integrations`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: IntegrationListParams, options?: CallOptions): Page<Integration>

  /**
   * Returns one integration of a project, without secret values.
   *
   * Calls `GET /v1/settings/projects/:project_id/integrations/:source_type`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, sourceType: string, options?: UncachedOptions): Call<Integration>

  /**
   * Returns one integration of a project, without secret values.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * Calls `GET /v1/settings/projects/:project_id/integrations/:source_type`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, sourceType: string, options?: CachedOptions): Call<Integration | undefined>

  /** Repeats the first overload, because types such as `ReturnType<...>` use only the last one. */
  get(projectId: string, sourceType: string, options?: UncachedOptions): Call<Integration>

  /**
   * Creates an integration or replaces its settings. An omitted secret keeps its value; `null` removes it. A
   * request that changes where secrets are sent, for example the host, must provide every stored secret again, or
   * remove it. Otherwise, the response is 422 with the field code `required`.
   *
   * Calls `PUT /v1/settings/projects/:project_id/integrations/:source_type`. Requires the scope `settings:write`.
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
   * Deletes an integration with its settings and secrets. Pending deliveries do not fall back to the deployment's
   * credentials.
   *
   * Calls `DELETE /v1/settings/projects/:project_id/integrations/:source_type`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, sourceType: string, options?: ConditionalOptions): Call<void>

  /**
   * Creates an address at which Flowpost receives the provider's reports, such as bounces. The address is returned
   * only once. The previous address stays valid for 24 hours, so that the provider can be switched to the new one
   * without a gap. A second rotation within that time invalidates the oldest address at once. To revoke an
   * address, rotate it twice. If the provider sends no reports, the response is 409 `inbound_not_supported`.
   *
   * Calls `POST /v1/settings/projects/:project_id/integrations/:source_type/rotate-inbound`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param sourceType The delivery provider.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `inbound_not_supported`, `idempotency_not_replayable`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  rotateInbound(projectId: string, sourceType: string, options?: IdempotentOptions): Call<InboundAddress>
}

/** The operations on providers. */
export interface ProvidersOperations {
  /**
   * Returns the delivery providers that the deployment has registered, with the JSON Schemas of their settings and
   * secrets.
   *
   * Calls `GET /v1/settings/providers`. Requires the scope `settings:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ProviderListParams, options?: CallOptions): Page<Provider>
}

/** The operations on suppressions. */
export interface SuppressionsOperations {
  /**
   * Adds a recipient to the suppression list of a project. From then on, each delivery to the recipient is
   * `failed` with the failure code `suppressed`, and nothing is sent. This includes deliveries that are already
   * queued or waiting for a retry, but not an attempt in progress. If the recipient is already suppressed, nothing
   * changes and the response is 200 with the existing suppression.
   *
   * Calls `POST /v1/settings/projects/:project_id/suppressions`. Requires the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param body The recipient to suppress.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(projectId: string, body: SuppressionCreate, options?: IdempotentOptions): Call<Suppression>

  /**
   * Returns the suppression list of a project, oldest first.
   *
   * Calls `GET /v1/settings/projects/:project_id/suppressions`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: SuppressionListParams, options?: CallOptions): Page<Suppression>

  /**
   * Removes a recipient from the suppression list. Deliveries that failed because of the suppression can be
   * retried.
   *
   * Calls `DELETE /v1/settings/projects/:project_id/suppressions/:suppression_id`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param suppressionId The id of the suppression.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  delete(projectId: string, suppressionId: string, options?: CallOptions): Call<void>
}

/** The operations on API keys. */
export interface ApiKeysOperations {
  /**
   * Creates a key and returns its secret once. The key cannot have more scopes, cover more projects or expire
   * later than the credential that creates it, and a test key cannot create a live one. Revoking that credential
   * revokes the key too.
   *
   * Calls `POST /v1/settings/api-keys`. Requires the scope `keys:write`.
   *
   * @param body The fields of a new API key.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_not_replayable`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: ApiKeyCreate, options?: IdempotentOptions): Call<ApiKeyCreated>

  /**
   * Returns the user's API keys that have not been revoked, oldest first.
   *
   * Calls `GET /v1/settings/api-keys`. Requires the scope `settings:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: ApiKeyListParams, options?: CallOptions): Page<ApiKey>

  /**
   * Immediately revokes a key and all keys that were created with it. A key can revoke itself and the keys that
   * were created with it. To revoke any other key of the user, a key must have all scopes of the other key and
   * must not expire before it. A test key can revoke only test keys. If these rules do not allow the revocation,
   * the server returns 403 `scope_missing`. It also returns this error for a key from the environment
   * (`FLOWPOST_BOOTSTRAP_KEYS`), which the API cannot revoke.
   *
   * Calls `DELETE /v1/settings/api-keys/:key_id`. Requires the scope `keys:write`.
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
   * Returns a project's settings as a document that can be applied. The document contains the project, its
   * integrations, and each flow and event endpoint that has a key. It contains no secrets.
   *
   * Calls `GET /v1/settings/projects/:project_id/export`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `settings_too_large`.
   */
  export(projectId: string, options?: UncachedOptions): Call<SettingsExport>

  /**
   * Returns a project's settings as a document that can be applied. The document contains the project, its
   * integrations, and each flow and event endpoint that has a key. It contains no secrets.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * Calls `GET /v1/settings/projects/:project_id/export`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `settings_too_large`.
   */
  export(projectId: string, options?: CachedOptions): Call<SettingsExport | undefined>

  /** Repeats the first overload, because types such as `ReturnType<...>` use only the last one. */
  export(projectId: string, options?: UncachedOptions): Call<SettingsExport>

  /**
   * Creates or changes a project, its flows, its integrations and its event endpoints, so that they match the
   * document. All changes are made in one transaction. Flows and event endpoints without a key are not changed.
   * The response contains the signing secret of each created event endpoint. The secret is shown only once. A
   * flow, integration or event endpoint that the document does not contain is deleted only with `prune`; the
   * pending deliveries of a deleted flow are canceled. To apply exactly the changes that a dry run returned, send
   * its `digest` as an entity tag in `If-Match`. With `consequences`, a dry run also returns the effects that the
   * changes would have had on past notifications. A credential that is bound to a project can apply only the
   * settings of that project, and cannot create a project.
   *
   * Calls `POST /v1/settings/apply`. Requires the scope `settings:write`.
   *
   * @param body A project's settings as a document.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `project_name_taken`, `key_taken`, `too_many_event_endpoints`, `encryption_not_configured`,
   * `settings_too_large`, `etag_mismatch`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  apply(body: SettingsApply, options?: ConditionalOptions & IdempotentOptions): Call<SettingsApplied>

  /**
   * Lists the changes to projects, flows, integrations and event endpoints, newest first. A change and its history
   * entry are stored in the same transaction. A request that changes nothing is not recorded. Entries are kept for
   * 400 days by default, even after their project is deleted. Erased addresses are replaced with `erased:`
   * followed by a digest.
   *
   * Calls `GET /v1/settings/history`. Requires the scope `settings:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  history(params?: SettingHistoryParams, options?: CallOptions): Page<SettingsHistoryEntry>
}

/** The operations on notifications. */
export interface NotificationsOperations {
  /**
   * Renders the message for each triggered flow and stores the notification with its deliveries in one
   * transaction. After a 202 response, Flowpost delivers the message even if the server is killed a moment later.
   * With a test key, the messages are captured instead of delivered, and addresses such as `bounce@flowpost.test`
   * simulate the outcomes of a provider.
   *
   * Calls `POST /v1/notifications`. Requires the scope `notifications:send`.
   *
   * @param body A message to send, and the flows through which to send it.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `no_active_flows`, `flow_inactive`, `integration_missing`, `override_not_allowed`, `target_unroutable`,
   * `too_many_deliveries`, `content_too_long`, `queue_full`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  send(body: NotificationSend, options?: IdempotentOptions): SendCall<Notification, NotificationWithAttempts>

  /**
   * Sends 1 to 500 notifications. Each is processed as if it were sent alone: an invalid notification is rejected
   * with the problem that a single send would return, and does not affect the others. Each notification counts
   * toward the rate limit, except those whose response is replayed. Notifications beyond the limit are rejected
   * with 429 `rate_limited`. A batch is not one transaction: after a failure, some notifications can be stored and
   * others not. To repeat a batch safely, set an `Idempotency-Key` for the batch or an `idempotency_key` for each
   * notification. If no notification was accepted and at least one failed with 503 `unavailable`, the response to
   * the whole batch is that 503. Retry a notification with a result of 429 or 503 after the time in `Retry-After`.
   * The body has the same size limit as a single send, 1 MiB by default.
   *
   * Calls `POST /v1/notifications/batch`. Requires the scope `notifications:send`.
   *
   * @param body The notifications of a batch.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`,
   * `idempotency_key_reused`.
   */
  sendBatch(body: NotificationBatch, options?: IdempotentOptions): Call<NotificationBatchResult>

  /**
   * Returns the user's notifications, newest first, with their deliveries and attempts. All filters must match;
   * `flow_id`, `target`, `source_type`, `failure_kind` and `failure_code` must match the same delivery. A page can
   * hold fewer than `limit` notifications, because it holds at most 2,000 deliveries and attempts in total. With
   * several filters, or with `source_type`, a page can even be empty although more pages follow (`next_cursor` is
   * not `null`), because a request examines a limited number of notifications.
   *
   * Calls `GET /v1/notifications`. Requires the scope `notifications:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(params?: NotificationListParams, options?: CallOptions): Page<NotificationWithAttempts>

  /**
   * Returns one notification with its deliveries and their attempts. In each server process, an API key and the
   * keys created with it can together have up to 100 requests with `wait` open at the same time, across all
   * operations. The same limit applies to each user of an OIDC issuer. Any additional request with `wait` returns
   * 429 `rate_limited`. If the credential is revoked or expires during the wait, the response is 401.
   *
   * Calls `GET /v1/notifications/:notification_id`. Requires the scope `notifications:read`.
   *
   * @param notificationId The id of the notification.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(notificationId: string, params?: NotificationGetParams, options?: CallOptions): Call<NotificationWithAttempts>

  /**
   * Returns all deliveries of a notification with their attempts, newest first. A page can hold fewer than `limit`
   * deliveries, because it holds at most 2,000 deliveries and attempts in total.
   *
   * Calls `GET /v1/notifications/:notification_id/deliveries`. Requires the scope `notifications:read`.
   *
   * @param notificationId The id of the notification.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  deliveries(notificationId: string, params?: NotificationDeliveriesParams, options?: CallOptions): Page<DeliveryWithAttempts>

  /**
   * Explains why a notification triggered some flows and not others. The response covers every flow that the
   * project had when the notification was accepted. If the reasons cannot be determined, the response says so
   * instead of guessing.
   *
   * Calls `GET /v1/notifications/:notification_id/explanation`. Requires the scope `notifications:read`.
   *
   * @param notificationId The id of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  explanation(notificationId: string, options?: CallOptions): Call<NotificationExplanation>

  /**
   * Returns, for each flow, whether the notification would trigger it, and with which message. Sends and stores
   * nothing.
   *
   * Calls `POST /v1/notifications/preview`. Requires the scope `notifications:send`.
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
   * Calls `POST /v1/notifications/:notification_id/retry`. Requires the scope `notifications:send`.
   *
   * @param notificationId The id of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `not_retryable`, `queue_full`, `idempotency_in_progress`,
   * `idempotency_key_reused`.
   */
  retry(notificationId: string, options?: IdempotentOptions): Call<Notification>

  /**
   * Cancels a notification's deliveries that are queued or waiting for a retry. Has no effect if there are none.
   *
   * Calls `POST /v1/notifications/:notification_id/cancel`. Requires the scope `notifications:send`.
   *
   * @param notificationId The id of the notification.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  cancel(notificationId: string, options?: IdempotentOptions): Call<Notification>
}

/** The operations on deliveries. */
export interface DeliveriesOperations {
  /**
   * Records a report about a message that the provider has accepted. Use this operation for providers whose
   * reports Flowpost does not receive itself. Recording the same receipt again, or a less serious one than the
   * current receipt, changes nothing. A receipt never changes the status of the delivery. A test key cannot record
   * a receipt for a message that was sent with a live key (403 `scope_missing`).
   *
   * Calls `POST /v1/deliveries/:delivery_id/receipt`. Requires the scope `notifications:send`.
   *
   * @param deliveryId The id of the delivery.
   * @param body A report of what happened to a message after the provider accepted it.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `delivery_not_attempted`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  recordReceipt(deliveryId: string, body: ReceiptCreate, options?: IdempotentOptions): Call<Delivery>
}

/** The operations on bulk actions. */
export interface BulkActionsOperations {
  /**
   * Retries or cancels all of a project's deliveries that match a filter. The action runs in the background. For
   * each delivery, it follows the rules of `POST /v1/notifications/{notification_id}/retry` or `/cancel`. It
   * changes each delivery at most once, and excludes notifications that are accepted after the action is created.
   * New messages have priority over retried ones. The action continues if the credential that created it is
   * revoked. A user can have 10 running actions; creating another returns 429 `rate_limited`. With `dry_run`, the
   * response is 200 with the number of matching deliveries, and nothing changes.
   *
   * Calls `POST /v1/bulk-actions`. Requires the scope `notifications:send`.
   *
   * @param body The fields of a new bulk action.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: BulkActionCreate & DryRun, options?: IdempotentOptions): Call<BulkActionPreview>

  /**
   * Retries or cancels all of a project's deliveries that match a filter. The action runs in the background. For
   * each delivery, it follows the rules of `POST /v1/notifications/{notification_id}/retry` or `/cancel`. It
   * changes each delivery at most once, and excludes notifications that are accepted after the action is created.
   * New messages have priority over retried ones. The action continues if the credential that created it is
   * revoked. A user can have 10 running actions; creating another returns 429 `rate_limited`. With `dry_run`, the
   * response is 200 with the number of matching deliveries, and nothing changes.
   *
   * Calls `POST /v1/bulk-actions`. Requires the scope `notifications:send`.
   *
   * @param body The fields of a new bulk action.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: BulkActionCreate & NoDryRun, options?: IdempotentOptions): Call<BulkAction>

  /**
   * Retries or cancels all of a project's deliveries that match a filter. The action runs in the background. For
   * each delivery, it follows the rules of `POST /v1/notifications/{notification_id}/retry` or `/cancel`. It
   * changes each delivery at most once, and excludes notifications that are accepted after the action is created.
   * New messages have priority over retried ones. The action continues if the credential that created it is
   * revoked. A user can have 10 running actions; creating another returns 429 `rate_limited`. With `dry_run`, the
   * response is 200 with the number of matching deliveries, and nothing changes.
   *
   * Calls `POST /v1/bulk-actions`. Requires the scope `notifications:send`.
   *
   * @param body The fields of a new bulk action.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: BulkActionCreate, options?: IdempotentOptions): Call<BulkActionPreview | BulkAction>

  /**
   * Returns the user's bulk actions, newest first. Completed actions have the same retention period as the
   * delivery log.
   *
   * Calls `GET /v1/bulk-actions`. Requires the scope `notifications:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `invalid_cursor`.
   */
  list(params?: BulkActionListParams, options?: CallOptions): Page<BulkAction>

  /**
   * Returns one bulk action with its progress. In each server process, an API key and the keys created with it can
   * together have up to 100 requests with `wait` open at the same time, across all operations. The same limit
   * applies to each user of an OIDC issuer. Any additional request with `wait` returns 429 `rate_limited`. If the
   * credential is revoked or expires during the wait, the response is 401.
   *
   * Calls `GET /v1/bulk-actions/:action_id`. Requires the scope `notifications:read`.
   *
   * @param actionId The id of the bulk action.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(actionId: string, params?: BulkActionGetParams, options?: CallOptions): Call<BulkAction>

  /**
   * Stops a running bulk action. Deliveries that the action has already retried or canceled stay as they are. To
   * cancel retried deliveries that are still queued, create a `cancel` action. Has no effect on an action that is
   * done or stopped.
   *
   * Calls `POST /v1/bulk-actions/:action_id/stop`. Requires the scope `notifications:send`.
   *
   * @param actionId The id of the bulk action.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  stop(actionId: string, options?: IdempotentOptions): Call<BulkAction>
}

/** The operations on erasures. */
export interface ErasuresOperations {
  /**
   * Removes a recipient from the user's delivery log in the background. The recipient's message bodies, captured
   * messages and provider responses are deleted. The deliveries remain, with `erased:` followed by a digest as the
   * target, so that counts stay correct. Deliveries that are queued or waiting for a retry are canceled, and
   * deliveries that are being sent become `ambiguous`. The address is also replaced in events, stored responses to
   * idempotent requests, messages to other recipients, references, metadata and the settings history. Captured
   * messages that mention the address, and idempotency keys that contain it, are deleted. Settings are not
   * changed. If a flow has the recipient as its default target, change the flow before you request the erasure:
   * changing the flow later would record the address in the settings history again. Messages that are accepted
   * more than a minute after the request are not erased.
   *
   * Calls `POST /v1/erasures`. Requires the scope `settings:write`.
   *
   * @param body The recipient to erase.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(body: ErasureCreate, options?: IdempotentOptions): Call<Erasure>

  /**
   * Returns an erasure with its progress. Erasures are never deleted, because they prove that the data was
   * removed.
   *
   * Calls `GET /v1/erasures/:erasure_id`. Requires the scope `settings:read`.
   *
   * @param erasureId The id of the erasure.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(erasureId: string, options?: CallOptions): Call<Erasure>
}

/** The operations on event endpoints. */
export interface EventEndpointsOperations {
  /**
   * Subscribes to a project's events and returns the signing secret once. From then on, events of the listed types
   * are stored for the endpoint. If the endpoint has a URL, the events are sent to that URL as specified by
   * Standard Webhooks: in order, at least once, and with retries. A project can have up to 20 endpoints.
   *
   * Calls `POST /v1/settings/projects/:project_id/event-endpoints`. Requires the scope `settings:write`.
   *
   * @param projectId The id of the project.
   * @param body The fields of a new event endpoint.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `key_taken`, `too_many_event_endpoints`, `encryption_not_configured`, `idempotency_not_replayable`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  create(projectId: string, body: EventEndpointCreate, options?: IdempotentOptions): Call<EventEndpointWithSecret>

  /**
   * Returns the event endpoints of a project, oldest first, without their secrets.
   *
   * Calls `GET /v1/settings/projects/:project_id/event-endpoints`. Requires the scope `settings:read`.
   *
   * @param projectId The id of the project.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(projectId: string, params?: EventEndpointListParams, options?: CallOptions): Page<EventEndpoint>

  /**
   * Returns one event endpoint, without its secret.
   *
   * Calls `GET /v1/settings/projects/:project_id/event-endpoints/:endpoint_id`. Requires the scope
   * `settings:read`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, endpointId: string, options?: UncachedOptions): Call<EventEndpoint>

  /**
   * Returns one event endpoint, without its secret.
   *
   * Resolves to `undefined` when the resource still has the given entity tag (304).
   *
   * Calls `GET /v1/settings/projects/:project_id/event-endpoints/:endpoint_id`. Requires the scope
   * `settings:read`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`.
   */
  get(projectId: string, endpointId: string, options?: CachedOptions): Call<EventEndpoint | undefined>

  /** Repeats the first overload, because types such as `ReturnType<...>` use only the last one. */
  get(projectId: string, endpointId: string, options?: UncachedOptions): Call<EventEndpoint>

  /**
   * Replaces all changeable fields of an event endpoint. An omitted `key` stays as it is. If the endpoint was
   * disabled or failing, sending resumes at once with the event at which it stopped. If `url` was `null` before,
   * only events that occur after the update are sent.
   *
   * If the body is a function, the call reads the resource, passes it to the function, and writes the result. If
   * the resource changes in between, the call starts over.
   *
   * Calls `PUT /v1/settings/projects/:project_id/event-endpoints/:endpoint_id`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @param body All changeable fields of an event endpoint. Every field except `key` is required. An omitted `key`
   * stays as it is. Alternatively, a function that receives the current resource and returns the body.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `key_taken`, `etag_mismatch`.
   */
  update(
    projectId: string,
    endpointId: string,
    body: EventEndpointUpdate | ((current: EventEndpoint & EventEndpointUpdate) => EventEndpointUpdate | Promise<EventEndpointUpdate>),
    options?: ConditionalOptions,
  ): Call<EventEndpoint>

  /**
   * Deletes an event endpoint with its secret and its attempts. Stored events remain in the feed.
   *
   * Calls `DELETE /v1/settings/projects/:project_id/event-endpoints/:endpoint_id`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `etag_mismatch`.
   */
  delete(projectId: string, endpointId: string, options?: ConditionalOptions): Call<void>

  /**
   * Creates a new signing secret and returns it once. For 24 hours, requests are signed with both the new and the
   * previous secret, so receivers can switch without a gap. A second rotation within that time invalidates the
   * oldest secret at once. If sending failed because the server could not decrypt the previous secret, sending
   * resumes.
   *
   * Calls `POST /v1/settings/projects/:project_id/event-endpoints/:endpoint_id/rotate-secret`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `encryption_not_configured`, `idempotency_not_replayable`,
   * `idempotency_in_progress`, `idempotency_key_reused`.
   */
  rotateSecret(projectId: string, endpointId: string, options?: IdempotentOptions): Call<EventEndpointWithSecret>

  /**
   * Sends a `test.ping` event to the endpoint, without retries, and returns the outcome. Also works for inactive
   * and disabled endpoints, and does not change the endpoint's health.
   *
   * Calls `POST /v1/settings/projects/:project_id/event-endpoints/:endpoint_id/test`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `event_endpoint_without_url`, `idempotency_in_progress`,
   * `idempotency_key_reused`.
   */
  test(projectId: string, endpointId: string, options?: IdempotentOptions): Call<EventAttempt>

  /**
   * Returns the latest 100 requests to the endpoint, newest first.
   *
   * Calls `GET /v1/settings/projects/:project_id/event-endpoints/:endpoint_id/attempts`. Requires the scope
   * `settings:read`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  attempts(projectId: string, endpointId: string, params?: EventEndpointAttemptsParams, options?: CallOptions): Page<EventAttempt>

  /**
   * Resumes sending after the given event, which must still exist. Later events are sent again with their original
   * ids, even if they were already delivered. Also re-enables a disabled endpoint.
   *
   * Calls `POST /v1/settings/projects/:project_id/event-endpoints/:endpoint_id/replay`. Requires the scope
   * `settings:write`.
   *
   * @param projectId The id of the project.
   * @param endpointId The id of the event endpoint.
   * @param body The event after which to resume sending.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `invalid_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`, `not_found`,
   * `event_endpoint_without_url`, `idempotency_in_progress`, `idempotency_key_reused`.
   */
  replay(projectId: string, endpointId: string, body: EventReplay, options?: IdempotentOptions): Call<EventEndpoint>
}

/** The operations on events. */
export interface EventsOperations {
  /**
   * Returns the user's stored events, oldest first. An event is stored only if its project has an active event
   * endpoint that lists the event's type. An event endpoint whose `url` is `null` is enough. Events are stored for
   * 7 days by default. A client that follows `cursor` receives every stored event exactly once. In each server
   * process, an API key and the keys created with it can together have up to 100 requests with `wait` open at the
   * same time, across all operations. The same limit applies to each user of an OIDC issuer. Any additional
   * request with `wait` returns 429 `rate_limited`.
   *
   * Calls `GET /v1/events`. Requires the scope `notifications:read`.
   *
   * @param params The query parameters.
   * @throws {FlowpostError} `malformed_header`, `unauthenticated`, `scope_missing`, `rate_limited`, `internal`,
   * `unavailable`, `validation_failed`, `not_found`, `invalid_cursor`.
   */
  list(params?: EventListParams, options?: CallOptions): Call<EventFeed>
}

/** All Flowpost operations, grouped by resource. */
export interface Operations {
  /** The operations on projects. */
  readonly projects: ProjectsOperations

  /** The operations on flows. */
  readonly flows: FlowsOperations

  /** The operations on integrations. */
  readonly integrations: IntegrationsOperations

  /** The operations on providers. */
  readonly providers: ProvidersOperations

  /** The operations on suppressions. */
  readonly suppressions: SuppressionsOperations

  /** The operations on API keys. */
  readonly apiKeys: ApiKeysOperations

  /** The operations on settings. */
  readonly settings: SettingsOperations

  /** The operations on notifications. */
  readonly notifications: NotificationsOperations

  /** The operations on deliveries. */
  readonly deliveries: DeliveriesOperations

  /** The operations on bulk actions. */
  readonly bulkActions: BulkActionsOperations

  /** The operations on erasures. */
  readonly erasures: ErasuresOperations

  /** The operations on event endpoints. */
  readonly eventEndpoints: EventEndpointsOperations

  /** The operations on events. */
  readonly events: EventsOperations
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
  'integrations.rotateInbound':
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'idempotency_not_replayable'
    | 'inbound_not_supported'
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
  'suppressions.create':
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
  'suppressions.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'suppressions.delete':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
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
    | 'too_many_event_endpoints'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'settings.history':
    | 'internal'
    | 'invalid_cursor'
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
  'notifications.sendBatch':
    | 'body_too_large'
    | 'idempotency_key_reused'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'rate_limited'
    | 'scope_missing'
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
  'notifications.explanation':
    | 'internal'
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
  'deliveries.recordReceipt':
    | 'body_too_large'
    | 'delivery_not_attempted'
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
  'bulkActions.create':
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
  'bulkActions.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'bulkActions.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'bulkActions.stop':
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
  'erasures.create':
    | 'body_too_large'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'internal'
    | 'invalid_json'
    | 'malformed_header'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'erasures.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'eventEndpoints.create':
    | 'body_too_large'
    | 'encryption_not_configured'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'idempotency_not_replayable'
    | 'internal'
    | 'invalid_json'
    | 'key_taken'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'too_many_event_endpoints'
    | 'unauthenticated'
    | 'unavailable'
    | 'unsupported_media_type'
    | 'validation_failed'
  'eventEndpoints.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'eventEndpoints.get':
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'eventEndpoints.update':
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
  'eventEndpoints.delete':
    | 'etag_mismatch'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'eventEndpoints.rotateSecret':
    | 'encryption_not_configured'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'idempotency_not_replayable'
    | 'internal'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'eventEndpoints.test':
    | 'event_endpoint_without_url'
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
  'eventEndpoints.attempts':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
  'eventEndpoints.replay':
    | 'body_too_large'
    | 'event_endpoint_without_url'
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
  'events.list':
    | 'internal'
    | 'invalid_cursor'
    | 'malformed_header'
    | 'not_found'
    | 'rate_limited'
    | 'scope_missing'
    | 'unauthenticated'
    | 'unavailable'
    | 'validation_failed'
}
