import { eraseFromResponse } from '@flowpost/domain'
import { pageLimit } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { type ErasedPerson, type EraseStep, limitBytes, matchesPattern, patternInJson } from './erasure-area.ts'

const pageSize = 500

const bytes = 'coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)'

const page = `with page as materialized (
    select id, request_id, before, after from settings_history where user_id = $1 and id > $2 order by id ${pageLimit('$3')}
  )
  select id, case when found then request_id end as request_id, case when found then before end as before,
    case when found then after end as after
  from ${limitBytes('page', bytes, 'id')} as page cross join lateral (select ${['before', 'after', 'request_id']
    .map((column) => matchesPattern(column, '$4'))
    .join(' or ')} as found) search order by id`

const replace = `update settings_history h set request_id = r.request_id, before = r.before, after = r.after
  from json_to_recordset($3::json) as r(id uuid, request_id text, before text, after text)
  where h.user_id = $1 and ${anyUuid('h.id', '$2')} and h.id = r.id`

/** An entry of the settings history. If it does not contain the recipient's address, all fields except `id` are `null`. */
interface HistoryRow {
  readonly id: Uuid
  /** The id of the request that made the change. The client can choose this id, so it may contain the recipient's address. */
  readonly request_id: string | null
  readonly before: string | null
  readonly after: string | null
}

const withoutPerson = (json: string | null, person: ErasedPerson): string | null =>
  json === null ? null : JSON.stringify(eraseFromResponse(JSON.parse(json), person))

/** Erases the recipient from the settings history. The history entries and the current settings remain. */
export const eraseHistory: EraseStep = async (transaction, _deps, person, position) => {
  const values = [person.userId, position ?? lowestUuid, pageSize, patternInJson(person)]
  const rows = await transaction.query<HistoryRow & object>(page, values)
  const erased = rows.flatMap(({ id, request_id, before, after }) => {
    if (request_id === null) return []
    const changed = {
      id,
      request_id: person.redactor.isIn(request_id) ? person.replacement : request_id,
      before: withoutPerson(before, person),
      after: withoutPerson(after, person),
    }
    const isUnchanged = changed.request_id === request_id && changed.before === before && changed.after === after
    return isUnchanged ? [] : [changed]
  })
  if (erased.length > 0) await transaction.query(replace, [person.userId, erased.map(({ id }) => id), JSON.stringify(erased)])
  return { next: rows.at(-1)?.id ?? null, erased: 0 }
}
