import type { Channel, RenderedContent, SecretDestination } from '@flowpost/domain'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { DeliveryError } from './delivery-error.ts'
import type { Egress } from './egress.ts'

/** A message on its way to one receiver. */
export interface OutgoingMessage {
  /** Identifies the delivery over all its attempts (`dlv_…`). What makes repeats recognisable: the `Message-ID` of an email, for one. */
  readonly deliveryId: string
  /** 1 for the first attempt. */
  readonly attemptNumber: number
  /** When the notification was accepted: the `Date` of an email, the same over all attempts. */
  readonly createdAt: Date
  /** The receiver, in the channel's canonical form. */
  readonly target: string
  readonly content: RenderedContent
}

/** What leaves the machine, as a person may see it. Holds no secret. */
export interface ComposedMessage {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text?: string
  readonly html?: string
  /** The source: MIME for email, the request body for HTTP, without a secret that is sent in it. */
  readonly raw: string
  /** Who it goes to, and for email the return path. */
  readonly envelope: { readonly from?: string; readonly to: string }
}

/** What a provider answered when it accepted a message. */
export interface SendResult {
  /** The provider's own handle of the message, where it gives one. */
  readonly providerMessageId: string | null
  /** The provider's answer, for the log. The courier redacts and bounds it. */
  readonly response: string
  /**
   * The answer without its words, as in `250 2.0.0`: all that is told to whom the credential does not belong, and all
   * that is kept where messages are not. Left out where the answer tells nothing of the server and of the message.
   */
  readonly code?: string
}

/** One finding of a check. */
export interface CheckResult {
  /** What was looked at, as in `connect`, `authenticate`, `membership`. */
  readonly name: string
  readonly ok: boolean
  /** `ok`, the provider's code, or one of ours. */
  readonly code: string
  /** What was found, in your own words: never what a server said, which may be any that a tenant named. */
  readonly detail: string
}

/** What every call of a provider gets. */
export interface ProviderCall<Settings, Secrets, Session> {
  readonly settings: Settings
  readonly secrets: Secrets
  /** What `open` gave; `undefined` for a provider without `open`. */
  readonly session: Session
  /** Aborted when the time is over or the caller gave up. The provider stops its work then. */
  readonly signal: AbortSignal
  /** For addresses that the deployment chose or that are fixed. */
  readonly fetch: typeof globalThis.fetch
  /** For addresses out of settings and secrets: a tenant's cannot reach the network inside. */
  readonly egress: Egress
  readonly clock: Clock
}

/** A message to send. */
export interface SendCall<Settings, Secrets, Session> extends ProviderCall<Settings, Secrets, Session> {
  readonly message: OutgoingMessage
  /**
   * To be called right before the first byte of the message is written. From then on a time-out or an
   * unknown error counts as `ambiguous`: the receiver may have it. Before that, it counts as not sent.
   */
  readonly leaving: () => void
}

/** A request to look whether a credential works and a target can be reached, without sending anything. */
export interface CheckCall<Settings, Secrets, Session> extends ProviderCall<Settings, Secrets, Session> {
  /** The target of the flow that is checked, when there is one. */
  readonly target?: string
}

/** What `open` gets. */
export interface OpenCall<Settings, Secrets> {
  readonly settings: Settings
  readonly secrets: Secrets
  /** How long one call may take, in milliseconds: connection time-outs must stay below it. */
  readonly timeoutMs: number
  readonly egress: Egress
}

/** A zod strict object: unknown keys are refused. */
export type StrictObject = z.ZodObject<z.core.$ZodShape, z.core.$strict>

/**
 * A delivery channel with what it takes to send through it. Made by {@link defineProvider}.
 *
 * The functions may assume that settings, secrets, target and content have passed their checks. They
 * throw a {@link DeliveryError} and nothing else; whatever else comes out counts as a fault of the
 * provider, to be retried.
 */
export interface Provider<Settings = unknown, Secrets = unknown, Session = unknown> extends Channel {
  /** What a credential says openly. */
  readonly settings: z.ZodType<Settings> & StrictObject
  /** The same for the deployment's own credential, where it may do more than a tenant's. Default: `settings`. */
  readonly deploymentSettings?: z.ZodType<Settings> & StrictObject
  /** What a credential keeps to itself: write-only, stored sealed. */
  readonly secrets: z.ZodType<Secrets> & StrictObject
  /**
   * The fields that decide where the secrets go. When one changes, a tenant must give every secret again, so that nobody
   * who may change an integration can send its secrets to a server of their own.
   * @default every setting and every secret
   */
  readonly secretDestination?: SecretDestination
  /** Settings that stand in when a message is captured and no credential was given. */
  readonly placeholder?: Settings
  /** Pure: the same message and settings give the same bytes. */
  compose(message: OutgoingMessage, settings: Settings): ComposedMessage | Promise<ComposedMessage>
  /** Makes what the calls of one credential share, such as a connection pool. Kept until it was idle for a while. */
  open?(call: OpenCall<Settings, Secrets>): Session | Promise<Session>
  /** Ends what `open` made. */
  close?(session: Session): void | Promise<void>
  /** Resolves once the provider has accepted the message. */
  send(call: SendCall<Settings, Secrets, Session>): Promise<SendResult>
  /** Looks at credential and target over the network. Sends nothing. An error that it throws becomes the finding `reach`. */
  check(call: CheckCall<Settings, Secrets, Session>): Promise<readonly CheckResult[]>
}

/** What {@link defineProvider} takes: a channel and the functions that serve it. */
export type ProviderDefinition<Settings extends StrictObject, Secrets extends StrictObject, Session> = Omit<
  Provider<z.output<Settings>, z.output<Secrets>, Session>,
  'settings' | 'deploymentSettings' | 'secrets'
> & { readonly settings: Settings; readonly deploymentSettings?: Settings; readonly secrets: Secrets }

/** The grammar of provider ids: it is the `source_type` of flows, and what stands before the `:` of a target. */
export const providerIdPattern = /^[a-z][a-z0-9-]{0,31}$/

/**
 * Defines a provider. Checks at once what would otherwise show at the first message.
 *
 * @throws TypeError when the id is out of grammar, a schema is not strict, or `secretDestination` names an unknown field.
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
      throw new TypeError(`The ${name} of provider ${definition.id} must be a z.strictObject, so that a misspelt field is refused.`)
    }
  }
  for (const part of ['settings', 'secrets'] as const) {
    for (const name of definition.secretDestination?.[part] ?? []) {
      if (Object.hasOwn(definition[part].shape, name)) continue
      throw new TypeError(
        `The secretDestination of provider ${definition.id} names ${JSON.stringify(name)}, which is not among its ${part}.`,
      )
    }
  }
  return Object.freeze({ ...definition }) as unknown as Provider<z.output<Settings>, z.output<Secrets>, Session>
}
