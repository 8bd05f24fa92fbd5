import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import { type ErasedPerson, matchesPattern } from './erasure-area.ts'

const find = `select id, request_id, trace_context from bulk_actions where user_id = $1
  and (${matchesPattern('request_id', '$2')} or ${matchesPattern('trace_context', '$2')}) order by id for update`

interface ActionRow {
  readonly id: Uuid
  readonly request_id: string
  readonly trace_context: string | null
}

const replaceRequestIds = 'update bulk_actions set request_id = $2 where id = any($1::uuid[])'

// A trace context is `traceparent`, then a space and `tracestate` if there is one.
const removeTraceStates = `update bulk_actions set trace_context = split_part(trace_context, ' ', 1) where id = any($1::uuid[])`

/** Erases the recipient from the request ids and trace states of the user's bulk actions. Clients choose these texts. */
export const eraseBulkActions = async (on: Queryable, { userId, redactor, replacement }: ErasedPerson): Promise<void> => {
  const rows = await on.query<ActionRow & object>(find, [userId, redactor.searchPattern])
  const inRequestId = rows.filter(({ request_id }) => redactor.isIn(request_id)).map(({ id }) => id)
  const inTraceContext = rows.filter(({ trace_context }) => redactor.isIn(trace_context ?? '')).map(({ id }) => id)
  if (inRequestId.length > 0) await on.query(replaceRequestIds, [inRequestId, replacement])
  if (inTraceContext.length > 0) await on.query(removeTraceStates, [inTraceContext])
}
