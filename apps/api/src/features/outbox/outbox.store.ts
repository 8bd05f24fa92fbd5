/** How a captured message is shown: as a letter, or as a line in a channel. */
export type CapturedMessageKind = 'email' | 'chat'

/** A captured message as the list shows it. */
export interface CapturedMessageSummary {
  /** Identifier of the delivery that was captured, `dlv_…`. */
  readonly id: string
  readonly notificationId: string
  readonly projectId: string
  readonly flowId: string
  /** The provider that would have sent it, as in `smtp`. */
  readonly sourceType: string
  readonly kind: CapturedMessageKind
  /** The receiver: an email address, or a channel identifier. */
  readonly target: string
  readonly subject: string
  readonly capturedAt: Date
}

/** A captured message in whole. */
export interface CapturedMessage extends CapturedMessageSummary {
  /** Header fields in the order of the message; empty for a chat message. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The plain text as the receiver reads it, or `null` when there is none. */
  readonly text: string | null
  /** The HTML body, or `null` when there is none. */
  readonly html: string | null
  /** What would have gone over the wire: an RFC 5322 message, or the JSON of a chat provider. */
  readonly raw: string
}

/** Whose messages may be seen: everybody's, or one user's. */
export type OutboxViewer = { readonly all: true } | { readonly userId: string }

/** Which part of the list is asked for. */
export interface OutboxPageRequest {
  /** A `nextBefore` of an earlier page. One that cannot be read counts as absent. */
  readonly before?: string
  /** Most messages in the page. */
  readonly limit: number
  /** Only messages of this provider. */
  readonly sourceType?: string
}

/** One page of captured messages, newest first. */
export interface OutboxPage {
  readonly messages: readonly CapturedMessageSummary[]
  /** Continues with older messages under the same filter; `null` on the last page. */
  readonly nextBefore: string | null
}

/** Where captured messages are read from. Nothing here changes state. */
export interface OutboxStore {
  list(viewer: OutboxViewer, page: OutboxPageRequest): Promise<OutboxPage>
  /** The message, or `null` when there is none of this id that the viewer may see. */
  get(viewer: OutboxViewer, id: string): Promise<CapturedMessage | null>
}
