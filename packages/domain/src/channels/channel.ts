import type { z } from 'zod'
import type { RenderedContent } from '../rendering/content.ts'

/** The kind of message that a channel delivers: `email` has a subject and optional HTML, `chat` is plain text. */
export type ChannelKind = 'email' | 'chat'

/** The result of parsing a target. */
export type TargetResult =
  | {
      readonly ok: true
      /** The canonical form of the address. It is stored and passed to the provider. */
      readonly target: string
      /** The key for finding duplicates: two targets with the same key reach the same recipient. */
      readonly key: string
    }
  | { readonly ok: false; readonly message: string }

/**
 * The maximum size of a rendered message on a channel. The size is measured after values are inserted and escaped. A
 * notification with a larger message is rejected; messages are never truncated.
 */
export interface ContentLimits {
  /** The maximum number of Unicode code points in the text. */
  readonly textCharacters?: number
  /** The maximum total size, in UTF-8 bytes, of the subject, text and HTML. */
  readonly totalBytes?: number
  /**
   * Returns the size of a message in the provider's format, in bytes. Define this function if that size can be much larger
   * than the content, for example because of escaped characters. A message is then also rejected if this size exceeds
   * `totalBytes`.
   */
  readonly countBytes?: (content: RenderedContent) => number
}

/** A delivery channel without its network code: enough to route, validate and render messages, but not to send them. */
export interface Channel {
  /** The `source_type` of the flows that use the channel, such as `smtp`. */
  readonly id: string
  readonly kind: ChannelKind
  /** Parses one address. Does not verify that the recipient exists. Some providers verify this when a flow is checked. */
  readonly parseTarget: (address: string) => TargetResult
  /**
   * Escapes a value that is inserted into the template of a chat message. Not used for email. The default template
   * `{{message}}` does not use it either, and sends the message unmodified.
   */
  readonly escape?: (value: string) => string
  readonly limits: ContentLimits
  /**
   * The media type of the provider's reports about sent messages, such as bounces. Omit it if the provider posts no
   * reports to Flowpost.
   */
  readonly reportType?: 'application/json' | 'message/rfc822'
}

/**
 * The fields of a credential that determine where its secrets are sent: the server, the account or, for a signing secret,
 * the receiver of the signatures. When one of these fields changes, the user must provide or remove every stored secret.
 */
export interface SecretDestination {
  readonly settings?: readonly string[]
  /**
   * The names of secrets that contain addresses, such as URLs. A request that sets such a secret counts as a change of the
   * destination, even if the value stays the same. Otherwise, the response would show whether a guessed value is correct.
   */
  readonly secrets?: readonly string[]
}

/**
 * A provider without its network code: the channel and the schemas of its credentials. The delivery package adds the
 * functions that check credentials and send messages.
 */
export interface ProviderDescription<
  Settings extends z.core.$ZodShape = z.core.$ZodShape,
  Secrets extends z.core.$ZodShape = z.core.$ZodShape,
> extends Channel {
  /** The schema of a credential's readable fields. */
  readonly settings: z.ZodObject<Settings, z.core.$strict>
  /** The schema of a credential's write-only fields. */
  readonly secrets: z.ZodObject<Secrets, z.core.$strict>
  /** The fields that determine where the secrets are sent. @default every setting and every secret */
  readonly secretDestination?: SecretDestination
}
