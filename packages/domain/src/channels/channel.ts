/** What a channel carries: email with a subject and an HTML view, or the plain text of a chat. */
export type ChannelKind = 'email' | 'chat'

/** What reading a target gives: its canonical form, or why it is refused. */
export type TargetResult =
  | {
      readonly ok: true
      /** The form that is stored and handed to the provider. */
      readonly target: string
      /** The same for two targets that reach the same receiver; used to merge duplicates. */
      readonly key: string
    }
  | { readonly ok: false; readonly message: string }

/**
 * How long a rendered message may be on a channel, counted after values were inserted and escaped. What is longer is
 * refused before it is accepted, never cut. Every limit is optional.
 */
export interface ContentLimits {
  /** Most Unicode code points of the text. */
  readonly textCharacters?: number
  /** Most bytes of all parts together, in UTF-8. */
  readonly totalBytes?: number
}

/**
 * The pure description of a delivery channel, enough to route, check and render a message without
 * reaching the provider. A provider of the delivery package adds settings, secrets, check and send.
 */
export interface Channel {
  /** The `source_type` of flows that use it, as in `smtp`. */
  readonly id: string
  readonly kind: ChannelKind
  /** Reads one address. Pure: whether the receiver exists is for the provider's check to find out. */
  readonly parseTarget: (address: string) => TargetResult
  /**
   * Escapes a value that is inserted into a template of a chat channel. Not used for email, nor where the template is
   * exactly `{{message}}`, as it is by default: the message then goes out as the caller wrote it.
   */
  readonly escape?: (value: string) => string
  readonly limits: ContentLimits
}
