import { pageLimit } from '../../database/database.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { type ErasedPerson, type EraseStep, limitBytes, matchesPattern } from './erasure-area.ts'

const pageSize = 200

const content = `concat_ws(' ', subject, headers::text, text, html, raw)`
const bytes = 'coalesce(octet_length(text), 0) + coalesce(octet_length(html), 0) + coalesce(octet_length(raw), 0)'

const page = `with page as materialized (
    select delivery_id, notification_id, source_type, target, subject, headers, text, html, raw from captured_messages
    where user_id = $1 and delivery_id > $2 order by delivery_id ${pageLimit('$3')}
  )
  select delivery_id, notification_id, source_type, target, case when ${matchesPattern(content, '$4')} then ${content} end as text
  from ${limitBytes('page', bytes, 'delivery_id')} as page order by delivery_id`

interface CapturedRow {
  readonly delivery_id: Uuid
  readonly notification_id: Uuid
  readonly source_type: string
  readonly target: string
  /** The whole message if it may contain the address; otherwise `null`. */
  readonly text: string | null
}

const isToErase = (row: CapturedRow, { isErased, isOfOtherProvider, before, redactor }: ErasedPerson): boolean =>
  row.notification_id < before &&
  !isOfOtherProvider(row) &&
  (isErased(row) || (row.text !== null && redactor.redact(row.text) !== row.text))

/**
 * Deletes captured messages that were sent to the recipient or mention the address. The erasure of the log does not delete all
 * of these messages: it misses messages that outlive their notifications, and messages to other recipients that mention the
 * address.
 */
export const eraseCaptured: EraseStep = async (transaction, _deps, person, position) => {
  const { userId, redactor } = person
  const rows = await transaction.query<CapturedRow & object>(page, [userId, position ?? lowestUuid, pageSize, redactor.searchPattern])
  const ids = rows.filter((row) => isToErase(row, person)).map(({ delivery_id }) => delivery_id)
  if (ids.length > 0)
    await transaction.query('delete from captured_messages where delivery_id = any($1::uuid[]) and user_id = $2', [ids, userId])
  return { next: rows.at(-1)?.delivery_id ?? null, erased: 0 }
}
