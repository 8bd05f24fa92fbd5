import type { z } from 'zod'

/** The kind of messages of a channel: email with a subject and optional HTML, or the plain text of a chat. */
export type ChannelKind = 'email' | 'chat'

/** The result of parsing a target. */
export type TargetResult =
  | {
      readonly ok: true
      /** The canonical form. It is stored and passed to the provider. */
      readonly target: string
      /** Equal for two targets that reach the same receiver. Used to remove duplicates. */
      readonly key: string
    }
  | { readonly ok: false; readonly message: string }

/**
 * The maximum size of a rendered message on a channel, after values are inserted and escaped. A notification with a larger
 * message is rejected, never truncated. Every limit is optional.
 */
export interface ContentLimits {
  /** The maximum number of Unicode code points of the text. */
  readonly textCharacters?: number
  /** The maximum size of all parts together, in UTF-8 bytes. */
  readonly totalBytes?: number
}

/** The pure description of a delivery channel: enough to route, validate and render a message without reaching the provider. */
export interface Channel {
  /** The `source_type` of its flows, such as `smtp`. */
  readonly id: string
  readonly kind: ChannelKind
  /** Parses one address. Does not verify that the receiver exists; a flow check does. */
  readonly parseTarget: (address: string) => TargetResult
  /**
   * Escapes a value for a template of a chat channel. Not used for email, nor for the default template `{{message}}`, which
   * sends the message unmodified.
   */
  readonly escape?: (value: string) => string
  readonly limits: ContentLimits
}

/**
 * The fields of a credential that determine where its secrets are sent: to which server, into which account, or, for a
 * signing secret, to which receiver the signature goes. If one of them changes, all secrets must be given again.
 */
export interface SecretDestination {
  readonly settings?: readonly string[]
  /** Secrets that are addresses, such as URLs. They count as changed whenever they are given. */
  readonly secrets?: readonly string[]
}

/** The description of a provider: its channel and the schemas of its credentials. The delivery package adds check and send. */
export interface ProviderDescription<
  Settings extends z.core.$ZodShape = z.core.$ZodShape,
  Secrets extends z.core.$ZodShape = z.core.$ZodShape,
> extends Channel {
  /** The public fields of a credential. */
  readonly settings: z.ZodObject<Settings, z.core.$strict>
  /** The write-only fields of a credential. */
  readonly secrets: z.ZodObject<Secrets, z.core.$strict>
  /** The fields that determine where secrets are sent. @default every setting and every secret */
  readonly secretDestination?: SecretDestination
}
