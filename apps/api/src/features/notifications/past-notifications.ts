import type { RenderedContent, StoredNotification } from '@flowpost/domain'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { firstUuidOf, highestUuid, toId, type Uuid } from '../../shared/ids.ts'

/** The notifications to read. */
export interface PastNotifications {
  readonly userId: string
  readonly projectId: Uuid
  /** Notifications older than this are not read. */
  readonly since: Date
}

// The page is small, because each notification can have up to 1 MiB of rendered text, and a whole page is held in memory.
const pageSize = 50

const notificationsOfPage = `select id, created_at, named_flow_id, has_target from notifications
  where user_id = $1 and project_id = $2 and id >= $3 and id < $4 and test is not true order by id desc ${pageLimit('$5')}`

// Within a notification, all deliveries of the same flow have the same message, so only one copy is read.
const deliveriesOfPage = `select d.notification_id, d.flow_id, d.source_type, d.target, b.subject,
    case when row_number() over (partition by d.notification_id, d.flow_id, b.delivery_id is null order by d.id) = 1 then b.content end as content
  from deliveries d left join message_bodies b on b.notification_id = d.notification_id and b.delivery_id = d.id
  where ${anyUuid('d.notification_id', '$1')} order by d.id`

interface NotificationRow {
  readonly id: Uuid
  readonly created_at: string | Date
  readonly named_flow_id: Uuid | null
  /** Whether the request had a `target`; `null` if an earlier release accepted the notification without recording this. */
  readonly has_target: boolean | null
}

interface DeliveryRow {
  readonly notification_id: Uuid
  readonly flow_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly subject: string | null
  readonly content: RenderedContent | null
}

const toStored = ({ id, created_at, named_flow_id, has_target }: NotificationRow, rows: readonly DeliveryRow[]): StoredNotification => ({
  id: toId('notification', id),
  createdAtMs: new Date(created_at).getTime(),
  subject: rows.find(({ subject }) => subject !== null)?.subject ?? null,
  address:
    has_target === null ? undefined : { flowId: named_flow_id === null ? undefined : toId('flow', named_flow_id), hasTarget: has_target },
  deliveries: rows.map(({ flow_id, source_type, target, content }) => ({
    flowId: toId('flow', flow_id),
    sourceType: source_type,
    target,
    content,
  })),
})

/**
 * Reads a project's notifications with their stored messages, newest first, in pages. Omits notifications sent with
 * test keys. Each page is read with its own statements, so no transaction stays open.
 */
export async function* readPastNotifications(
  on: Queryable,
  { userId, projectId, since }: PastNotifications,
): AsyncGenerator<readonly StoredNotification[]> {
  let before = highestUuid
  for (let isFull = true; isFull; ) {
    const values = [userId, projectId, firstUuidOf(since), before, pageSize]
    const page = await on.query<NotificationRow & object>(notificationsOfPage, values)
    const ids = page.map(({ id }) => id)
    const rows = ids.length > 0 ? await on.query<DeliveryRow & object>(deliveriesOfPage, [ids]) : []
    const byNotification = Map.groupBy(rows, ({ notification_id }) => notification_id)
    if (page.length > 0) yield page.map((row) => toStored(row, byNotification.get(row.id) ?? []))
    before = ids.at(-1) ?? before
    isFull = page.length === pageSize
  }
}
