import type { ProblemCode } from './problem.ts'

/** The cause of a problem and its remedy, for the documentation. */
export interface ProblemHelp {
  readonly cause: string
  readonly remedy: string
}

/** The cause and the remedy of every problem, in Markdown. */
export const problemHelp: Readonly<Record<ProblemCode, ProblemHelp>> = {
  invalid_json: {
    cause: 'The body is not JSON in UTF-8, was cut off, is nested too deeply, or has a forbidden field name, such as `__proto__`.',
    remedy: 'Serialize the body with a JSON library, and send it as UTF-8. In a shell, check the quotes.',
  },
  malformed_header: {
    cause: 'A header has an invalid value, such as an `Idempotency-Key` with spaces.',
    remedy: '`detail` and `errors` name the header. Correct its value.',
  },
  invalid_cursor: {
    cause: 'The cursor was changed, or it belongs to a list with other filters.',
    remedy: 'Pass `next_cursor` unchanged, with the same filters. To change a filter, start over without a cursor.',
  },
  unauthenticated: {
    cause: 'The request has no `Authorization` header, or its key or token is unknown, expired or revoked.',
    remedy: 'Send `Authorization: Bearer <key>`. If the key was revoked or has expired, create another one.',
  },
  scope_missing: {
    cause:
      "The key or token is valid, but it lacks the operation's scope, or is bound to one project although the operation requires access to all projects. Other causes: a test key was used on a live notification, or the credential is not allowed to revoke the given key.",
    remedy: '`detail` states the missing permission. Create a key that has it, or use another key.',
  },
  not_found: {
    cause:
      'The path is wrong, no resource has this id, or the resource belongs to another user or is outside the project that the key is bound to. The response does not show whether an inaccessible resource exists, so that nobody can probe for ids.',
    remedy: 'Check the id and the path. Check with `flowpost whoami` that the key belongs to the expected user.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use a method that the response header `Allow` lists.',
  },
  project_name_taken: {
    cause: "Another of the user's projects has this name.",
    remedy: 'Choose another name, or use the existing project.',
  },
  key_taken: {
    cause: "Another of the user's projects, or another flow or event endpoint in the project, has this `key`.",
    remedy: 'Choose another key, or use the existing resource.',
  },
  no_active_flows: {
    cause: 'The project has no flow, or all its flows are inactive. Nothing is sent.',
    remedy: 'Create a flow, or activate one.',
  },
  flow_inactive: {
    cause: 'The notification names a flow that is inactive. Nothing is sent.',
    remedy: 'Activate the flow, or name another one.',
  },
  integration_missing: {
    cause: 'A flow uses a provider for which neither the project nor the deployment has credentials. Nothing is sent.',
    remedy:
      "Store credentials with the operation [Set an integration](/reference/api/integrations), or configure them in the server's environment.",
  },
  encryption_not_configured: {
    cause: "The server has no encryption key for projects' secrets.",
    remedy: 'An operator must set `FLOWPOST_ENCRYPTION_KEY`; see [Configuration](/reference/configuration).',
  },
  settings_too_large: {
    cause: 'The project has more settings than one document can contain.',
    remedy: 'Read and change the flows and event endpoints with their separate operations, or split the project.',
  },
  not_retryable: {
    cause: 'The notification has expired, or it has no `failed` or `ambiguous` delivery whose flow and message still exist.',
    remedy: 'Read the notification to see the status of its deliveries. If the message is still needed, send it as a new notification.',
  },
  too_many_event_endpoints: {
    cause: 'The project already has the maximum number of event endpoints.',
    remedy: 'Delete an unused endpoint, or let one endpoint receive more types of events.',
  },
  event_endpoint_without_url: {
    cause: 'The operation sends a request to the endpoint, but the endpoint has no URL.',
    remedy: "Set the endpoint's URL first.",
  },
  delivery_not_attempted: {
    cause: 'Flowpost has not tried to send the message of this delivery, so there is nothing to record a receipt for.',
    remedy: 'Check the id of the delivery.',
  },
  inbound_not_supported: {
    cause: 'The provider does not report bounces and complaints, so it has no inbound address.',
    remedy: 'Report outcomes with the operation [Record a receipt](/reference/api/deliveries) instead; see [Receipts](/guides/receipts).',
  },
  idempotency_not_replayable: {
    cause: 'The first request with this idempotency key succeeded. Its response contained a secret, which is shown only once.',
    remedy:
      'If the response was lost, delete the resource that the first request created, if any, and repeat the request with a new idempotency key.',
  },
  idempotency_in_progress: {
    cause: 'Another request with the same idempotency key is in progress.',
    remedy: 'Wait for the time in `Retry-After`, then repeat the request with the same key.',
  },
  report_rejected: {
    cause:
      'The report of a provider is authentic, but Flowpost cannot use it. For example, it is too old, it is incomplete, or it was received before. Mailgun does not send a report again after the status 406.',
    remedy:
      'If the report had already been received, no action is needed. Otherwise, `detail` states the reason; see [Receipts](/guides/receipts).',
  },
  etag_mismatch: {
    cause: 'The resource has changed since it was read, so `If-Match` prevented the write.',
    remedy: 'Read the resource again, apply the change to the current version, and repeat the request with its `ETag`.',
  },
  body_too_large: {
    cause: 'The body exceeds the limit of the server, which is 1 MiB by default.',
    remedy: 'Send a smaller body, for example by splitting a batch. An operator can raise `FLOWPOST_BODY_LIMIT_BYTES`.',
  },
  unsupported_media_type: {
    cause: 'The request has a body that is not declared as JSON, or that is compressed.',
    remedy: 'Set the header `Content-Type: application/json`, and omit `Content-Encoding`.',
  },
  validation_failed: {
    cause: 'A field or parameter has an invalid value, is missing, or is unknown.',
    remedy: '`errors` lists each invalid field or parameter: `pointer` identifies it, and `message` states the expected value.',
  },
  override_not_allowed: {
    cause: "The notification's `target` matches a flow whose `override_target` is false. Nothing is sent.",
    remedy: "Set the flow's `override_target` to true, name another flow with `flow_id`, or send without `target`.",
  },
  target_unroutable: {
    cause: "An entry in `target` matches no active flow, or a flow's default target is no longer valid. Nothing is sent.",
    remedy:
      "Correct the entry in `target` or the flow's default target, or create a flow whose provider accepts the entry. [Preview](/reference/api/notifications) shows how targets are matched.",
  },
  too_many_deliveries: {
    cause: 'The notification would create more deliveries than allowed. Each combination of flow and address is one delivery.',
    remedy: 'Send several notifications with fewer targets, or use the [batch operation](/reference/api/notifications).',
  },
  content_too_long: {
    cause: "The rendered message exceeds a provider's limit, or the messages of all deliveries together exceed the limit for one request.",
    remedy: '`detail` and `errors` state the exceeded limits. Shorten the message, or send a link to the full text.',
  },
  idempotency_key_reused: {
    cause: 'In the last 24 hours, the same idempotency key was used for a request with a different body.',
    remedy: 'Use a different key for each message; see [Choose a key](/guides/idempotency#choose-a-key).',
  },
  rate_limited: {
    cause:
      'A limit was exceeded: on requests with this API key or access token, on failed authentications, on open requests with `wait`, or on running bulk actions.',
    remedy: 'Wait for the time in `Retry-After`. An operator can raise the limit on requests with `FLOWPOST_RATE_LIMIT`.',
  },
  internal: {
    cause: 'An unexpected error occurred in Flowpost. The server log contains it, with the `request_id` of the response.',
    remedy: 'Retry with the same `Idempotency-Key`. If the error persists, report it with the `request_id`.',
  },
  unavailable: {
    cause: 'The server is shutting down, or it cannot process the request at the moment, usually because the database cannot be reached.',
    remedy: "Retry with the same `Idempotency-Key`, after the time in `Retry-After`. The SDK retries until the call's deadline.",
  },
  queue_full: {
    cause: 'The request would exceed the limit on pending deliveries, either of the deployment or of the user. Nothing was stored.',
    remedy: 'Wait for the time in `Retry-After`, and retry. Operators: see [Queue near limit](/operate/alerts#queue-near-limit).',
  },
}
