import type { Channel, RenderedContent, SecretDestination } from '@flowpost/domain'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { DeliveryError } from './delivery-error.ts'
import type { Egress } from './network/egress.ts'

/** A message for one recipient. */
export interface OutgoingMessage {
  /** The delivery id (`dlv_…`), the same for every attempt. Providers use it for deduplication, as in the `Message-ID` of an email. */
  readonly deliveryId: string
  /** The number of the attempt, starting at 1. */
  readonly attemptNumber: number
  /** The time at which the notification was accepted, the same for every attempt. It is the `Date` of an email. */
  readonly createdAt: Date
  /** The recipient, in the channel's canonical form. */
  readonly target: string
  readonly content: RenderedContent
}

/** A human-readable view of what is sent, without secrets. */
export interface ComposedMessage {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text?: string
  readonly html?: string
  /** The source: MIME for email, the request body for HTTP. Secrets in the body are left out. */
  readonly raw: string
  /** The recipient and, for email, the return path. */
  readonly envelope: { readonly from?: string; readonly to: string }
}

/** A provider's acceptance of a message. */
export interface SendResult {
  /** The provider's id of the message, or null when it returns none. */
  readonly providerMessageId: string | null
  /** The provider's response, for the log. The provider client redacts and truncates it. */
  readonly response: string
  /**
   * The status of the response without its text, such as `250 2.0.0`. The log contains it instead of `response` if the
   * deployment's own credential was used or message content is not stored. Omit it if `response` reveals nothing about the
   * server or message.
   */
  readonly code?: string
}

/** One result of a check. */
export interface CheckResult {
  /** The aspect that was checked, such as `connect`, `authenticate` or `membership`. */
  readonly name: string
  readonly ok: boolean
  /** `ok`, the provider's error code, or a code of your own. */
  readonly code: string
  /** An explanation in your own words. Do not quote the server: a tenant may have chosen it. */
  readonly detail: string
}

/** The context of every provider call. */
export interface ProviderContext<Settings, Secrets, Session> {
  readonly settings: Settings
  readonly secrets: Secrets
  /** The session that `open` returned; `undefined` for a provider without `open`. */
  readonly session: Session
  /** Aborts on timeout or cancellation. The provider must then stop its work. */
  readonly signal: AbortSignal
  /** Sends requests to fixed addresses and to addresses that the deployment configured. */
  readonly fetch: typeof globalThis.fetch
  /** Connects to addresses from settings or secrets. Blocks private networks for tenants' credentials. */
  readonly egress: Egress
  readonly clock: Clock
}

/** The context of `send`. */
export interface SendContext<Settings, Secrets, Session> extends ProviderContext<Settings, Secrets, Session> {
  readonly message: OutgoingMessage
  /**
   * Call this right before the first byte of the message is written. From then on, a timeout or an unknown error counts as
   * `ambiguous`, because the recipient may have the message. Before, it counts as not sent.
   */
  readonly markSendStarted: () => void
}

/** The context of `check`. */
export interface CheckContext<Settings, Secrets, Session> extends ProviderContext<Settings, Secrets, Session> {
  /** The target of the flow to check. Omitted when only the credential is checked. */
  readonly target?: string
}

/** The context of `open`. */
export interface OpenContext<Settings, Secrets> {
  readonly settings: Settings
  readonly secrets: Secrets
  /** Time limit of one call in milliseconds. Connection timeouts must stay below it. */
  readonly timeoutMs: number
  readonly egress: Egress
}

/** A zod object that rejects unknown keys. */
export type StrictObject = z.ZodObject<z.core.$ZodShape, z.core.$strict>

/**
 * A delivery channel and the functions that send through it, as created by {@link defineProvider}.
 *
 * The functions receive validated settings, secrets, targets and content. They must throw only {@link DeliveryError}. Any
 * other error counts as a bug in the provider and may be retried.
 */
export interface Provider<Settings = unknown, Secrets = unknown, Session = unknown> extends Channel {
  /** The schema of a credential's readable fields. */
  readonly settings: z.ZodType<Settings> & StrictObject
  /** The settings schema for the deployment's own credential, if it allows more than the schema for tenants. @default `settings` */
  readonly deploymentSettings?: z.ZodType<Settings> & StrictObject
  /** The schema of a credential's secrets, which are write-only and stored encrypted. */
  readonly secrets: z.ZodType<Secrets> & StrictObject
  /**
   * The fields that decide where the secrets are sent. Changing one requires every secret again, so that nobody who may edit
   * an integration can send its stored secrets to another server.
   * @default every setting and every secret
   */
  readonly secretDestination?: SecretDestination
  /** The settings for capturing a message without a credential. */
  readonly placeholderSettings?: Settings
  /** Composes the message. A pure function: the same input produces the same bytes. */
  compose(message: OutgoingMessage, settings: Settings): ComposedMessage | Promise<ComposedMessage>
  /** Opens a session that calls with the same credential share, such as a connection pool. It is closed when it becomes idle. */
  open?(context: OpenContext<Settings, Secrets>): Session | Promise<Session>
  /** Closes a session. */
  close?(session: Session): void | Promise<void>
  /** Sends the message. Resolves once the provider has accepted it. */
  send(context: SendContext<Settings, Secrets, Session>): Promise<SendResult>
  /** Verifies the credential and the target without sending a message. A thrown error becomes a failed result named `reach`. */
  check(context: CheckContext<Settings, Secrets, Session>): Promise<readonly CheckResult[]>
}

/** The argument of {@link defineProvider}: a channel and the functions that send through it. */
export type ProviderDefinition<Settings extends StrictObject, Secrets extends StrictObject, Session> = Omit<
  Provider<z.output<Settings>, z.output<Secrets>, Session>,
  'settings' | 'deploymentSettings' | 'secrets'
> & { readonly settings: Settings; readonly deploymentSettings?: Settings; readonly secrets: Secrets }

/** The pattern of provider ids. The id is the `source_type` of flows, and the prefix of a target such as `smtp:ops@example.com`. */
export const providerIdPattern = /^[a-z][a-z0-9-]{0,31}$/

/**
 * Validates and freezes a provider definition.
 *
 * @throws TypeError when the id is invalid, a schema is not strict, or `secretDestination` names an unknown field.
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
  for (const part of ['settings', 'secrets'] as const) {
    for (const name of definition.secretDestination?.[part] ?? []) {
      if (Object.hasOwn(definition[part].shape, name)) continue
      throw new TypeError(`The secretDestination of provider ${definition.id} names an unknown field of ${part}: ${JSON.stringify(name)}.`)
    }
  }
  return Object.freeze({ ...definition }) as unknown as Provider<z.output<Settings>, z.output<Secrets>, Session>
}
