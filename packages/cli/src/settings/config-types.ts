import type { EventEndpointCreate, FlowCreate } from '@flowpost/client'

/** A delivery provider, such as `smtp`. A deployment can register more than the built-in ones. */
export type SourceType = FlowCreate['source_type']

/** An HTML template, as `html` creates it. */
export interface HtmlTemplate {
  readonly html: string
}

/** A flow in a config file. The key of the flow names it in files and code. */
export interface FlowConfig {
  /** The name of the flow. Defaults to its key. */
  readonly name?: string | undefined
  /** @default true */
  readonly active?: boolean | undefined
  readonly source_type: SourceType
  /** The default recipient, such as an email address or the id of a channel. */
  readonly target: string
  /** @default false */
  readonly override_target?: boolean | undefined
  /**
   * The template, with the placeholders `{{subject}}` and `{{message}}`. With the `html` tag, the template is HTML.
   * @default "{{message}}"
   */
  readonly message_template?: string | HtmlTemplate | undefined
  /** The format of a template that is a string. @default "text/plain" */
  readonly message_template_type?: 'text/plain' | 'text/html' | undefined
}

/** A secret that is read from an environment variable when the config is applied. The file never contains its value. */
export interface SecretReference {
  readonly env: string
}

/** The settings and secrets with which a project uses a provider. */
export interface IntegrationConfig {
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** The secrets, by name. Secrets that are not listed keep their values. */
  readonly secrets?: Readonly<Record<string, SecretReference | Readonly<Record<string, SecretReference>>>> | undefined
}

/** A type of event, such as `delivery.failed`. */
export type EventType = EventEndpointCreate['events'][number]

/** An event endpoint in a config file. The server creates its signing secret, which is never in a file. */
export interface EventEndpointConfig {
  /** The HTTPS URL that receives the events. Without it, events are only read from the feed. @default null */
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
    /** Identifies the project in files and code: lower-case letters, digits and hyphens, at most 64. */
    readonly key: string
    readonly name: string
  }
  /** The flows, by key. */
  readonly flows: Readonly<Record<string, FlowConfig>>
  /** The integrations, by provider. */
  readonly integrations?: Readonly<Record<string, IntegrationConfig>> | undefined
  /** The event endpoints, by key. */
  readonly event_endpoints?: Readonly<Record<string, EventEndpointConfig>> | undefined
}
