import type { EventEndpointCreate, FlowCreate } from '@flowpost/client'

/** A delivery provider, such as `smtp`. A deployment can add its own providers to the built-in ones. */
export type SourceType = FlowCreate['source_type']

/** An HTML template, created with the `html` tag. */
export interface HtmlTemplate {
  readonly html: string
}

/** A flow in a config file. The flow's key in `Config.flows` identifies it in files and code. */
export interface FlowConfig {
  /** The name of the flow. Defaults to the flow's key. */
  readonly name?: string | undefined
  /** Whether notifications trigger the flow. @default true */
  readonly active?: boolean | undefined
  readonly source_type: SourceType
  /** The default recipient, such as an email address or a channel id. */
  readonly target: string
  /** Whether a notification's `target` can override the flow's target. @default false */
  readonly override_target?: boolean | undefined
  /**
   * The template, with the placeholders `{{subject}}` and `{{message}}`. Use the `html` tag for an HTML template.
   * @default "{{message}}"
   */
  readonly message_template?: string | HtmlTemplate | undefined
  /** The format of a `message_template` that is a string. @default "text/plain" */
  readonly message_template_type?: 'text/plain' | 'text/html' | undefined
}

/**
 * The name of the environment variable that contains a secret. The variable is read when the config is applied. The
 * config file never contains the secret.
 */
export interface SecretReference {
  readonly env: string
}

/**
 * Returns whether a secret is a reference. If `env` is not a string, the secret is a record of references, one of which is
 * named `env`.
 */
export const isReference = (secret: unknown): secret is SecretReference =>
  typeof secret === 'object' && secret !== null && 'env' in secret && typeof secret.env === 'string'

/** A project's settings and secrets for a provider. */
export interface IntegrationConfig {
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** The secrets, keyed by name. Unlisted secrets keep their values. */
  readonly secrets?: Readonly<Record<string, SecretReference | Readonly<Record<string, SecretReference>>>> | undefined
}

/** A type of event, such as `delivery.failed`. */
export type EventType = EventEndpointCreate['events'][number]

/** An event endpoint in a config file. The server creates the signing secret, which is never in the file. */
export interface EventEndpointConfig {
  /**
   * The HTTPS URL that receives the events. Plain HTTP works only in networks that the server allows. Without a URL, events can
   * only be read from the feed.
   *
   * @default null
   */
  readonly url?: string | null | undefined
  readonly events: readonly EventType[]
  /** @default true */
  readonly active?: boolean | undefined
  /** A note for people. @default "" */
  readonly description?: string | undefined
}

/** A project with its flows, integrations and event endpoints, as a config file describes it. */
export interface Config {
  readonly project: {
    /** The key that identifies the project in files and code: at most 64 lower-case letters, digits and hyphens. */
    readonly key: string
    readonly name: string
  }
  /** The flows, keyed by flow key. */
  readonly flows: Readonly<Record<string, FlowConfig>>
  /** The integrations, keyed by provider. */
  readonly integrations?: Readonly<Record<string, IntegrationConfig>> | undefined
  /** The event endpoints, keyed by endpoint key. */
  readonly event_endpoints?: Readonly<Record<string, EventEndpointConfig>> | undefined
}
