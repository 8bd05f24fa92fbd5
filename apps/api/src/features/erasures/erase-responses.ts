import { eraseFromResponse } from '@flowpost/domain'
import { pageLimit } from '../../database/database.ts'
import { type EraseStep, limitBytes, matchesPattern, patternInJson } from './erasure-area.ts'

const pageSize = 500

const page = `with page as materialized (
    select operation, key, body, created_at from idempotency_keys where user_id = $1 and (operation, key) > ($2, $3) order by operation, key ${pageLimit('$4')}
  )
  select operation, key, ${matchesPattern('key', '$5')} and created_at < $6 as in_key, case when ${matchesPattern('body', '$5')} then body end as body
  from ${limitBytes('page', 'octet_length(body)', 'operation, key')} as page order by operation, key`

const byKey = 'where user_id = $1 and operation = $2 and key = $3'

interface ResponseRow {
  readonly operation: string
  readonly key: string
  /** Whether the key may contain the address, and was used before the cutoff. */
  readonly in_key: boolean
  /** The stored response if it may contain the address; otherwise `null`. */
  readonly body: string | null
}

/**
 * Erases the recipient from the user's stored responses. Keeps the idempotency keys, so that a repeated request does not
 * send its message again. Deletes a key only if the key itself contains the address and was used before the cutoff.
 */
export const eraseResponses: EraseStep = async (transaction, _deps, person, position) => {
  const { userId, redactor } = person
  const [operation, after] = position === null ? ['', ''] : (JSON.parse(position) as [string, string])
  const values = [userId, operation, after, pageSize, patternInJson(person), person.cutoff]
  const rows = await transaction.query<ResponseRow & object>(page, values)
  for (const row of rows) {
    const id = [userId, row.operation, row.key]
    if (row.in_key && redactor.isIn(row.key)) await transaction.query(`delete from idempotency_keys ${byKey}`, id)
    // The body is empty if the response cannot be replayed. There is nothing to erase then.
    else if (row.body) {
      const erased = JSON.stringify(eraseFromResponse(JSON.parse(row.body), person))
      if (erased !== row.body) await transaction.query(`update idempotency_keys set body = $4 ${byKey}`, [...id, erased])
    }
  }
  const last = rows.at(-1)
  return { next: last ? JSON.stringify([last.operation, last.key]) : null, erased: 0 }
}
