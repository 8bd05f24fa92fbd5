import { eraseFromResponse } from '@flowpost/domain'
import { pageLimit } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { type EraseStep, limitBytes, matchesPattern, patternInJson } from './erasure-area.ts'

const pageSize = 500

const page = `with page as materialized (
    select position, id, data from events where user_id = $1 and (position, id) > ($2::bigint, $3::uuid) order by position, id ${pageLimit('$4')}
  )
  select position, id, case when ${matchesPattern('data', '$5')} then data end as data
  from ${limitBytes('page', 'octet_length(data)', 'position, id')} as page order by position, id`

const replace = `update events e set data = r.data from jsonb_to_recordset($3::jsonb) as r(id uuid, data text)
  where e.user_id = $1 and ${anyUuid('e.id', '$2')} and e.id = r.id`

interface EventRow {
  readonly position: string
  readonly id: Uuid
  /** The event's data if it may contain the address; otherwise `null`. */
  readonly data: string | null
}

/**
 * Erases the recipient from the user's events. The events remain, because they may not have been pushed or read yet.
 */
export const eraseEvents: EraseStep = async (transaction, _deps, person, position) => {
  const [after, afterId] = position === null ? ['-1', lowestUuid] : (JSON.parse(position) as [string, string])
  const values = [person.userId, after, afterId, pageSize, patternInJson(person)]
  const rows = await transaction.query<EventRow & object>(page, values)
  const erased = rows.flatMap(({ id, data }) => {
    if (data === null) return []
    const without = JSON.stringify(eraseFromResponse(JSON.parse(data), person))
    return without === data ? [] : [{ id, data: without }]
  })
  if (erased.length > 0) await transaction.query(replace, [person.userId, erased.map(({ id }) => id), JSON.stringify(erased)])
  const last = rows.at(-1)
  return { next: last ? JSON.stringify([last.position, last.id]) : null, erased: 0 }
}
