import type { Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import type { Uuid } from '../../shared/ids.ts'
import { type ErasedPerson, matchesPattern } from './erasure-area.ts'

/** A column in the notification log whose text may mention a recipient. */
interface TextColumn {
  readonly table: string
  readonly column: string
  readonly type: 'text' | 'json' | 'jsonb'
  /** The column that identifies a row within its notification. */
  readonly key: string
  /** The joins and conditions that restrict the rows to the notifications in `$1`. */
  readonly source: string
  readonly notificationId: string
}

const ofNotification = anyUuid('t.notification_id', '$1')
const withDelivery = `join deliveries d on d.id = t.delivery_id where t.delivery_id = any(array(
  select id from deliveries where ${anyUuid('notification_id', '$1')}))`

const columns: readonly TextColumn[] = [
  {
    table: 'notifications',
    column: 'reference',
    type: 'text',
    key: 'id',
    source: `where ${anyUuid('t.id', '$1')}`,
    notificationId: 't.id',
  },
  { table: 'notifications', column: 'metadata', type: 'json', key: 'id', source: `where ${anyUuid('t.id', '$1')}`, notificationId: 't.id' },
  {
    table: 'message_bodies',
    column: 'subject',
    type: 'text',
    key: 'delivery_id',
    source: `where ${ofNotification}`,
    notificationId: 't.notification_id',
  },
  {
    table: 'message_bodies',
    column: 'content',
    type: 'jsonb',
    key: 'delivery_id',
    source: `where ${ofNotification}`,
    notificationId: 't.notification_id',
  },
  ...(['failure', 'receipt'] as const).map((column) => ({
    table: 'deliveries',
    column,
    type: 'jsonb' as const,
    key: 'id',
    source: `where ${ofNotification}`,
    notificationId: 't.notification_id',
  })),
  {
    table: 'deliveries',
    column: 'provider_message_id',
    type: 'text',
    key: 'id',
    source: `where ${ofNotification}`,
    notificationId: 't.notification_id',
  },
  {
    table: 'attempts',
    column: 'provider_response',
    type: 'text',
    key: 'id',
    source: withDelivery,
    notificationId: 'd.notification_id',
  },
  ...(['request_id', 'trace_context'] as const).map((column) => ({
    table: 'delivery_jobs',
    column,
    type: 'text' as const,
    key: 'delivery_id',
    source: withDelivery,
    notificationId: 'd.notification_id',
  })),
]

const find = columns
  .map(
    ({ table, column, key, source, notificationId }, place) => `select ${place} as place, ${notificationId} as notification_id,
      t.${key} as key from ${table} t ${source} and ${matchesPattern(`t.${column}::text`, '$2')}`,
  )
  .join(' union all ')

const isRow = ({ table, key }: TextColumn): string =>
  `t.${key} = $2 ${table === 'message_bodies' ? 'and t.notification_id = $1' : 'and $1::uuid is not null'}`

const readOf = (text: TextColumn): string => `select t.${text.column}::text as text from ${text.table} t where ${isRow(text)}`
const updateOf = (text: TextColumn): string => `update ${text.table} t set ${text.column} = $3::${text.type} where ${isRow(text)}`

const redactColumn = ({ table, column, type }: TextColumn, { redactor, replacement }: ErasedPerson, text: string): string => {
  if (column === 'request_id') return redactor.isIn(text) ? replacement : text
  // A trace context is `traceparent`, then a space and `tracestate` if there is one. Clients choose only `tracestate` freely.
  if (column === 'trace_context') return redactor.isIn(text) ? text.replace(/ .*/s, '') : text
  const redact = table === 'message_bodies' ? redactor.redactMessage : redactor.redactJson
  if (type === 'text') return redact(text)
  const value: unknown = JSON.parse(text)
  const redacted = JSON.stringify(redact(value))
  return redacted === JSON.stringify(value) ? text : redacted
}

/** The location of a text that may contain the recipient's address: a column and a row. */
export interface FoundText {
  /** The index of the text's column in `columns`. */
  readonly place: number
  readonly notification_id: Uuid
  readonly key: Uuid
}

/** Finds texts that may mention the recipient, in the given notifications. */
export const findTexts = async (on: Queryable, { redactor }: ErasedPerson, notificationIds: readonly Uuid[]): Promise<FoundText[]> =>
  redactor.searchPattern === undefined ? [] : on.query<FoundText & object>(find, [notificationIds, redactor.searchPattern])

/**
 * Replaces the recipient's address in the notifications' texts. Reads one text at a time, because a message can be
 * several MiB in size. The caller must have locked the notifications.
 */
export const redactTexts = async (on: Queryable, person: ErasedPerson, notificationIds: readonly Uuid[]): Promise<void> => {
  for (const { place, notification_id, key } of await findTexts(on, person, notificationIds)) {
    const column = columns[place]
    if (!column) continue
    const [row] = await on.query<{ text: string | null }>(readOf(column), [notification_id, key])
    if (typeof row?.text !== 'string') continue
    const redacted = redactColumn(column, person, row.text)
    if (redacted !== row.text) await on.query(updateOf(column), [notification_id, key, redacted])
  }
}
