import { type Database, instant } from '../../database/database.ts'
import { fromId, toId, type Uuid } from '../../shared/ids.ts'

/** The kind of a captured message, which determines how a page shows it. */
export type CapturedMessageKind = 'email' | 'chat'

/** A captured message as the list shows it. */
export interface CapturedMessageSummary {
  /** The id of the captured delivery, `dlv_…`. */
  readonly id: string
  readonly notificationId: string
  readonly projectId: string
  readonly flowId: string
  /** The provider that would have sent the message, such as `smtp`. */
  readonly sourceType: string
  readonly kind: CapturedMessageKind
  /** The recipient, such as an email address or a channel id. */
  readonly target: string
  readonly subject: string
  readonly capturedAt: Date
}

/** A captured message with its content. */
export interface CapturedMessage extends CapturedMessageSummary {
  /** The header fields of the composed email or, for a chat message, of the composed HTTP request. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The plain text as the recipient reads it; `null` if the message has no text part. */
  readonly text: string | null
  /** The HTML body; `null` if the message has no HTML part. */
  readonly html: string | null
  /** The message as the provider would have received it, without secrets: an RFC 5322 message or a request body. */
  readonly raw: string
}

/** The viewer of the outbox. A viewer sees all messages, or only the messages of one user. */
export type OutboxViewer = { readonly all: true } | { readonly userId: string }

/** The filter, position and size of a page. */
export interface OutboxPageRequest {
  /** The `nextBefore` from the previous page. A malformed value is ignored. */
  readonly before?: string
  /** The maximum number of messages on the page. */
  readonly limit: number
  /** If set, the page contains only messages for this provider. */
  readonly sourceType?: string
}

/** One page of captured messages, newest first. */
export interface OutboxPage {
  readonly messages: readonly CapturedMessageSummary[]
  /** The position of the next older page with the same filter; `null` on the last page. */
  readonly nextBefore: string | null
}

/** A read-only store of captured messages. */
export interface OutboxStore {
  /** Returns a page of the messages that the viewer may see. */
  list(viewer: OutboxViewer, page: OutboxPageRequest): Promise<OutboxPage>
  /** Returns a message, or `null` when it does not exist or the viewer may not see it. */
  get(viewer: OutboxViewer, id: string): Promise<CapturedMessage | null>
}

interface SummaryRow {
  readonly delivery_id: Uuid
  readonly notification_id: Uuid
  readonly project_id: Uuid
  readonly flow_id: Uuid
  readonly source_type: string
  readonly kind: 'email' | 'chat'
  readonly target: string
  readonly subject: string
  readonly captured_at: string
}

interface MessageRow extends SummaryRow {
  readonly headers: [string, string][]
  readonly text: string | null
  readonly html: string | null
  readonly raw: string
}

const summaryColumns = 'delivery_id, notification_id, project_id, flow_id, source_type, kind, target, subject, captured_at'
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const userOf = (viewer: OutboxViewer): string | null => ('all' in viewer ? null : viewer.userId)

const toSummary = (row: SummaryRow): CapturedMessageSummary => ({
  id: toId('delivery', row.delivery_id),
  notificationId: toId('notification', row.notification_id),
  projectId: toId('project', row.project_id),
  flowId: toId('flow', row.flow_id),
  sourceType: row.source_type,
  kind: row.kind,
  target: row.target,
  subject: row.subject,
  capturedAt: instant(row.captured_at),
})

/**
 * Creates a store that reads captured messages from the database. It orders messages by the time at which Flowpost
 * accepted them, not by the time of capture.
 */
export const createCapturedMessageStore = (database: Database): OutboxStore => ({
  list: async (viewer, { before, limit, sourceType }) => {
    const from = (before === undefined ? undefined : fromId('delivery', before)) ?? lastId
    const rows = await database.query<SummaryRow>(
      `select ${summaryColumns} from captured_messages
       where delivery_id < $1 and ($2::text is null or user_id = $2) and ($3::text is null or source_type = $3)
       order by delivery_id desc limit $4`,
      [from, userOf(viewer), sourceType ?? null, limit + 1],
    )
    const page = rows.slice(0, limit).map(toSummary)
    return { messages: page, nextBefore: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
  },
  get: async (viewer, id): Promise<CapturedMessage | null> => {
    const uuid = fromId('delivery', id)
    if (uuid === undefined) return null
    const [row] = await database.query<MessageRow>(
      `select ${summaryColumns}, headers, text, html, raw from captured_messages
       where delivery_id = $1 and ($2::text is null or user_id = $2)`,
      [uuid, userOf(viewer)],
    )
    return row ? { ...toSummary(row), headers: row.headers, text: row.text, html: row.html, raw: row.raw } : null
  },
})
