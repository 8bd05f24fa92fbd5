import { type Database, instant } from '../../database/database.ts'
import { fromId, toId, type Uuid } from '../../shared/ids.ts'
import type { CapturedMessage, CapturedMessageSummary, OutboxStore, OutboxViewer } from './outbox.store.ts'

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

/** Captured messages, read from the database. Newest first is by delivery, in the order of acceptance. */
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
