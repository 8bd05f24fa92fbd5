import type { Channel, RenderedContent, SecretDestination } from '@flowpost/domain'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { DeliveryError } from './delivery-error.ts'
import type { Egress } from './network/egress.ts'
import type { Report, ReportContext } from './reports/report.ts'

/** A message for one recipient. */
export interface OutgoingMessage {
  /**
   * The delivery id (`dlv_…`). It is the same for every attempt, so providers use it for deduplication, for example in
   * the `Message-ID` of an email.
   */
  readonly deliveryId: string
  /** The number of the attempt, starting at 1. */
  readonly attemptNumber: number
  /** The time at which the notification was accepted. It is the same for every attempt, and becomes the `Date` of an email. */
  readonly createdAt: Date
  /** The recipient, in the channel's canonical form. */
  readonly target: string
  readonly content: RenderedContent
}

/** A message as it is sent, in a form that people can read. Contains no secrets. */
export interface ComposedMessage {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text?: string
  readonly html?: string
  /** The source of the message without its secrets: MIME for email, the request body for HTTP. */
  readonly raw: string
  /** `to` is the recipient. `from` is the return path of an email. */
  readonly envelope: { readonly from?: string; readonly to: string }
}

/** The result of a successful `send`: the provider accepted the message. */
export interface SendResult {
  /** The id that the provider assigned to the message, or null if it returns none. */
  readonly providerMessageId: string | null
  /** The provider's response, for the delivery log. The provider client redacts and truncates it. */
  readonly response: string
  /**
   * The status in the response, without any text, such as `250 2.0.0`. The delivery log contains it instead of `response`
   * if the deployment's own credential was used, or if message content is not stored. Without `code`, the delivery log always
   * contains `response`. Omit `code` only if `response` reveals nothing about the server or the message.
   */
  readonly code?: string
}

/** The result of one step of a check. */
export interface CheckResult {
  /** The name of the step, such as `connect`, `authenticate` or `membership`. */
  readonly name: string
  readonly ok: boolean
  /**
   * `ok` if the step passed, or `not_tried` if the step was not tested and counts as passed. For a failed step, the
   * provider's error code or a code that you define.
   */
  readonly code: string
  /** Explains the result. Do not quote the server's response, because a tenant may control the server. */
  readonly detail: string
}

/** The context that every call to a provider receives. */
export interface ProviderContext<Settings, Secrets, Session> {
  readonly settings: Settings
  readonly secrets: Secrets
  /** The session that `open` returned; `undefined` for a provider without `open`. */
  readonly session: Session
  /** Aborts when the call times out or is canceled. The provider must then stop its work. */
  readonly signal: AbortSignal
  /** The `fetch` for addresses that are fixed in the provider's code or configured by the deployment. */
  readonly fetch: typeof globalThis.fetch
  /** Network access to addresses that come from settings or secrets. Blocks private networks for tenants' credentials. */
  readonly egress: Egress
  readonly clock: Clock
}

/** The context passed to `send`. */
export interface SendContext<Settings, Secrets, Session> extends ProviderContext<Settings, Secrets, Session> {
  readonly message: OutgoingMessage
  /**
   * Call this right before the first byte of the message is written. After the call, a timeout or an unknown error counts as
   * `ambiguous`, because the recipient may have received the message. Without the call, the message counts as not sent.
   */
  readonly markSendStarted: () => void
  /**
   * Calls `wait`, and suspends the time limit of `send` until `wait` settles. The time limit then starts again from zero.
   * Use this function only for a wait within this process, for example for a free connection in a pool. If `send` is
   * canceled, `signal` still aborts, and `wait` must then reject.
   */
  readonly withoutTimeout: <Result>(wait: () => Promise<Result>) => Promise<Result>
}

/** The context passed to `check`. */
export interface CheckContext<Settings, Secrets, Session> extends ProviderContext<Settings, Secrets, Session> {
  /** The target to check. Omitted when only the credential is checked. */
  readonly target?: string
}

/** The context passed to `open`. */
export interface OpenContext<Settings, Secrets> {
  readonly settings: Settings
  readonly secrets: Secrets
  /** The time limit, in milliseconds, for one call to the provider. Connection timeouts must be shorter. */
  readonly timeoutMs: number
  readonly egress: Egress
}

/** A zod object that rejects unknown keys. */
export type StrictObject = z.ZodObject<z.core.$ZodShape, z.core.$strict>

/**
 * A delivery channel with the functions that send messages through it. Created by {@link defineProvider}.
 *
 * The functions receive validated settings, secrets, targets and content. They must throw only {@link DeliveryError}.
 * Any other error counts as a bug in the provider, and Flowpost may then send the message again.
 */
export interface Provider<Settings = unknown, Secrets = unknown, Session = unknown> extends Channel {
  /** The schema of a credential's fields that are not secret. The API returns them. */
  readonly settings: z.ZodType<Settings> & StrictObject
  /**
   * The schema of `settings` for the deployment's own credential. Define it to allow settings that tenants may not use.
   * @default `settings`
   */
  readonly deploymentSettings?: z.ZodType<Settings> & StrictObject
  /** The schema of a credential's secrets, which are write-only and stored encrypted. */
  readonly secrets: z.ZodType<Secrets> & StrictObject
  /**
   * The fields that determine where the secrets are sent. When one of these fields changes, the user must provide or remove
   * every stored secret. Without this rule, anyone who may edit an integration could send its secrets to another server.
   * @default every setting and every secret
   */
  readonly secretDestination?: SecretDestination
  /**
   * The messages that Flowpost holds back when sending fails repeatedly: all messages with the same credential, or only
   * messages with the same credential and target. Set this to `target` if each target has its own server, as with
   * webhooks.
   * @default `credential`
   */
  readonly failureScope?: 'credential' | 'target'
  /** The settings for composing a message for the outbox when there is no credential. */
  readonly placeholderSettings?: Settings
  /** Composes a message without sending it. Must be a pure function: the same input produces the same bytes. */
  compose(message: OutgoingMessage, settings: Settings): ComposedMessage | Promise<ComposedMessage>
  /**
   * Opens a session, such as a connection pool. All calls with the same credential share the session. It is closed
   * after it has been idle for a while.
   */
  open?(context: OpenContext<Settings, Secrets>): Session | Promise<Session>
  /** Closes a session. */
  close?(session: Session): void | Promise<void>
  /** Sends a message. Resolves when the provider has accepted it. */
  send(context: SendContext<Settings, Secrets, Session>): Promise<SendResult>
  /** Verifies the credential and the target without sending a message. A thrown error becomes a failed result named `reach`. */
  check(context: CheckContext<Settings, Secrets, Session>): Promise<readonly CheckResult[]>
  /**
   * Reads a report about a sent message. The provider or a mail server has posted the report to an inbound URL. Required
   * for a provider with a `reportType`. This function must authenticate the report, unless the secret in the inbound URL is
   * sufficient proof. It must limit its use of time and memory, and must not throw for any body.
   */
  readReport?(context: ReportContext<Settings, Secrets>): Report | Promise<Report>
}

/** The argument of {@link defineProvider}: a channel with the functions that send messages through it. */
export type ProviderDefinition<Settings extends StrictObject, Secrets extends StrictObject, Session> = Omit<
  Provider<z.output<Settings>, z.output<Secrets>, Session>,
  'settings' | 'deploymentSettings' | 'secrets'
> & { readonly settings: Settings; readonly deploymentSettings?: Settings; readonly secrets: Secrets }

/**
 * The pattern for provider ids. A provider's id is the `source_type` of its flows and the prefix of targets such as
 * `smtp:ops@example.com`.
 */
export const providerIdPattern = /^[a-z][a-z0-9-]{0,31}$/

/**
 * Validates and freezes a provider definition.
 *
 * @throws TypeError when the id is invalid, a schema is not strict, `secretDestination` names an unknown field, or only one of
 * `reportType` and `readReport` is given.
 */
export function defineProvider<Settings extends StrictObject, Secrets extends StrictObject, Session = undefined>(
  definition: ProviderDefinition<Settings, Secrets, Session>,
): Provider<z.output<Settings>, z.output<Secrets>, Session> {
  if (!providerIdPattern.test(definition.id)) {
    throw new TypeError(`The provider id ${JSON.stringify(definition.id)} does not match ${providerIdPattern.source}.`)
  }
  for (const name of ['settings', 'deploymentSettings', 'secrets'] as const) {
    const schema = definition[name]
    if (schema && !(schema.def.catchall instanceof z.ZodNever)) {
      throw new TypeError(`The ${name} of provider ${definition.id} must be a z.strictObject, which rejects misspelled fields.`)
    }
  }
  if ((definition.reportType === undefined) !== (definition.readReport === undefined)) {
    throw new TypeError(`The provider ${definition.id} must have both reportType and readReport, or neither.`)
  }
  for (const part of ['settings', 'secrets'] as const) {
    for (const name of definition.secretDestination?.[part] ?? []) {
      if (Object.hasOwn(definition[part].shape, name)) continue
      throw new TypeError(`The secretDestination of provider ${definition.id} names an unknown field of ${part}: ${JSON.stringify(name)}.`)
    }
  }
  return Object.freeze({ ...definition }) as unknown as Provider<z.output<Settings>, z.output<Secrets>, Session>
}
