import { pageLimit } from '../../database/database.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { containsNeedle, type EraseStep } from './erasure-area.ts'

const pageSize = 200

const page = `select delivery_id, source_type, target, case when ${containsNeedle(
  `concat_ws(' ', subject, headers::text, text, html, raw)`,
  '$4',
)} then concat_ws(' ', subject, headers::text, text, html, raw) end as text
  from captured_messages where user_id = $1 and delivery_id > $2 order by delivery_id ${pageLimit('$3')}`

interface CapturedRow {
  readonly delivery_id: Uuid
  readonly source_type: string
  readonly target: string
  /** The whole message if it contains part of the address; otherwise `null`. */
  readonly text: string | null
}

/**
 * Deletes captured messages that were sent to the recipient or mention the address. Captured messages may outlive their
 * notifications.
 */
export const eraseCaptured: EraseStep = async (transaction, _deps, { userId, redactor, isErased }, position) => {
  const rows = await transaction.query<CapturedRow & object>(page, [userId, position ?? lowestUuid, pageSize, redactor.needles])
  const last = rows.at(-1)
  if (!last) return { next: null, erased: 0 }
  const found = rows.filter((row) => isErased(row) || (row.text !== null && redactor.redact(row.text) !== row.text))
  const ids = found.map(({ delivery_id }) => delivery_id)
  if (ids.length > 0)
    await transaction.query('delete from captured_messages where delivery_id = any($1::uuid[]) and user_id = $2', [ids, userId])
  return { next: rows.length < pageSize ? null : last.delivery_id, erased: 0 }
}
