import { eraseFromResponse } from '@flowpost/domain'
import { pageLimit } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { containsNeedle, type EraseStep } from './erasure-area.ts'

const pageSize = 500

const page = `with page as materialized (
    select position, id, data from events where user_id = $1 and (position, id) > ($2::bigint, $3::uuid) order by position, id ${pageLimit('$4')}
  )
  select position, id, case when ${containsNeedle('data', '$5')} then data end as data from page order by position, id`

const remove = `delete from events where user_id = $1 and ${anyUuid('id', '$2')}`

interface EventRow {
  readonly position: string
  readonly id: Uuid
  /** The data of the event, if it contains a part of the address. */
  readonly data: string | null
}

/**
 * Deletes the events of the user that contain the recipient. The events of deliveries that the erasure itself has canceled
 * remain, because they contain the replacement of the address.
 */
export const eraseEvents: EraseStep = async (transaction, _deps, person, position) => {
  const [after, afterId] = position === null ? ['-1', lowestUuid] : (JSON.parse(position) as [string, string])
  const { needles } = person.redactor
  // The name of a stored URL is not searched in texts. It is still the target of deliveries.
  const searched = needles.length > 0 ? needles : [`"target":${JSON.stringify(person.key)}`.toLowerCase()]
  const rows = await transaction.query<EventRow & object>(page, [person.userId, after, afterId, pageSize, searched])
  const found = rows.filter(({ data }) => data !== null && JSON.stringify(eraseFromResponse(JSON.parse(data), person)) !== data)
  if (found.length > 0) await transaction.query(remove, [person.userId, found.map(({ id }) => id)])
  const last = rows.at(-1)
  return { next: last ? JSON.stringify([last.position, last.id]) : null, erased: 0 }
}
