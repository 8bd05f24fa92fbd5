// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

/** The fields of a new project. */
export interface ProjectCreate {
  /**
   * The name of the project, 1 to 255 characters without control characters. Trimmed and normalized to Unicode
   * NFC. Must be unique among the user's projects.
   */
  name: string
  /**
   * A key that identifies the project in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be
   * unique among the user's projects. `null` removes the key.
   */
  key?: string | null | undefined
}

/** A project: a named group of flows. */
export interface Project {
  /** The id of the project. */
  id: string
  /** The name of the project. It is unique among the user's projects. */
  name: string
  /**
   * The key that identifies the project in files and code; `null` if it has none. It is unique among the user's
   * projects.
   */
  key: string | null
  /** When the project was created. */
  created_at: Timestamp
  /** When the project was last changed. */
  updated_at: Timestamp
}

/** An RFC 3339 timestamp in UTC with milliseconds. */
export type Timestamp = string

/** The operation's query parameters. */
export interface ProjectListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** The fields of a project that can be changed. An omitted `key` stays as it is. */
export interface ProjectUpdate {
  /**
   * The name of the project, 1 to 255 characters without control characters. Trimmed and normalized to Unicode
   * NFC. Must be unique among the user's projects.
   */
  name: string
  /**
   * A key that identifies the project in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be
   * unique among the user's projects. `null` removes the key.
   */
  key?: string | null | undefined
}

/** The fields of a new flow. */
export interface FlowCreate {
  /**
   * The name of the flow, 1 to 255 characters without control characters. Trimmed and normalized to Unicode NFC.
   * Need not be unique.
   */
  name: string
  /** Whether notifications trigger the flow. An inactive flow sends nothing. Default: `true`. */
  active?: boolean | undefined
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /**
   * The default recipient. Email providers require an email address, and `slack` a channel id. `discord`, `teams`
   * and `webhook` require the name of a URL that the integration stores.
   */
  target: string
  /** Whether a notification's `target` can override the flow's own target. Default: `false`. */
  override_target?: boolean | undefined
  /**
   * The template of the message, 1 to 100,000 characters. The placeholders `{{subject}}` and `{{message}}` are
   * replaced; they can occur up to 32 times in total. If the template contains only `{{message}}`, the message is
   * sent unmodified. Default: `"{{message}}"`.
   */
  message_template?: string | undefined
  /**
   * The format of the template. Only email providers render `text/html`; chat providers receive the markup as
   * plain text. Default: `"text/plain"`.
   */
  message_template_type?: 'text/plain' | 'text/html' | undefined
  /**
   * A key that identifies the flow in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be
   * unique in the project. `null` removes the key.
   */
  key?: string | null | undefined
}

/** A flow: the provider, target and template with which a project sends messages. */
export interface Flow {
  /** The id of the flow. */
  id: string
  /** The id of the project that the flow belongs to. */
  project_id: string
  /** The name of the flow. It need not be unique. */
  name: string
  /** The key that identifies the flow in files and code; `null` if it has none. It is unique in the project. */
  key: string | null
  /** Whether notifications trigger the flow. An inactive flow sends nothing. */
  active: boolean
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The default recipient. */
  target: string
  /** Whether a notification's `target` can override the flow's own target. */
  override_target: boolean
  /** The template of the message, with the placeholders `{{subject}}` and `{{message}}`. */
  message_template: string
  /**
   * The format of the template. Only email providers render `text/html`; chat providers receive the markup as
   * plain text.
   */
  message_template_type: 'text/plain' | 'text/html' | (string & {})
  /** Probable mistakes in the flow; empty when there are none. */
  warnings: FlowWarning[]
  /**
   * The health of a flow: whether its messages are being delivered. The flow's `ETag` does not depend on its
   * health, so a health change never makes an update fail with 412.
   */
  health: FlowHealth
  /** When the flow was created. */
  created_at: Timestamp
  /** When the flow was last changed. */
  updated_at: Timestamp
}

/** A probable mistake in a flow. The flow is accepted anyway. */
export interface FlowWarning {
  /** A stable, machine-readable code for the kind of mistake. */
  code: 'no_placeholder' | 'unknown_placeholder' | 'html_on_chat' | 'unescaped_message' | (string & {})
  /** A JSON Pointer (RFC 6901) to the field in the flow. */
  pointer: string
  /** Describes the probable mistake and how to fix it. */
  message: string
}

/**
 * The health of a flow: whether its messages are being delivered. The flow's `ETag` does not depend on its
 * health, so a health change never makes an update fail with 412.
 */
export interface FlowHealth {
  /**
   * `healthy` after a message is sent or a check passes. `unhealthy` after a check fails, or after ten consecutive
   * deliveries fail permanently because of the credential or the target. `unknown` for a new flow, and again after
   * its provider, target or credential changes. An unhealthy flow still sends messages.
   */
  status: 'unknown' | 'healthy' | 'unhealthy' | (string & {})
  /**
   * The code of the latest failure or check result that made the flow unhealthy; `null` while `status` is
   * `healthy` or `unknown`.
   */
  code: string | null
  /** Explains `code`; `null` when `code` is `null`. Never contains secrets. */
  detail: string | null
  /** When `status` last changed; `null` while `status` is `unknown`. */
  since: Timestamp | null
  /** When the flow was last checked; `null` if it has not been checked with its current provider and target. */
  checked_at: Timestamp | null
}

/** The operation's query parameters. */
export interface FlowListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** The operation's query parameters. */
export interface FlowGetParams {
  /**
   * Returns the flow as it was at this moment, an RFC 3339 timestamp. The response is 404 if the flow did not
   * exist at that moment. The response is 422 `validation_failed` if the moment is in the future or before the
   * start of the recorded settings history. By default, the history goes back at most 400 days. If the moment is
   * before the start, the error message states when the history starts.
   */
  at?: string | undefined
}

/**
 * All changeable fields of a flow except its key, which stays as it is. Every field is required: if `active` had
 * a default, omitting it could reactivate an inactive flow.
 */
export interface FlowUpdate {
  /**
   * The name of the flow, 1 to 255 characters without control characters. Trimmed and normalized to Unicode NFC.
   * Need not be unique.
   */
  name: string
  /** Whether notifications trigger the flow. An inactive flow sends nothing. */
  active: boolean
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /**
   * The default recipient. Email providers require an email address, and `slack` a channel id. `discord`, `teams`
   * and `webhook` require the name of a URL that the integration stores.
   */
  target: string
  /** Whether a notification's `target` can override the flow's own target. */
  override_target: boolean
  /**
   * The template of the message, 1 to 100,000 characters. The placeholders `{{subject}}` and `{{message}}` are
   * replaced; they can occur up to 32 times in total. If the template contains only `{{message}}`, the message is
   * sent unmodified.
   */
  message_template: string
  /**
   * The format of the template. Only email providers render `text/html`; chat providers receive the markup as
   * plain text.
   */
  message_template_type: 'text/plain' | 'text/html'
}

/** The fields of a flow to change. Omitted fields stay as they are. */
export interface FlowPatch {
  /**
   * The name of the flow, 1 to 255 characters without control characters. Trimmed and normalized to Unicode NFC.
   * Need not be unique.
   */
  name?: string | undefined
  /** Whether notifications trigger the flow. An inactive flow sends nothing. */
  active?: boolean | undefined
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type?: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {}) | undefined
  /**
   * The default recipient. Email providers require an email address, and `slack` a channel id. `discord`, `teams`
   * and `webhook` require the name of a URL that the integration stores.
   */
  target?: string | undefined
  /** Whether a notification's `target` can override the flow's own target. */
  override_target?: boolean | undefined
  /**
   * The template of the message, 1 to 100,000 characters. The placeholders `{{subject}}` and `{{message}}` are
   * replaced; they can occur up to 32 times in total. If the template contains only `{{message}}`, the message is
   * sent unmodified.
   */
  message_template?: string | undefined
  /**
   * The format of the template. Only email providers render `text/html`; chat providers receive the markup as
   * plain text.
   */
  message_template_type?: 'text/plain' | 'text/html' | undefined
  /**
   * A key that identifies the flow in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be
   * unique in the project. `null` removes the key.
   */
  key?: string | null | undefined
}

/** The result of a flow check. */
export interface FlowCheck {
  /** Whether every step passed. */
  ok: boolean
  /** The results of the steps, in order. */
  checks: FlowCheckFinding[]
}

/** The result of one step of a flow check. */
export interface FlowCheckFinding {
  /** The name of the step, such as `connect`, `authenticate` or `membership`. */
  name: string
  /** Whether the step passed. */
  ok: boolean
  /**
   * `ok` if the step passed, or `not_tried` if it was not tested and counts as passed. Otherwise, the provider's
   * error code or a code that Flowpost defines.
   */
  code: string
  /** Explains the result of the step. Never contains secrets. */
  detail: string
}

/** The operation's query parameters. */
export interface IntegrationListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** The settings and secrets with which a project uses a provider. */
export interface Integration {
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The settings for the provider. `GET /v1/settings/providers` returns their JSON Schema. */
  settings: Record<string, unknown>
  /** The secrets that are set, by name. Their values are never returned. */
  secrets: Record<
    string,
    {
      /** Always `true`. Shows that the secret is set; its value is never returned. */
      set: true
    }
  >
  /**
   * Details of the address at which Flowpost receives the provider's reports, such as bounces; `null` if there is
   * no address. The address itself is a secret and is not returned.
   */
  inbound: {
    /** When the address was created, or last rotated. */
    rotated_at: Timestamp
    /** The expiry time of the previous address, which may be in the past; `null` if there was none. */
    previous_expires_at: Timestamp | null
  } | null
  /** When the integration was created. */
  created_at: Timestamp
  /** When the integration was last changed. */
  updated_at: Timestamp
}

/** The settings and secrets with which a project uses a provider. */
export interface IntegrationPut {
  /** The settings for the provider. `GET /v1/settings/providers` returns their JSON Schema. */
  settings: Record<string, unknown>
  /**
   * The secrets to set. An omitted secret keeps its value; `null` removes it. A request that changes where secrets
   * are sent, for example the host, must provide every stored secret again, or remove it.
   */
  secrets?: Record<string, unknown> | undefined
}

/** The address at which a deployment receives a provider's reports. */
export interface InboundAddress {
  /**
   * The path at which this deployment receives the provider's reports. It contains a secret and is returned only
   * once. Append it to the deployment's base URL.
   */
  path: string
  /** When the address was created. */
  rotated_at: Timestamp
  /** When the previous address expires; `null` if there was none. */
  previous_expires_at: Timestamp | null
}

/** The operation's query parameters. */
export interface ProviderListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** A delivery provider that the deployment has registered. */
export interface Provider {
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** The kind of message that the provider delivers. Webhooks are `chat`: they receive plain text. */
  kind: 'email' | 'chat' | (string & {})
  /** The JSON Schema for the `settings` of an integration with this provider. */
  settings_schema: Record<string, unknown>
  /** The JSON Schema for the `secrets` of an integration with this provider. */
  secrets_schema: Record<string, unknown>
}

/** The recipient to suppress. */
export interface SuppressionCreate {
  /**
   * The recipient, as `[<source_type>:]<address>`. Without a source type, the suppression applies to every
   * provider that accepts the address. Email addresses are compared without regard to case.
   */
  target: string
  /** Why the recipient is suppressed. Default: `"manual"`. */
  reason?: 'bounce' | 'complaint' | 'unsubscribe' | 'manual' | undefined
}

/** A recipient to whom a project sends nothing. */
export interface Suppression {
  /** The id of the suppression. */
  id: string
  /** The canonical address of the recipient; `erased:` followed by a digest if the recipient was erased. */
  target: string
  /** The provider that the suppression applies to; `null` if it applies to every provider that accepts the address. */
  source_type: string | null
  /** Why the recipient is suppressed. */
  reason: 'bounce' | 'complaint' | 'unsubscribe' | 'manual' | 'erasure' | (string & {})
  /** How the suppression was added: by a request to suppress the recipient (`api`), by a receipt, or by an erasure. */
  source: 'api' | 'receipt' | 'erasure' | (string & {})
  /** When the suppression was added. */
  created_at: Timestamp
}

/** The operation's query parameters. */
export interface SuppressionListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
  /**
   * Returns only the suppressions of this recipient: an address without the prefix `<source_type>:`, or `erased:`
   * followed by a digest. Email addresses are compared without regard to case.
   */
  target?: string | undefined
}

/** The fields of a new API key. */
export interface ApiKeyCreate {
  /** The name of the key, 1 to 255 characters without control characters. Trimmed and normalized to NFC. */
  name: string
  /**
   * The scopes of the key. The credential that creates the key must have all of them. Default: all scopes of that
   * credential.
   */
  scopes?: ('settings:read' | 'settings:write' | 'keys:write' | 'notifications:send' | 'notifications:read')[] | undefined
  /**
   * The mode of the key, which cannot be changed. Messages that are sent with a `test` key are captured instead of
   * delivered, and addresses such as `bounce@flowpost.test` simulate the outcomes of a provider. Default: the mode
   * of the credential that creates the key, usually `live`. A test key can create only test keys.
   */
  mode?: 'live' | 'test' | undefined
  /** Binds the key to this project. */
  project_id?: string | undefined
  /**
   * When the key expires. Must not be later than the expiry of the credential that creates the key. Default: the
   * expiry of that credential.
   */
  expires_at?: string | undefined
}

/** A new API key with its secret. The secret is shown only once. */
export interface ApiKeyCreated {
  /** The id of the key. The key itself, `fp_<id>_<secret>` or `fp_test_<id>_<secret>`, contains this id. */
  id: string
  /** The name of the key. */
  name: string
  /** The scopes of the key. */
  scopes: ('settings:read' | 'settings:write' | 'keys:write' | 'notifications:send' | 'notifications:read' | (string & {}))[]
  /** Whether messages sent with the key are delivered (`live`) or captured instead (`test`). */
  mode: 'live' | 'test' | (string & {})
  /** The project that the key is bound to; `null` when it covers all of the user's projects. */
  project_id: string | null
  /** When the key expires; `null` when it never does. */
  expires_at: Timestamp | null
  /** When the key was last used, accurate to about a minute; `null` if it has never been used. */
  last_used_at: Timestamp | null
  /** When the key was created. */
  created_at: Timestamp
  /**
   * The key itself: `fp_<id>_<secret>`, or `fp_test_<id>_<secret>` for a test key. It is shown only once, because
   * the server stores only a hash of it.
   */
  key: string
}

/** The operation's query parameters. */
export interface ApiKeyListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** An API key, without its secret. */
export interface ApiKey {
  /** The id of the key. The key itself, `fp_<id>_<secret>` or `fp_test_<id>_<secret>`, contains this id. */
  id: string
  /** The name of the key. */
  name: string
  /** The scopes of the key. */
  scopes: ('settings:read' | 'settings:write' | 'keys:write' | 'notifications:send' | 'notifications:read' | (string & {}))[]
  /** Whether messages sent with the key are delivered (`live`) or captured instead (`test`). */
  mode: 'live' | 'test' | (string & {})
  /** The project that the key is bound to; `null` when it covers all of the user's projects. */
  project_id: string | null
  /** When the key expires; `null` when it never does. */
  expires_at: Timestamp | null
  /** When the key was last used, accurate to about a minute; `null` if it has never been used. */
  last_used_at: Timestamp | null
  /** When the key was created. */
  created_at: Timestamp
}

/** A project's exported settings. */
export interface SettingsExport {
  /** The id of the project. */
  project_id: string
  /** The digest of the document. It is also the `ETag`, which does not depend on `warnings`. */
  digest: string
  /** A project's settings as a document. */
  document: SettingsDocument
  /** Warnings about the settings; empty when there are none. */
  warnings: SettingsWarning[]
}

/** A project's settings as a document. */
export interface SettingsDocument {
  /** The project. */
  project: {
    /** The key of the project; `null` if it has none. */
    key: string | null
    /** The name of the project. */
    name: string
  }
  /** The flows that have a key, ordered by key. */
  flows: {
    /** The key of the flow. */
    key: string
    /** The name of the flow. */
    name: string
    /** Whether notifications trigger the flow. An inactive flow sends nothing. */
    active: boolean
    /**
     * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
     * for chat, and `webhook` for HTTP requests. A deployment can register more.
     */
    source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
    /** The default recipient. */
    target: string
    /** Whether a notification's `target` can override the flow's own target. */
    override_target: boolean
    /** The template of the message. */
    message_template: string
    /**
     * The format of the template. Only email providers render `text/html`; chat providers receive the markup as
     * plain text.
     */
    message_template_type: 'text/plain' | 'text/html' | (string & {})
  }[]
  /** The integrations without their secrets, ordered by provider. */
  integrations: {
    /**
     * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
     * for chat, and `webhook` for HTTP requests. A deployment can register more.
     */
    source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
    /** The settings for the provider. `GET /v1/settings/providers` returns their JSON Schema. */
    settings: Record<string, unknown>
  }[]
  /** The event endpoints that have a key, without their secrets, ordered by key. */
  event_endpoints: {
    /** The key of the event endpoint. */
    key: string
    /** The URL that receives the events; `null` if events are only read with `GET /v1/events`. */
    url: string | null
    /** The event types that the endpoint receives. */
    events: (
      | 'notification.settled'
      | 'delivery.sent'
      | 'delivery.failed'
      | 'delivery.ambiguous'
      | 'delivery.canceled'
      | 'delivery.receipt'
      | 'flow.unhealthy'
      | 'flow.healthy'
      | (string & {})
    )[]
    /**
     * Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it
     * stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose
     * type it lists.
     */
    active: boolean
    /** A description for human readers; empty if there is none. */
    description: string
  }[]
}

/** A warning about settings. It does not cause the request to fail. */
export interface SettingsWarning {
  /** A stable, machine-readable code for the kind of warning. */
  code:
    | 'no_placeholder'
    | 'unknown_placeholder'
    | 'html_on_chat'
    | 'unescaped_message'
    | 'not_in_document'
    | 'flows_without_key'
    | 'event_endpoints_without_key'
    | (string & {})
  /** A JSON Pointer (RFC 6901) to the part of the document that the warning is about. */
  pointer: string
  /** Describes the warning. */
  message: string
}

/** A project's settings as a document. */
export interface SettingsApply {
  /** The project. */
  project: {
    /** The key of the project. If there is no project with this key, one is created. */
    key: string
    /**
     * The name of the project, 1 to 255 characters without control characters. Trimmed and normalized to Unicode
     * NFC. Must be unique among the user's projects.
     */
    name: string
  }
  /** The flows, up to 1,000. Flows without a key are not changed. */
  flows: {
    /** The key of the flow, unique in the document. If there is no flow with this key, one is created. */
    key: string
    /**
     * The name of the flow, 1 to 255 characters without control characters. Trimmed and normalized to Unicode NFC.
     * Need not be unique.
     */
    name: string
    /** Whether notifications trigger the flow. An inactive flow sends nothing. */
    active: boolean
    /**
     * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
     * for chat, and `webhook` for HTTP requests. A deployment can register more.
     */
    source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
    /**
     * The default recipient. Email providers require an email address, and `slack` a channel id. `discord`, `teams`
     * and `webhook` require the name of a URL that the integration stores.
     */
    target: string
    /** Whether a notification's `target` can override the flow's own target. */
    override_target: boolean
    /**
     * The template of the message, 1 to 100,000 characters. The placeholders `{{subject}}` and `{{message}}` are
     * replaced; they can occur up to 32 times in total. If the template contains only `{{message}}`, the message is
     * sent unmodified.
     */
    message_template: string
    /**
     * The format of the template. Only email providers render `text/html`; chat providers receive the markup as
     * plain text.
     */
    message_template_type: 'text/plain' | 'text/html'
  }[]
  /** The integrations, one for each provider. If omitted, no integration is changed. */
  integrations?:
    | {
        /**
         * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
         * for chat, and `webhook` for HTTP requests. A deployment can register more.
         */
        source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
        /** The settings for the provider. `GET /v1/settings/providers` returns their JSON Schema. */
        settings: Record<string, unknown>
        /** The secrets to set. An omitted secret keeps its value; `null` removes it. */
        secrets?: Record<string, unknown> | undefined
      }[]
    | undefined
  /**
   * The event endpoints, up to 20. Endpoints without a key are not changed. If omitted, no event endpoint is
   * changed.
   */
  event_endpoints?:
    | {
        /** The key of the event endpoint, unique in the document. If there is no endpoint with this key, one is created. */
        key: string
        /**
         * The HTTPS URL that receives the events; `null` if events are only read with `GET /v1/events`. Plain HTTP works
         * only in networks that the deployment allows.
         */
        url: string | null
        /** The event types that the endpoint receives. There is no wildcard. */
        events: (
          | 'notification.settled'
          | 'delivery.sent'
          | 'delivery.failed'
          | 'delivery.ambiguous'
          | 'delivery.canceled'
          | 'delivery.receipt'
          | 'flow.unhealthy'
          | 'flow.healthy'
        )[]
        /**
         * Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it
         * stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose
         * type it lists.
         */
        active: boolean
        /**
         * A description for human readers, up to 255 characters without control characters. Trimmed and normalized to
         * Unicode NFC.
         */
        description: string
      }[]
    | undefined
  /**
   * Whether to delete flows, event endpoints and integrations that are not in the document. Flows and event
   * endpoints without a key are never deleted. If the document omits `integrations` or `event_endpoints`, no
   * resource of that kind is deleted. Default: `false`.
   */
  prune?: boolean | undefined
  /** Whether to only return the changes, without making them. Default: `false`. */
  dry_run?: boolean | undefined
  /**
   * Whether to also return the effects that the changes would have had on recent notifications. Requires
   * `dry_run`. Default: `false`.
   */
  consequences?: boolean | undefined
}

/** The result of applying a settings document. */
export interface SettingsApplied {
  /** The id of the project; `null` for a dry run that would create it. */
  project_id: string | null
  /**
   * The digest of the settings after the change, or of the current settings for a dry run. Send it as an entity
   * tag in `If-Match` to apply a document only if the settings are unchanged. A dry run also returns a digest for
   * a project that does not exist yet.
   */
  digest: string
  /**
   * The changes, grouped by kind of resource: the project, flows, integrations, then event endpoints. Each group
   * is in document order, with its deletions at the end.
   */
  changes: SettingsChange[]
  /** Warnings about the settings; empty when there are none. */
  warnings: SettingsWarning[]
  /**
   * The effects that the document's settings would have had on past notifications of the project. The newest
   * 10,000 notifications are examined, for at most two seconds. Messages that were sent with test keys do not
   * count. The messages and targets in requests are not stored, so they are derived from the deliveries.
   * Credentials and suppressions are not considered.
   */
  consequences?: SettingsConsequences | undefined
}

/** One change made by applying a settings document. */
export interface SettingsChange {
  /**
   * The kind of change. There is one `update` for each changed field; `none` means that the resource does not
   * change.
   */
  action: 'create' | 'update' | 'delete' | 'none' | (string & {})
  /** The kind of resource. */
  kind: 'project' | 'flow' | 'integration' | 'event_endpoint' | (string & {})
  /** The key of the project, flow or event endpoint, or the provider of the integration. */
  key: string
  /**
   * The id of the project, flow or event endpoint; `null` for integrations, and for resources that a dry run would
   * create.
   */
  id: string | null
  /** A JSON Pointer (RFC 6901) to the resource or field in the document. Absent for a deletion. */
  pointer?: string | undefined
  /** The old value. Absent if there was none, if nothing changes, or if the value is a secret. */
  before?: unknown | undefined
  /** The new value. Absent if there is none, if nothing changes, or if the value is a secret. */
  after?: unknown | undefined
  /** For the deletion of a flow: the number of its pending deliveries, which are canceled. */
  pending_deliveries?: number | undefined
  /**
   * For the creation of an event endpoint: its signing secret, which is shown only once. If the request is
   * repeated with the same `Idempotency-Key`, the response does not contain the secret. A dry run creates no
   * secret.
   */
  secret?: string | undefined
}

/**
 * The effects that the document's settings would have had on past notifications of the project. The newest
 * 10,000 notifications are examined, for at most two seconds. Messages that were sent with test keys do not
 * count. The messages and targets in requests are not stored, so they are derived from the deliveries.
 * Credentials and suppressions are not considered.
 */
export interface SettingsConsequences {
  /** The number of past notifications whose deliveries were computed with both the current and the new settings. */
  examined: number
  /**
   * The number of notifications that the server could not examine, because their messages are no longer stored, or
   * the flows that sent them have changed since then.
   */
  not_examined: number
  /** The acceptance time of the oldest notification that was read; `null` if none was read. */
  since: Timestamp | null
  /**
   * Whether the server examined all notifications whose messages might still be stored. `false` if it reached a
   * limit first.
   */
  complete: boolean
  /** The providers for which the number of deliveries would change. */
  deliveries: {
    /**
     * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
     * for chat, and `webhook` for HTTP requests. A deployment can register more.
     */
    source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
    /** The number of deliveries that the current settings would create. */
    before: number
    /** The number of deliveries that the document's settings would create. */
    after: number
  }[]
  /**
   * The notifications that the current settings accept but the new settings would reject, grouped by problem code.
   * Excludes those in `without_flow`.
   */
  rejected: {
    /** The problem code of the rejection. */
    code: string
    /** The number of affected notifications. */
    notifications: number
    /** The id of the newest affected notification; `null` if there are none. */
    notification_id: string | null
  }[]
  /** The notifications that the current settings accept but that would reach no flow with the new settings. */
  without_flow: {
    /** The number of affected notifications. */
    notifications: number
    /** The id of the newest affected notification; `null` if there are none. */
    notification_id: string | null
  }
  /** The notifications with at least one message that would change. */
  changed_messages: {
    /** The number of affected notifications. */
    notifications: number
    /** The id of the newest affected notification; `null` if there are none. */
    notification_id: string | null
  }
  /** The notifications with at least one delivery that would have a different target. */
  changed_targets: {
    /** The number of affected notifications. */
    notifications: number
    /** The id of the newest affected notification; `null` if there are none. */
    notification_id: string | null
  }
}

/** The operation's query parameters. */
export interface SettingHistoryParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
  /** Returns only changes to the settings of this project. */
  project_id?: string | undefined
}

/** One recorded change to a project's settings. */
export interface SettingsHistoryEntry {
  /** The id of the entry. */
  id: string
  /** The id of the project whose settings changed. */
  project_id: string
  /** When the settings changed. */
  changed_at: Timestamp
  /** The kind of change. */
  action: 'create' | 'update' | 'delete' | (string & {})
  /** The kind of resource. */
  kind: 'project' | 'flow' | 'integration' | 'event_endpoint' | (string & {})
  /** The id of the project, flow or event endpoint; `null` for integrations. */
  resource_id: string | null
  /**
   * The key of the project, flow or event endpoint; `null` if it has no key. If an update changed the key, this is
   * the new key. For an integration, this is the provider.
   */
  key: string | null
  /** The API key that made the change; `null` if the change was made with an access token. */
  changed_by: string | null
  /** The `X-Request-Id` of the request that made the change. */
  request_id: string
  /**
   * For an update: a JSON Pointer (RFC 6901) to each changed field, such as `/target`, `/settings/host` or
   * `/secrets/password`. Empty for creations and deletions.
   */
  fields: string[]
  /**
   * The settings before the change, with the field names of the API; `null` for a creation. Only the names of
   * secrets are recorded, not their values.
   */
  before: Record<string, unknown> | null
  /**
   * The settings after the change, with the field names of the API; `null` for a deletion. Only the names of
   * secrets are recorded, not their values.
   */
  after: Record<string, unknown> | null
}

/** A message to send, and the flows through which to send it. */
export interface NotificationSend {
  /**
   * The id of the project. All of its active flows are triggered, unless `flow_id` or `flow` names one of them.
   * Required unless `project` is given.
   */
  project_id?: string | undefined
  /** The key of the project, instead of `project_id`. */
  project?: string | undefined
  /** Triggers only this flow. It must be active. */
  flow_id?: string | undefined
  /** The key of the flow, instead of `flow_id`. */
  flow?: string | undefined
  /**
   * The subject: a single line of 1 to 998 characters. It becomes the subject of emails and replaces `{{subject}}`
   * in templates.
   */
  subject: string
  /** The message: 1 to 100,000 characters. It replaces `{{message}}` in templates. */
  message: string
  /**
   * The format of the message. `text/html` is inserted as markup into `text/html` email templates. In all other
   * templates, it is converted to plain text. A template that contains only `{{message}}` is an exception: it
   * sends the message unmodified. Default: `"text/plain"`.
   */
  message_type?: 'text/plain' | 'text/html' | undefined
  /**
   * Overrides the flows' own targets. Contains up to 100 entries of the form `[<source_type>:]<address>`,
   * separated by `;`. A flow without a matching entry is skipped. If an entry matches a flow that does not allow
   * overrides, the request is rejected.
   */
  target?: string | undefined
  /** The earliest time to send the message, at most 30 days in the future. A time in the past means now. */
  send_at?: string | undefined
  /**
   * The time after which no attempt starts. It must be in the future and later than `send_at`. Deliveries that are
   * not sent by then are `canceled` with the failure code `expired`. An attempt in progress finishes.
   */
  expires_at?: string | undefined
  /**
   * An identifier that the sender chooses, 1 to 255 characters. It need not be unique. `GET /v1/notifications` can
   * filter by it.
   */
  reference?: string | undefined
  /**
   * Data that the sender attaches: up to 20 strings of up to 500 characters. The keys have 1 to 64 letters,
   * digits, underscores, periods or hyphens.
   */
  metadata?: Record<string, string> | undefined
}

/** An accepted notification with its deliveries. */
export interface Notification {
  /** The id of the notification. */
  id: string
  /** The id of the project that the notification belongs to. */
  project_id: string
  /** The status of the notification, aggregated from its deliveries. */
  status: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | (string & {})
  /** The subject; `null` if it is not stored, for example after its retention period or after an erasure. */
  subject: string | null
  /**
   * Whether the notification was sent with a test key. If so, all of its messages are captured instead of
   * delivered, even after a retry.
   */
  test: boolean
  /** The `reference` in the send request; `null` if it had none. */
  reference: string | null
  /** The `metadata` in the send request; empty if it had none. */
  metadata: Record<string, string>
  /** When the notification was accepted. */
  created_at: Timestamp
  /** The time after which no attempt starts; `null` if the notification does not expire. */
  expires_at: Timestamp | null
  /** The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all. */
  deliveries: Delivery[]
}

/** The delivery of a message to one target through one flow. */
export interface Delivery {
  /** The id of the delivery. */
  id: string
  /** The id of the flow that the delivery belongs to. */
  flow_id: string
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /**
   * The recipient. Later changes to the flow do not affect it. After the recipient is erased, the value is
   * `erased:` followed by a digest.
   */
  target: string
  /**
   * The status of the delivery. `sent` means that the provider accepted the message. `ambiguous` means that the
   * provider's response was lost, so the message may have been sent. `sent`, `failed`, `ambiguous` and `canceled`
   * are final.
   */
  status: 'queued' | 'sending' | 'sent' | 'retrying' | 'failed' | 'ambiguous' | 'canceled' | (string & {})
  /** Whether the message is captured: stored in the server's outbox instead of being sent. */
  captured: boolean
  /** The number of attempts so far. */
  attempt_count: number
  /** When the next attempt is due; `null` when none is scheduled. */
  next_attempt_at: Timestamp | null
  /** When the provider accepted the message; `null` until then. */
  sent_at: Timestamp | null
  /** The id that the provider assigned to the message; `null` if there is none. */
  provider_message_id: string | null
  /** The latest failure of the delivery; `null` if there is none. */
  failure: DeliveryFailure | null
  /**
   * A report of what happened to the message after the provider accepted it; `null` if there is none. It comes
   * from the provider, a bounce message or an API request, and never changes `status`. A retry requested through
   * the API removes it.
   */
  receipt: DeliveryReceipt | null
}

/** The reason why a delivery was not sent, or why its outcome is unknown. */
export interface DeliveryFailure {
  /**
   * The cause of the failure: `target`, `credential`, `content`, `rate` (a rate limit), `provider`, `ambiguous`
   * (the response was lost) or `expired` (the notification's `expires_at` has passed). `target` includes
   * suppressed and erased recipients (codes `suppressed` and `erased`).
   */
  kind: 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous' | 'expired' | (string & {})
  /** The provider's error code, or a code that Flowpost defines. */
  code: string
  /** Explains the failure. Never contains secrets. */
  detail: string
  /** Whether a later attempt with the same message may succeed. */
  retryable: boolean
}

/** A report of what happened to a message after the provider accepted it. */
export interface DeliveryReceipt {
  /**
   * `delivered`: the recipient's mail server or service accepted the message. `bounced`: the message was rejected
   * permanently. `complained`: the recipient reported it as spam. `complained` replaces `bounced`, which replaces
   * `delivered`. Of several receipts with the same status, the earliest is kept. Exception: a bounce that
   * suppresses the recipient replaces a bounce that does not.
   */
  status: 'delivered' | 'bounced' | 'complained' | (string & {})
  /** When the reported event happened. */
  at: Timestamp
  /** The code from the provider or mail server, such as `5.1.1`; `null` if there is none. */
  code: string | null
  /** The explanation from the provider or mail server; `null` if there is none, or if it must not be stored. */
  detail: string | null
}

/** The notifications of a batch. */
export interface NotificationBatch {
  /** 1 to 500 notifications. They may belong to different projects. */
  notifications: NotificationBatchItem[]
}

/** A message to send, the flows through which to send it, and optionally an idempotency key. */
export interface NotificationBatchItem {
  /**
   * The id of the project. All of its active flows are triggered, unless `flow_id` or `flow` names one of them.
   * Required unless `project` is given.
   */
  project_id?: string | undefined
  /** The key of the project, instead of `project_id`. */
  project?: string | undefined
  /** Triggers only this flow. It must be active. */
  flow_id?: string | undefined
  /** The key of the flow, instead of `flow_id`. */
  flow?: string | undefined
  /**
   * The subject: a single line of 1 to 998 characters. It becomes the subject of emails and replaces `{{subject}}`
   * in templates.
   */
  subject: string
  /** The message: 1 to 100,000 characters. It replaces `{{message}}` in templates. */
  message: string
  /**
   * The format of the message. `text/html` is inserted as markup into `text/html` email templates. In all other
   * templates, it is converted to plain text. A template that contains only `{{message}}` is an exception: it
   * sends the message unmodified. Default: `"text/plain"`.
   */
  message_type?: 'text/plain' | 'text/html' | undefined
  /**
   * Overrides the flows' own targets. Contains up to 100 entries of the form `[<source_type>:]<address>`,
   * separated by `;`. A flow without a matching entry is skipped. If an entry matches a flow that does not allow
   * overrides, the request is rejected.
   */
  target?: string | undefined
  /** The earliest time to send the message, at most 30 days in the future. A time in the past means now. */
  send_at?: string | undefined
  /**
   * The time after which no attempt starts. It must be in the future and later than `send_at`. Deliveries that are
   * not sent by then are `canceled` with the failure code `expired`. An attempt in progress finishes.
   */
  expires_at?: string | undefined
  /**
   * An identifier that the sender chooses, 1 to 255 characters. It need not be unique. `GET /v1/notifications` can
   * filter by it.
   */
  reference?: string | undefined
  /**
   * Data that the sender attaches: up to 20 strings of up to 500 characters. The keys have 1 to 64 letters,
   * digits, underscores, periods or hyphens.
   */
  metadata?: Record<string, string> | undefined
  /**
   * Makes retries of this notification safe, in the same way as the `Idempotency-Key` header of a single send.
   * Single sends and batches share these keys. By default, the `Idempotency-Key` header of the batch, if any,
   * applies to the notification.
   */
  idempotency_key?: string | undefined
}

/** The result of a batch: one result for each notification, in order. */
export interface NotificationBatchResult {
  /** One result for each notification, in the order of the request. */
  results: (AcceptedBatchItem | RejectedBatchItem)[]
}

/** An accepted notification in a batch. */
export interface AcceptedBatchItem {
  /** The notification was accepted. */
  status: 202
  /** An accepted notification with its deliveries. */
  notification: Notification
}

/**
 * A rejected notification in a batch, with the problem that a single send would return. After 1,000 validation
 * errors in a batch, each further problem lists only its first error.
 */
export interface RejectedBatchItem {
  /** The HTTP status of the problem. Retry if it is 429, 500 or 503, or if `code` is `idempotency_in_progress`. */
  status: 404 | 409 | 422 | 429 | 500 | 503
  /** An error response as defined by RFC 9457, with a stable code. */
  problem: Problem
}

/** An error response as defined by RFC 9457, with a stable code. */
export interface Problem {
  /** A URI that identifies the type of problem. */
  type: string
  /** A short summary of the type of problem. */
  title: string
  /** The HTTP status code. */
  status: number
  /** Describes what went wrong in this request and how to fix it. */
  detail: string
  /** A stable, machine-readable code for the type of problem. */
  code:
    | 'invalid_json'
    | 'malformed_header'
    | 'invalid_cursor'
    | 'unauthenticated'
    | 'scope_missing'
    | 'not_found'
    | 'method_not_allowed'
    | 'project_name_taken'
    | 'key_taken'
    | 'no_active_flows'
    | 'flow_inactive'
    | 'integration_missing'
    | 'encryption_not_configured'
    | 'settings_too_large'
    | 'not_retryable'
    | 'too_many_event_endpoints'
    | 'event_endpoint_without_url'
    | 'delivery_not_attempted'
    | 'inbound_not_supported'
    | 'idempotency_not_replayable'
    | 'idempotency_in_progress'
    | 'report_rejected'
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
  /** The same value as the response header `X-Request-Id`. It identifies the request in the server log. */
  request_id: string
  /** The validation errors of the request; at most 1,000 are listed. */
  errors?: FieldError[] | undefined
}

/** A validation error in one field. */
export interface FieldError {
  /** The part of the request that contains the field. */
  in: 'body' | 'query' | 'header' | (string & {})
  /**
   * A JSON Pointer (RFC 6901) to the field in the part named by `in`. If the pointer would have more than 256
   * characters, it points to the closest enclosing field instead.
   */
  pointer: string
  /** A stable, machine-readable code for the kind of error. */
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
  /** Describes the error and the expected value. */
  message: string
}

/** The operation's query parameters. */
export interface NotificationListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
  /** Returns only notifications of this project. */
  project_id?: string | undefined
  /** Returns only notifications with a delivery through this flow. */
  flow_id?: string | undefined
  /** Returns only notifications with this status. */
  status?: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | undefined
  /** Returns only notifications with exactly this reference. */
  reference?: string | undefined
  /**
   * Returns only notifications with a delivery to this recipient. The comparison ignores case in the domain of an
   * email address. Everything else must match exactly.
   */
  target?: string | undefined
  /** Returns only notifications with a delivery through this provider. */
  source_type?: string | undefined
  /** Returns only notifications with a delivery whose `failure` has this kind. */
  failure_kind?: 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous' | 'expired' | undefined
  /** Returns only notifications with a delivery whose `failure` has this code. */
  failure_code?: string | undefined
  /** Returns only notifications that were accepted at this time or later. */
  created_after?: string | undefined
  /** Returns only notifications that were accepted before this time. */
  created_before?: string | undefined
}

/** A notification with its deliveries and their attempts. */
export interface NotificationWithAttempts {
  /** The id of the notification. */
  id: string
  /** The id of the project that the notification belongs to. */
  project_id: string
  /** The status of the notification, aggregated from its deliveries. */
  status: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | (string & {})
  /** The subject; `null` if it is not stored, for example after its retention period or after an erasure. */
  subject: string | null
  /**
   * Whether the notification was sent with a test key. If so, all of its messages are captured instead of
   * delivered, even after a retry.
   */
  test: boolean
  /** The `reference` in the send request; `null` if it had none. */
  reference: string | null
  /** The `metadata` in the send request; empty if it had none. */
  metadata: Record<string, string>
  /** When the notification was accepted. */
  created_at: Timestamp
  /** The time after which no attempt starts; `null` if the notification does not expire. */
  expires_at: Timestamp | null
  /** The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all. */
  deliveries: DeliveryWithAttempts[]
}

/** A delivery with its attempts. */
export interface DeliveryWithAttempts {
  /** The id of the delivery. */
  id: string
  /** The id of the flow that the delivery belongs to. */
  flow_id: string
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /**
   * The recipient. Later changes to the flow do not affect it. After the recipient is erased, the value is
   * `erased:` followed by a digest.
   */
  target: string
  /**
   * The status of the delivery. `sent` means that the provider accepted the message. `ambiguous` means that the
   * provider's response was lost, so the message may have been sent. `sent`, `failed`, `ambiguous` and `canceled`
   * are final.
   */
  status: 'queued' | 'sending' | 'sent' | 'retrying' | 'failed' | 'ambiguous' | 'canceled' | (string & {})
  /** Whether the message is captured: stored in the server's outbox instead of being sent. */
  captured: boolean
  /** The number of attempts so far. */
  attempt_count: number
  /** When the next attempt is due; `null` when none is scheduled. */
  next_attempt_at: Timestamp | null
  /** When the provider accepted the message; `null` until then. */
  sent_at: Timestamp | null
  /** The id that the provider assigned to the message; `null` if there is none. */
  provider_message_id: string | null
  /** The latest failure of the delivery; `null` if there is none. */
  failure: DeliveryFailure | null
  /**
   * A report of what happened to the message after the provider accepted it; `null` if there is none. It comes
   * from the provider, a bounce message or an API request, and never changes `status`. A retry requested through
   * the API removes it.
   */
  receipt: DeliveryReceipt | null
  /**
   * The most recent attempts, oldest first: up to 20 when embedded in a notification, up to 100 in a list of
   * deliveries. `attempt_count` is the total.
   */
  attempts: Attempt[]
}

/** One attempt to hand a message to its provider. */
export interface Attempt {
  /** The id of the attempt. */
  id: string
  /** The number of the attempt, starting at 1. */
  number: number
  /** When the attempt started. */
  started_at: Timestamp
  /** The duration of the attempt in milliseconds; `null` while it is in progress, or if it was interrupted. */
  duration_ms: number | null
  /** The outcome of the attempt; `sending` while it is in progress. */
  outcome: 'sending' | 'sent' | 'captured' | 'retrying' | 'failed' | 'ambiguous' | (string & {})
  /**
   * The provider's response or Flowpost's explanation of the outcome, shortened and without secrets; `null` if
   * there is none. In two cases, only the codes in the provider's response are stored, not its text: the message
   * was sent with a credential of the deployment, or the deployment does not store message content.
   */
  provider_response: string | null
}

/** The operation's query parameters. */
export interface NotificationGetParams {
  /** The maximum number of seconds, 1 to 60, to wait until every delivery has a final status. */
  wait?: number | undefined
}

/** The operation's query parameters. */
export interface NotificationDeliveriesParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** Why a notification triggered some flows and not others, according to the settings at the time of acceptance. */
export interface NotificationExplanation {
  /** The id of the notification. */
  notification_id: string
  /** When the notification was accepted. */
  accepted_at: Timestamp
  /**
   * The flow that the request named, and whether the request had a `target`; `null` if an older release accepted
   * the notification without recording this.
   */
  request: {
    /** The flow that the request named, by id or by key; `null` if it named none. */
    flow_id: string | null
    /** Whether the request had a `target`. */
    has_target: boolean
  } | null
  /**
   * The flows that the project had when the notification was accepted, ordered by id. If the notification cannot
   * be explained, this field is `null`, and the field `unknown` states the reason.
   */
  flows: ExplainedFlow[] | null
  /** The reason why the notification cannot be explained; `null` if it is explained. */
  unknown: {
    /**
     * `before_history`: the notification was accepted before the recorded settings history starts.
     * `request_not_recorded`: an older release accepted the notification without recording the request.
     * `settings_not_recorded`: the recorded settings do not match the deliveries, for example because an older
     * release changed the settings during an upgrade.
     */
    code: 'before_history' | 'request_not_recorded' | 'settings_not_recorded' | (string & {})
    /** Explains `code`. */
    detail: string
  } | null
}

/** The effect of a notification on one flow, given the settings at the time of acceptance. */
export interface ExplainedFlow {
  /** The id of the flow. */
  flow_id: string
  /** The key of the flow when the notification was accepted; `null` if it had none. */
  key: string | null
  /** The name of the flow when the notification was accepted. */
  name: string
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** Whether the notification triggered the flow. */
  outcome: 'triggered' | 'skipped' | (string & {})
  /**
   * Why the flow was skipped: the request named another flow (`not_named`), the flow was inactive, or no entry in
   * the request's `target` matched the flow (`not_targeted`). `null` for a triggered flow.
   */
  reason: 'not_named' | 'inactive' | 'not_targeted' | (string & {}) | null
}

/** The preview of a notification, with one entry for each flow. */
export interface NotificationPreview {
  /** All of the project's flows, or only the named flow, ordered by id. */
  flows: PreviewedFlow[]
}

/** The preview of a notification for one flow. */
export interface PreviewedFlow {
  /** The id of the flow. */
  flow_id: string
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /** Whether the notification would trigger the flow. */
  outcome: 'matched' | 'skipped' | (string & {})
  /**
   * Why the flow would be skipped: it is inactive (`inactive`), or no entry of `target` matches it
   * (`not_targeted`). `null` when `outcome` is `matched`.
   */
  reason: 'inactive' | 'not_targeted' | (string & {}) | null
  /** The recipients; empty when the flow is skipped. */
  targets: string[]
  /**
   * The entries of `targets` that are on the project's suppression list. Their deliveries would fail at once with
   * the code `suppressed`.
   */
  suppressed: string[]
  /** Whether the message would be captured in the server's outbox instead of being sent. */
  captured: boolean
  /** The rendered message; `null` when the flow is skipped. */
  content: {
    /** The subject of the message, on a single line. */
    subject: string
    /** The text of the message, or the plain-text alternative of an HTML email. */
    text: string
    /** The HTML of an email; `null` for other messages. */
    html: string | null
    /** The total size of subject, text and HTML, in UTF-8 bytes. */
    bytes: number
  } | null
  /** The problems with this flow that would cause the whole notification to be rejected; empty when there are none. */
  faults: {
    /** The problem code that a send request would return. */
    code: 'content_too_long' | 'integration_missing' | (string & {})
    /** Describes the problem. */
    message: string
  }[]
}

/** A report of what happened to a message after the provider accepted it. */
export interface ReceiptCreate {
  /**
   * `delivered`: the recipient's service accepted the message. `bounced`: the service rejected the message
   * permanently. `complained`: the recipient reported the message as spam.
   */
  status: 'delivered' | 'bounced' | 'complained'
  /** When the reported event happened. A time in the future counts as now. Default: now. */
  at?: string | undefined
  /**
   * The provider's code for the event, 1 to 100 characters on one line. For a bounce, an enhanced status code (RFC
   * 3463), such as `5.1.1`, decides whether the recipient is suppressed.
   */
  code?: string | undefined
  /** An explanation, 1 to 1,000 characters. Stored as one line. */
  detail?: string | undefined
}

/** The fields of a new bulk action. */
export interface BulkActionCreate {
  /**
   * The change to each selected delivery: `retry` queues a failed or ambiguous delivery again with a new retry
   * budget, and `cancel` cancels a delivery that is queued or waiting for a retry.
   */
  action: 'retry' | 'cancel'
  /** The deliveries that a bulk action selects. A delivery must match all filters. */
  filter: BulkActionFilter
  /**
   * Spreads the retried deliveries evenly over this many seconds, 0 to 86,400, starting when the action is
   * created. Default: 0, which retries them as fast as the providers accept them. Has no effect on `cancel`.
   */
  spread_seconds?: number | undefined
  /** Whether to only count the selected deliveries, without changing them. Default: `false`. */
  dry_run?: boolean | undefined
}

/** The deliveries that a bulk action selects. A delivery must match all filters. */
export interface BulkActionFilter {
  /** The project of the deliveries. */
  project_id: string
  /** Selects deliveries whose notifications were accepted at this time or later. */
  created_after: string
  /**
   * Selects deliveries whose notifications were accepted before this time. Default: the time at which the action
   * is created.
   */
  created_before?: string | undefined
  /** Selects only deliveries through this flow, which must belong to the project. */
  flow_id?: string | undefined
  /** Selects only deliveries through this provider. */
  source_type?: string | undefined
  /**
   * Selects only deliveries with this status: `failed` or `ambiguous` for `retry`, `queued` or `retrying` for
   * `cancel`. Default: every status that the action can change. Without `status`, `cancel` also selects deliveries
   * that are being sent. It does not cancel them, but counts them as skipped.
   */
  status?: 'failed' | 'ambiguous' | 'queued' | 'retrying' | undefined
  /** Selects only deliveries whose `failure` has this kind. */
  failure_kind?: 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous' | 'expired' | undefined
  /** Selects only deliveries whose `failure` has this code. */
  failure_code?: string | undefined
}

/** Counts of the deliveries that a bulk action would select. */
export interface BulkActionPreview {
  /** The number of deliveries that match. */
  matched: number
  /**
   * Whether all notifications in the time range were examined. `false` means that there are too many of them,
   * usually more than 100,000. In this case, `matched` and `counts` cover only the oldest ones.
   */
  is_complete: boolean
  /**
   * The number of matching deliveries for each combination of status and failure code, highest number first; at
   * most 100 entries.
   */
  counts: {
    /** The status of the deliveries. */
    status: string
    /** The failure code of the deliveries; `null` if they have none. */
    failure_code: string | null
    /** The number of deliveries. */
    count: number
  }[]
}

/** A retry or cancellation of many deliveries, and its progress. */
export interface BulkAction {
  /** The id of the bulk action. */
  id: string
  /** The change to each selected delivery. */
  action: 'retry' | 'cancel' | (string & {})
  /**
   * The status of the action. `done` and `stopped` are final. `done` does not mean that the retried messages have
   * already been sent.
   */
  status: 'running' | 'done' | 'stopped' | (string & {})
  /** The deliveries that the bulk action selects. */
  filter: AppliedBulkActionFilter
  /** The number of seconds over which retried deliveries are spread. */
  spread_seconds: number
  /** The number of deliveries that have matched so far: the sum of `done` and `skipped`. */
  matched: number
  /** The number of deliveries that have been retried or canceled so far. */
  done: number
  /**
   * The number of deliveries that have matched so far but could not be changed. A retry skips a delivery if its
   * flow was deleted, its message is no longer stored, or its notification has expired. If a test key created the
   * action, a retry also skips the deliveries of live notifications. A cancellation skips deliveries that are
   * being sent.
   */
  skipped: number
  /** When the action was created. */
  created_at: Timestamp
  /** When the action became `done` or `stopped`; `null` while it is running. */
  completed_at: Timestamp | null
}

/** The deliveries that the bulk action selects. */
export interface AppliedBulkActionFilter {
  /** The project of the deliveries. */
  project_id: string
  /** The time at or after which the notifications were accepted. */
  created_after: Timestamp
  /** The notifications were accepted before this time. `null` means the time at which the action was created. */
  created_before: Timestamp | null
  /** The flow of the deliveries; `null` for all flows. */
  flow_id: string | null
  /** The provider of the deliveries; `null` for all providers. */
  source_type: string | null
  /** The status of the deliveries; `null` for every status that the action can change. */
  status: 'failed' | 'ambiguous' | 'queued' | 'retrying' | (string & {}) | null
  /** The kind of the failures; `null` for all kinds. */
  failure_kind: 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous' | 'expired' | (string & {}) | null
  /** The code of the failures; `null` for all codes. */
  failure_code: string | null
}

/** The operation's query parameters. */
export interface BulkActionListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** The operation's query parameters. */
export interface BulkActionGetParams {
  /** The maximum number of seconds, 1 to 60, to wait until the action is done or stopped. */
  wait?: number | undefined
}

/** The recipient to erase. */
export interface ErasureCreate {
  /**
   * The recipient, as `[<source_type>:]<address>`. Without a source type, the deliveries of every provider that
   * accepts the address are erased. With a source type, deliveries to the address through other providers keep
   * their target and their captured messages. Email addresses are compared without regard to case.
   */
  target: string
  /**
   * Whether to suppress the recipient in every project that the user has now, so that nothing is sent to it again.
   * Default: `false`.
   */
  block?: boolean | undefined
}

/** The record of an erasure. It remains as proof and does not contain the address. */
export interface Erasure {
  /** The id of the erasure. */
  id: string
  /** Whether the erasure is in progress (`running`) or complete (`done`). */
  status: 'running' | 'done' | (string & {})
  /** `erased:` followed by a digest of the recipient. This text replaces the address in the delivery log. */
  target: string
  /**
   * The only provider whose deliveries are erased; `null` if the erasure covers every provider that accepts the
   * address.
   */
  source_type: string | null
  /** Whether the recipient was also suppressed in every project that the user had when the erasure was requested. */
  block: boolean
  /** The number of deliveries that have been erased so far. */
  deliveries: number
  /** The API key that requested the erasure; `null` if it was requested with an access token. */
  requested_by: string | null
  /** When the erasure was requested. */
  created_at: Timestamp
  /** When the erasure was completed; `null` until then. */
  done_at: Timestamp | null
}

/** The fields of a new event endpoint. */
export interface EventEndpointCreate {
  /**
   * The HTTPS URL that receives the events; `null` if events are only read with `GET /v1/events`. Plain HTTP works
   * only in networks that the deployment allows.
   */
  url: string | null
  /** The event types that the endpoint receives. There is no wildcard. */
  events: (
    | 'notification.settled'
    | 'delivery.sent'
    | 'delivery.failed'
    | 'delivery.ambiguous'
    | 'delivery.canceled'
    | 'delivery.receipt'
    | 'flow.unhealthy'
    | 'flow.healthy'
  )[]
  /**
   * Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it
   * stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose
   * type it lists. Default: `true`.
   */
  active?: boolean | undefined
  /**
   * A description for human readers, up to 255 characters without control characters. Trimmed and normalized to
   * Unicode NFC. Default: `""`.
   */
  description?: string | undefined
  /**
   * A key that identifies the endpoint in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be
   * unique in the project. `null` removes the key.
   */
  key?: string | null | undefined
}

/** An event endpoint with a new signing secret. The secret is shown only once. */
export interface EventEndpointWithSecret {
  /** The id of the endpoint. */
  id: string
  /** The id of the project whose events the endpoint receives. */
  project_id: string
  /** The URL that receives the events; `null` if events are only read with `GET /v1/events`. */
  url: string | null
  /** The event types that the endpoint receives. */
  events: (
    | 'notification.settled'
    | 'delivery.sent'
    | 'delivery.failed'
    | 'delivery.ambiguous'
    | 'delivery.canceled'
    | 'delivery.receipt'
    | 'flow.unhealthy'
    | 'flow.healthy'
    | (string & {})
  )[]
  /**
   * Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it
   * stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose
   * type it lists.
   */
  active: boolean
  /** The key that identifies the endpoint in files and code; `null` if it has none. It is unique in the project. */
  key: string | null
  /** A description for human readers; empty if there is none. */
  description: string
  /**
   * The health of an event endpoint: whether it accepts the events that are sent to it. The endpoint's `ETag` does
   * not depend on its health, so a health change never makes an update fail with 412.
   */
  health: EventEndpointHealth
  /** When the endpoint was created. */
  created_at: Timestamp
  /** When the endpoint was last changed. */
  updated_at: Timestamp
  /**
   * The signing secret: `whsec_` followed by 32 random bytes in base64. Verify the signature of every request with
   * it, as specified by Standard Webhooks. It is shown only once.
   */
  secret: string
}

/**
 * The health of an event endpoint: whether it accepts the events that are sent to it. The endpoint's `ETag` does
 * not depend on its health, so a health change never makes an update fail with 412.
 */
export interface EventEndpointHealth {
  /**
   * `unknown` before the first event and after an update or a replay. `healthy` after the endpoint accepts an
   * event. `failing` while a failed event is being retried. `disabled` after all requests fail for the whole retry
   * period, or after the endpoint returns 410. Events for a disabled endpoint are stored, but they are not sent
   * until the endpoint is updated or events are replayed.
   */
  status: 'unknown' | 'healthy' | 'failing' | 'disabled' | (string & {})
  /**
   * The code of the latest failure, such as `http_503` or `timed_out`; `null` if the endpoint is neither failing
   * nor disabled.
   */
  code: string | null
  /** Explains `code`; `null` when `code` is `null`. Never contains secrets. */
  detail: string | null
  /** When `status` last changed; `null` while `status` is `unknown`. */
  since: Timestamp | null
  /** When the failed event will be retried next; `null` if the endpoint is not failing. */
  next_attempt_at: Timestamp | null
}

/** The operation's query parameters. */
export interface EventEndpointListParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** A subscription to a project's events, without its signing secret. */
export interface EventEndpoint {
  /** The id of the endpoint. */
  id: string
  /** The id of the project whose events the endpoint receives. */
  project_id: string
  /** The URL that receives the events; `null` if events are only read with `GET /v1/events`. */
  url: string | null
  /** The event types that the endpoint receives. */
  events: (
    | 'notification.settled'
    | 'delivery.sent'
    | 'delivery.failed'
    | 'delivery.ambiguous'
    | 'delivery.canceled'
    | 'delivery.receipt'
    | 'flow.unhealthy'
    | 'flow.healthy'
    | (string & {})
  )[]
  /**
   * Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it
   * stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose
   * type it lists.
   */
  active: boolean
  /** The key that identifies the endpoint in files and code; `null` if it has none. It is unique in the project. */
  key: string | null
  /** A description for human readers; empty if there is none. */
  description: string
  /**
   * The health of an event endpoint: whether it accepts the events that are sent to it. The endpoint's `ETag` does
   * not depend on its health, so a health change never makes an update fail with 412.
   */
  health: EventEndpointHealth
  /** When the endpoint was created. */
  created_at: Timestamp
  /** When the endpoint was last changed. */
  updated_at: Timestamp
}

/**
 * All changeable fields of an event endpoint. Every field except `key` is required. An omitted `key` stays as it
 * is.
 */
export interface EventEndpointUpdate {
  /**
   * The HTTPS URL that receives the events; `null` if events are only read with `GET /v1/events`. Plain HTTP works
   * only in networks that the deployment allows.
   */
  url: string | null
  /** The event types that the endpoint receives. There is no wildcard. */
  events: (
    | 'notification.settled'
    | 'delivery.sent'
    | 'delivery.failed'
    | 'delivery.ambiguous'
    | 'delivery.canceled'
    | 'delivery.receipt'
    | 'flow.unhealthy'
    | 'flow.healthy'
  )[]
  /**
   * Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it
   * stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose
   * type it lists.
   */
  active: boolean
  /**
   * A description for human readers, up to 255 characters without control characters. Trimmed and normalized to
   * Unicode NFC.
   */
  description: string
  /**
   * A key that identifies the endpoint in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be
   * unique in the project. `null` removes the key.
   */
  key?: string | null | undefined
}

/** One request that sent an event to an endpoint. */
export interface EventAttempt {
  /** The id of the request. */
  id: string
  /** The id of the event. The request header `webhook-id` contains it. */
  event_id: string
  /** The type of the event. */
  type:
    | 'notification.settled'
    | 'delivery.sent'
    | 'delivery.failed'
    | 'delivery.ambiguous'
    | 'delivery.canceled'
    | 'delivery.receipt'
    | 'flow.unhealthy'
    | 'flow.healthy'
    | 'test.ping'
    | (string & {})
  /** `delivered` if the endpoint responded with a status from 200 to 299, otherwise `failed`. */
  outcome: 'delivered' | 'failed' | (string & {})
  /** The HTTP status of the response; `null` if there was none. */
  status: number | null
  /** The code of the failure, such as `http_503` or `timed_out`; `null` if the event was delivered. */
  code: string | null
  /** Explains the failure; `null` if the event was delivered. Never contains secrets. */
  detail: string | null
  /** The duration of the request in milliseconds. */
  duration_ms: number
  /** When the request started. */
  created_at: Timestamp
}

/** The operation's query parameters. */
export interface EventEndpointAttemptsParams {
  /**
   * The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to
   * about 1 MiB. Only a `next_cursor` of `null` marks the last page. Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the
   * same filters.
   */
  cursor?: string | undefined
}

/** The event after which to resume sending. */
export interface EventReplay {
  /**
   * The id of the event after which to start. This event itself is not sent again. `null` starts with the
   * project's oldest stored event.
   */
  after: string | null
}

/** The operation's query parameters. */
export interface EventListParams {
  /**
   * The maximum number of events, 1 to 1000. A response can contain fewer events, or none, because its size is
   * limited to about 1 MiB and a request examines a limited number of events. `cursor` advances even then.
   * Default: `100`.
   */
  limit?: number | undefined
  /**
   * The `cursor` of the previous response. By default, the response starts with the oldest stored event. A cursor
   * is valid only with the same filters.
   */
  cursor?: string | undefined
  /** Returns only events of this type. */
  type?:
    | 'notification.settled'
    | 'delivery.sent'
    | 'delivery.failed'
    | 'delivery.ambiguous'
    | 'delivery.canceled'
    | 'delivery.receipt'
    | 'flow.unhealthy'
    | 'flow.healthy'
    | undefined
  /** Returns only events of this project. */
  project_id?: string | undefined
  /** The maximum number of seconds, 0 to 60, to wait for an event if there is none after `cursor`. */
  wait?: number | undefined
}

/** A page of the event feed, with the cursor for the next request. */
export interface EventFeed {
  /** The events, oldest first. Empty if there are no new events yet. */
  data: Event[]
  /**
   * The position after the last event. Pass it as `cursor` in the next request, even if this response is empty. It
   * does not expire.
   */
  cursor: string
}

/** An event in the feed. A newer server can return event types that the client does not know. */
export type Event =
  | {
      /** The id of the event. A receiver can use it to detect duplicates. */
      id: string
      /** When the event occurred. */
      created_at: Timestamp
      /** The type of the event. */
      type: 'notification.settled'
      /**
       * A completed notification with its deliveries, as `GET /v1/notifications/{notification_id}` returns it, but
       * without its subject.
       */
      data: EventNotification
    }
  | DeliverySentEvent
  | DeliveryFailedEvent
  | DeliveryAmbiguousEvent
  | DeliveryCanceledEvent
  | DeliveryReceiptEvent
  | FlowUnhealthyEvent
  | FlowHealthyEvent

/**
 * A completed notification with its deliveries, as `GET /v1/notifications/{notification_id}` returns it, but
 * without its subject.
 */
export interface EventNotification {
  /** The id of the notification. */
  id: string
  /** The id of the project that the notification belongs to. */
  project_id: string
  /** The status of the notification, aggregated from its deliveries. */
  status: 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | (string & {})
  /**
   * Whether the notification was sent with a test key. If so, all of its messages are captured instead of
   * delivered, even after a retry.
   */
  test: boolean
  /** The `reference` in the send request; `null` if it had none. */
  reference: string | null
  /** The `metadata` in the send request; empty if it had none. */
  metadata: Record<string, string>
  /** When the notification was accepted. */
  created_at: Timestamp
  /** The time after which no attempt starts; `null` if the notification does not expire. */
  expires_at: Timestamp | null
  /** The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all. */
  deliveries: DeliveryWithAttempts[]
}

/** The provider accepted the message. */
export interface DeliverySentEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'delivery.sent'
  /** A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata. */
  data: EventDelivery
}

/** A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata. */
export interface EventDelivery {
  /** The id of the delivery. */
  id: string
  /** The id of the flow that the delivery belongs to. */
  flow_id: string
  /**
   * The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams`
   * for chat, and `webhook` for HTTP requests. A deployment can register more.
   */
  source_type: 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
  /**
   * The recipient. Later changes to the flow do not affect it. After the recipient is erased, the value is
   * `erased:` followed by a digest.
   */
  target: string
  /**
   * The status of the delivery. `sent` means that the provider accepted the message. `ambiguous` means that the
   * provider's response was lost, so the message may have been sent. `sent`, `failed`, `ambiguous` and `canceled`
   * are final.
   */
  status: 'queued' | 'sending' | 'sent' | 'retrying' | 'failed' | 'ambiguous' | 'canceled' | (string & {})
  /** Whether the message is captured: stored in the server's outbox instead of being sent. */
  captured: boolean
  /** The number of attempts so far. */
  attempt_count: number
  /** When the next attempt is due; `null` when none is scheduled. */
  next_attempt_at: Timestamp | null
  /** When the provider accepted the message; `null` until then. */
  sent_at: Timestamp | null
  /** The id that the provider assigned to the message; `null` if there is none. */
  provider_message_id: string | null
  /** The latest failure of the delivery; `null` if there is none. */
  failure: DeliveryFailure | null
  /**
   * A report of what happened to the message after the provider accepted it; `null` if there is none. It comes
   * from the provider, a bounce message or an API request, and never changes `status`. A retry requested through
   * the API removes it.
   */
  receipt: DeliveryReceipt | null
  /**
   * The most recent attempts, oldest first: up to 20 when embedded in a notification, up to 100 in a list of
   * deliveries. `attempt_count` is the total.
   */
  attempts: Attempt[]
  /** The id of the notification that the delivery belongs to. */
  notification_id: string
  /** The id of the project that the notification belongs to. */
  project_id: string
  /**
   * Whether the notification was sent with a test key. If so, all of its messages are captured instead of
   * delivered, even after a retry.
   */
  test: boolean
  /** The `reference` in the send request; `null` if it had none. */
  reference: string | null
  /** The `metadata` in the send request; empty if it had none. */
  metadata: Record<string, string>
}

/** The delivery failed permanently. */
export interface DeliveryFailedEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'delivery.failed'
  /** A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata. */
  data: EventDelivery
}

/** The provider's response was lost, so the message may have been sent. */
export interface DeliveryAmbiguousEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'delivery.ambiguous'
  /** A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata. */
  data: EventDelivery
}

/** The delivery was canceled, or expired. */
export interface DeliveryCanceledEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'delivery.canceled'
  /** A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata. */
  data: EventDelivery
}

/** A receipt was recorded: a report of what happened to the message after the provider accepted it. */
export interface DeliveryReceiptEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'delivery.receipt'
  /** A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata. */
  data: EventDelivery
}

/** The flow became unhealthy. */
export interface FlowUnhealthyEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'flow.unhealthy'
  /** A flow: the provider, target and template with which a project sends messages. */
  data: Flow
}

/** The health of the flow changed from `unhealthy` or `unknown` to `healthy`. */
export interface FlowHealthyEvent {
  /** The id of the event. A receiver can use it to detect duplicates. */
  id: string
  /** When the event occurred. */
  created_at: Timestamp
  /** The type of the event. */
  type: 'flow.healthy'
  /** A flow: the provider, target and template with which a project sends messages. */
  data: Flow
}
