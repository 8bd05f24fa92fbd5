import { maxPageBytes } from '@flowpost/contract/rules'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { highestUuid, type Uuid } from '../../shared/ids.ts'
import type { HistoryRow } from './history.serializer.ts'

/** The part of the settings history to list. */
export interface HistoryPage {
  readonly userId: string
  /** The project to list changes for; `undefined` for all of the user's projects. */
  readonly projectId: Uuid | undefined
  /** The maximum number of entries. */
  readonly count: number
  /** Only entries older than the entry with this id are listed; `undefined` for all entries. */
  readonly before: Uuid | undefined
}

const columns = 'id, project_id, kind, action, resource_id, key, changed_at, changed_by, request_id, fields, before, after'

const bytes = 'coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)'

// Reads entries, newest first, until the total size of their settings exceeds `maxPageBytes`. The entry that exceeds this limit
// is the last one that is read. Without the limit, one request could read many large templates.
// `is_followed` is true if an older entry was found, even if the limit leaves out that entry.
const select = (condition: string) => `select ${columns}, is_followed from (
    select h.*, sum(${bytes}) over (order by id desc rows between unbounded preceding and 1 preceding) as bytes_before,
      lead(id) over (order by id desc) is not null as is_followed
    from (select ${columns} from settings_history where ${condition} and id < $2 order by id desc ${pageLimit('$3')}) h
  ) h where bytes_before is null or bytes_before <= ${maxPageBytes} order by id desc`

const ofUser = { name: 'settings-history-of-user', text: select('user_id = $1') }
// All entries of a project belong to one user, so a single entry shows whether the user may read the project's entries. PostgreSQL
// checks this first. A condition on the user of each entry would read all entries of another user's project.
const isOwned = '(select user_id from settings_history where project_id = $4 limit 1) = $1'
const ofProject = { name: 'settings-history-of-project', text: select(`project_id = $4 and ${isOwned}`) }

type SelectedRow = HistoryRow & { readonly is_followed: boolean }

/** The result of {@link listHistory}. */
export interface HistoryRows {
  readonly rows: readonly HistoryRow[]
  /** The id of the last element of `rows` if `maxPageBytes` left out older entries; otherwise `undefined`. */
  readonly examinedTo: Uuid | undefined
}

/** Reads settings history entries, newest first. Returns fewer than `count` if their settings together exceed `maxPageBytes`. */
export const listHistory = async (on: Queryable, { userId, projectId, count, before }: HistoryPage): Promise<HistoryRows> => {
  const values = [userId, before ?? highestUuid, count]
  const rows = await (projectId === undefined
    ? on.query<SelectedRow & object>(ofUser, values)
    : on.query<SelectedRow & object>(ofProject, [...values, projectId]))
  const last = rows.at(-1)
  return { rows, examinedTo: last?.is_followed ? last.id : undefined }
}
