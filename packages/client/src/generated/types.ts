// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

/** The fields of a new project. */
export interface ProjectCreate {
  /** Unique among the projects of the user. Trimmed and brought to NFC; 1 to 255 characters, no control characters. */
  name: string
}

/** A project: a name under which a user keeps flows. */
export interface Project {
  /** The identifier of the project. */
  id: string
  /** Unique among the projects of the user. */
  name: string
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: Timestamp
}

/** RFC 3339 in UTC with milliseconds. */
export type Timestamp = string

/** The query of the operation. */
export interface ProjectListParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
}

/** All fields of a project that can be changed. */
export interface ProjectUpdate {
  /** Unique among the projects of the user. Trimmed and brought to NFC; 1 to 255 characters, no control characters. */
  name: string
}

/** The fields of a new flow. */
export interface FlowCreate {
  /**
   * The name of the flow, which need not be unique. Trimmed and brought to NFC; 1 to 255 characters, no control
   * characters.
   */
  name: string
  /** Whether the flow can be triggered. Default: `true`. */
  active?: boolean | undefined
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The default receiver: an email address for an email provider, a channel identifier for a chat provider. */
  target: string
  /** Whether a notification request may override the target. Default: `false`. */
  override_target?: boolean | undefined
  /**
   * The text of the message, 1 to 100,000 characters. Only `{{subject}}` and `{{message}}` are replaced, at most
   * 32 of them; exactly `{{message}}` sends the message unmodified. Default: `"{{message}}"`.
   */
  message_template?: string | undefined
  /**
   * How the template is written. `text/html` is rendered by email providers only; chat receives it as it is.
   * Default: `"text/plain"`.
   */
  message_template_type?: 'text/plain' | 'text/html' | undefined
}

/** A flow: where the messages of a project go, and how they look. */
export interface Flow {
  /** The identifier of the flow. */
  id: string
  /** The project that the flow belongs to. */
  project_id: string
  name: string
  active: boolean
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  target: string
  override_target: boolean
  message_template: string
  message_template_type: 'text/plain' | 'text/html' | (string & {})
  /** What looks wrong but is allowed; empty when nothing does. */
  warnings: FlowWarning[]
  /**
   * Whether the messages of a flow get through, as far as it is known. `ETag` does not cover it: it changes by
   * itself, and no update is refused for that.
   */
  health: FlowHealth
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: Timestamp
}

/** Something that looks wrong in a flow but is allowed. */
export interface FlowWarning {
  /** The stable code of the warning. */
  code: 'no_placeholder' | 'unknown_placeholder' | 'html_on_chat' | 'unescaped_message' | (string & {})
  /** A JSON Pointer to the field. */
  pointer: string
  /** What looks wrong and what was probably meant. */
  message: string
}

/**
 * Whether the messages of a flow get through, as far as it is known. `ETag` does not cover it: it changes by
 * itself, and no update is refused for that.
 */
export interface FlowHealth {
  /**
   * `healthy` after a message was sent or a check was good; `unhealthy` after a bad check, or when ten deliveries
   * in a row have failed for good because of the credential or of the target; `unknown` until then, and when
   * target or credential were changed. An unhealthy flow still sends.
   */
  status: 'unknown' | 'healthy' | 'unhealthy' | (string & {})
  /** The code of the failure, or of the finding, that made it unhealthy. */
  code: string | null
  /** The same in words, without secrets. */
  detail: string | null
  /** Since when the status is what it is. */
  since: Timestamp | null
  /** When the flow was last checked. */
  checked_at: Timestamp | null
}

/** The query of the operation. */
export interface FlowListParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
}

/** All seven fields of a flow, so that a forgotten `active` cannot wake a paused flow. */
export interface FlowUpdate {
  /**
   * The name of the flow, which need not be unique. Trimmed and brought to NFC; 1 to 255 characters, no control
   * characters.
   */
  name: string
  /** Whether the flow can be triggered. */
  active: boolean
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The default receiver: an email address for an email provider, a channel identifier for a chat provider. */
  target: string
  /** Whether a notification request may override the target. */
  override_target: boolean
  /**
   * The text of the message, 1 to 100,000 characters. Only `{{subject}}` and `{{message}}` are replaced, at most
   * 32 of them; exactly `{{message}}` sends the message unmodified.
   */
  message_template: string
  /** How the template is written. `text/html` is rendered by email providers only; chat receives it as it is. */
  message_template_type: 'text/plain' | 'text/html'
}

/** The fields of a flow to change. */
export interface FlowPatch {
  /**
   * The name of the flow, which need not be unique. Trimmed and brought to NFC; 1 to 255 characters, no control
   * characters.
   */
  name?: string | undefined
  /** Whether the flow can be triggered. */
  active?: boolean | undefined
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type?: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {}) | undefined
  /** The default receiver: an email address for an email provider, a channel identifier for a chat provider. */
  target?: string | undefined
  /** Whether a notification request may override the target. */
  override_target?: boolean | undefined
  /**
   * The text of the message, 1 to 100,000 characters. Only `{{subject}}` and `{{message}}` are replaced, at most
   * 32 of them; exactly `{{message}}` sends the message unmodified.
   */
  message_template?: string | undefined
  /** How the template is written. `text/html` is rendered by email providers only; chat receives it as it is. */
  message_template_type?: 'text/plain' | 'text/html' | undefined
}

/** What a check of a flow has found. */
export interface FlowCheck {
  /** Whether every finding is good. */
  ok: boolean
  checks: FlowCheckFinding[]
}

/** One finding of a check. */
export interface FlowCheckFinding {
  /** What was looked at, as in `connect`, `authenticate` or `membership`. */
  name: string
  ok: boolean
  /** `ok`, the provider's own code, or one of Flowpost's. */
  code: string
  /** What was found, in words, without secrets. */
  detail: string
}

/** The query of the operation. */
export interface IntegrationListParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
}

/** A project's own credentials for a provider. */
export interface Integration {
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The provider's own settings; `GET /v1/settings/providers` has their schema. */
  settings: Record<string, unknown>
  /** Which secrets are set. They are write-only. */
  secrets: Record<
    string,
    {
      set: true
    }
  >
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: Timestamp
}

/** A project's own credentials for a provider. */
export interface IntegrationPut {
  /** The provider's own settings; `GET /v1/settings/providers` has their schema. */
  settings: Record<string, unknown>
  /**
   * Secrets to set. One that is left out is kept; `null` removes it. All are needed again when a setting changes
   * that decides where they are sent.
   */
  secrets?: Record<string, unknown> | undefined
}

/** The query of the operation. */
export interface ProviderListParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
}

/** A delivery provider that the deployment serves. */
export interface Provider {
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  kind: 'email' | 'chat' | (string & {})
  /** JSON Schema of an integration's `settings`. */
  settings_schema: Record<string, unknown>
  /** JSON Schema of an integration's `secrets`. */
  secrets_schema: Record<string, unknown>
}

/** The fields of a new API key. */
export interface ApiKeyCreate {
  /** What the key is for. Trimmed and brought to NFC; 1 to 255 characters, no control characters. */
  name: string
  /** What the key may do. Default: all that the credential which makes it may do; never more. */
  scopes?: ('settings:read' | 'settings:write' | 'keys:write' | 'notifications:send' | 'notifications:read')[] | undefined
  /** Bind the key to this project. */
  project_id?: string | undefined
  /** When the key ends; not later than the credential which makes it. */
  expires_at?: string | undefined
}

/** A new API key with its secret, which is shown this once. */
export interface ApiKeyCreated {
  /** The identifier of the key, which is part of it. */
  id: string
  name: string
  /** What the key may do. */
  scopes: ('settings:read' | 'settings:write' | 'keys:write' | 'notifications:send' | 'notifications:read' | (string & {}))[]
  /** The only project that the key is for. */
  project_id: string | null
  /** RFC 3339 in UTC with milliseconds. */
  expires_at: Timestamp | null
  /** When it was last used, to the minute or so; `null` when it never was. */
  last_used_at: Timestamp | null
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
  /** The key itself: `fp_<id>_<secret>`. It is shown this once and not stored. */
  key: string
}

/** The query of the operation. */
export interface ApiKeyListParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
}

/** An API key, without its secret. */
export interface ApiKey {
  /** The identifier of the key, which is part of it. */
  id: string
  name: string
  /** What the key may do. */
  scopes: ('settings:read' | 'settings:write' | 'keys:write' | 'notifications:send' | 'notifications:read' | (string & {}))[]
  /** The only project that the key is for. */
  project_id: string | null
  /** RFC 3339 in UTC with milliseconds. */
  expires_at: Timestamp | null
  /** When it was last used, to the minute or so; `null` when it never was. */
  last_used_at: Timestamp | null
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
}

/** The message to send and where to. */
export interface NotificationSend {
  /** The project whose active flows are triggered. */
  project_id: string
  /** Trigger this flow alone; it must be active. */
  flow_id?: string | undefined
  /**
   * The subject, 1 to 998 characters, in a single line. It is the subject of an email and what `{{subject}}`
   * stands for.
   */
  subject: string
  /** The message, 1 to 100,000 characters: what `{{message}}` stands for. */
  message: string
  /**
   * How the message is written. `text/html` is inserted as markup into `text/html` email templates, and as plain
   * text elsewhere. Default: `"text/plain"`.
   */
  message_type?: 'text/plain' | 'text/html' | undefined
  /**
   * Override the targets: `[<source_type>:]<address>`, separated by `;`, at most 100. Flows that no entry reaches
   * are skipped; a flow that does not allow it refuses the request.
   */
  target?: string | undefined
  /** Send no sooner than this, up to 30 days ahead; in the past: now. */
  send_at?: string | undefined
}

/** A message that was accepted, with its deliveries. */
export interface Notification {
  /** The identifier of the notification. */
  id: string
  /** The project whose flows it triggered. */
  project_id: string
  /** Rolled up from the deliveries. */
  status: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | (string & {})
  /** `null` once retention has removed it, or where contents are not kept. */
  subject: string | null
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
  /** The first 100 deliveries. */
  deliveries: Delivery[]
}

/** A message on its way to one target of one flow. */
export interface Delivery {
  /** The identifier of the delivery. */
  id: string
  /** The flow that it was made for. */
  flow_id: string
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The receiver, fixed when the notification was accepted. */
  target: string
  /** `sent` means that the provider accepted the message. `sent`, `failed`, `ambiguous` and `canceled` are final. */
  status: 'queued' | 'sending' | 'sent' | 'retrying' | 'failed' | 'ambiguous' | 'canceled' | (string & {})
  /** Whether the message was captured instead of leaving the machine. */
  captured: boolean
  attempt_count: number
  /** When it is tried next; `null` when it is not waiting. */
  next_attempt_at: Timestamp | null
  /** RFC 3339 in UTC with milliseconds. */
  sent_at: Timestamp | null
  provider_message_id: string | null
  /** Why a delivery failed, or why it is being retried. */
  failure: DeliveryFailure | null
}

/** Why a delivery failed, or why it is being retried. */
export interface DeliveryFailure {
  /** Where the cause lies. */
  kind: 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous' | (string & {})
  /** The provider's own code, or one of Flowpost's. */
  code: string
  /** What happened, in words of Flowpost, without secrets. */
  detail: string
  /** Whether the same message may succeed later. */
  retryable: boolean
}

/** The query of the operation. */
export interface NotificationListParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
  /** Only those of this project. */
  project_id?: string | undefined
  /** Only those with a delivery for this flow. */
  flow_id?: string | undefined
  /** Only those with this status. */
  status?: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | undefined
}

/** A notification whose deliveries carry their attempts. */
export interface NotificationWithAttempts {
  /** The identifier of the notification. */
  id: string
  /** The project whose flows it triggered. */
  project_id: string
  /** Rolled up from the deliveries. */
  status: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | (string & {})
  /** `null` once retention has removed it, or where contents are not kept. */
  subject: string | null
  /** RFC 3339 in UTC with milliseconds. */
  created_at: Timestamp
  /** The first 100 deliveries. */
  deliveries: DeliveryWithAttempts[]
}

/** A delivery with its attempts. */
export interface DeliveryWithAttempts {
  /** The identifier of the delivery. */
  id: string
  /** The flow that it was made for. */
  flow_id: string
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The receiver, fixed when the notification was accepted. */
  target: string
  /** `sent` means that the provider accepted the message. `sent`, `failed`, `ambiguous` and `canceled` are final. */
  status: 'queued' | 'sending' | 'sent' | 'retrying' | 'failed' | 'ambiguous' | 'canceled' | (string & {})
  /** Whether the message was captured instead of leaving the machine. */
  captured: boolean
  attempt_count: number
  /** When it is tried next; `null` when it is not waiting. */
  next_attempt_at: Timestamp | null
  /** RFC 3339 in UTC with milliseconds. */
  sent_at: Timestamp | null
  provider_message_id: string | null
  /** Why a delivery failed, or why it is being retried. */
  failure: DeliveryFailure | null
  /**
   * The newest attempts, in order: at most 20 where a notification embeds the delivery, and 100 in a list of
   * deliveries. `attempt_count` says how many there were.
   */
  attempts: Attempt[]
}

/** One try at handing a message to its provider. */
export interface Attempt {
  /** The identifier of the attempt. */
  id: string
  /** Counts from 1. */
  number: number
  /** RFC 3339 in UTC with milliseconds. */
  started_at: Timestamp
  /** Milliseconds until the outcome; `null` while it is not known. */
  duration_ms: number | null
  /** How the attempt ended. */
  outcome: 'sending' | 'sent' | 'captured' | 'retrying' | 'failed' | 'ambiguous' | (string & {})
  /**
   * The provider's answer, bounded and without secrets; its codes alone where the credential is the deployment's,
   * or messages are not kept.
   */
  provider_response: string | null
}

/** The query of the operation. */
export interface NotificationGetParams {
  /** Answer when every delivery is settled, or after so many seconds, 1 to 60. */
  wait?: number | undefined
}

/** The query of the operation. */
export interface NotificationDeliveriesParams {
  /**
   * The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of
   * `null` says that it is the last one. Default: `100`.
   */
  limit?: number | undefined
  /** The `next_cursor` of the page before; opaque, and only valid with the same filters. */
  cursor?: string | undefined
}

/** What a notification would do, flow by flow. */
export interface NotificationPreview {
  flows: PreviewedFlow[]
}

/** What a notification would do with one flow. */
export interface PreviewedFlow {
  /** The flow. */
  flow_id: string
  /**
   * The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook`
   * calls a URL; a deployment may register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** Whether the notification would trigger the flow. */
  outcome: 'matched' | 'skipped' | (string & {})
  /** Why the flow is skipped; `null` when it is matched. */
  reason: 'inactive' | 'not_targeted' | (string & {}) | null
  /** The receivers, resolved. */
  targets: string[]
  /** Whether the message would be captured instead of sent. */
  captured: boolean
  /** The message as it would be sent; `null` when the flow is skipped. */
  content: {
    subject: string
    text: string
    html: string | null
    /** Bytes of all parts in UTF-8. */
    bytes: number
  } | null
  /** What would make a send refuse the request because of this flow. */
  faults: {
    code: 'content_too_long' | 'integration_missing' | (string & {})
    message: string
  }[]
}

/** An error as RFC 9457 defines it, with a stable code. */
export interface Problem {
  /** A URI that names the kind of problem. */
  type: string
  /** A short summary, the same for each problem of the code. */
  title: string
  /** The HTTP status. */
  status: number
  /** What went wrong this time and what would be right. */
  detail: string
  /** The stable code that programs switch on. */
  code:
    | 'invalid_json'
    | 'malformed_header'
    | 'invalid_cursor'
    | 'unauthenticated'
    | 'scope_missing'
    | 'not_found'
    | 'method_not_allowed'
    | 'project_name_taken'
    | 'no_active_flows'
    | 'flow_inactive'
    | 'integration_missing'
    | 'encryption_not_configured'
    | 'not_retryable'
    | 'idempotency_not_replayable'
    | 'idempotency_in_progress'
    | 'etag_mismatch'
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'validation_failed'
    | 'override_not_allowed'
    | 'target_unroutable'
    | 'too_many_deliveries'
    | 'content_too_long'
    | 'idempotency_key_reused'
    | 'rate_limited'
    | 'internal'
    | 'unavailable'
    | 'queue_full'
    | (string & {})
  /** The `X-Request-Id` of the answer, which is in the log of the server too. */
  request_id: string
  /** Every fault of the input, for problems of the input; at most 1,000. */
  errors?: FieldError[] | undefined
}

/** One fault of the input. */
export interface FieldError {
  /** The part of the request at fault. */
  in: 'body' | 'query' | 'header' | (string & {})
  /** A JSON Pointer (RFC 6901) to the field within that part. */
  pointer: string
  /** The stable code of the fault. */
  code:
    | 'required'
    | 'unknown_field'
    | 'invalid_type'
    | 'invalid_value'
    | 'invalid_text'
    | 'invalid_target'
    | 'too_short'
    | 'too_long'
    | 'too_small'
    | 'too_big'
    | 'override_not_allowed'
    | 'target_unroutable'
    | 'content_too_long'
    | (string & {})
  /** What is wrong and what would be right. */
  message: string
}
