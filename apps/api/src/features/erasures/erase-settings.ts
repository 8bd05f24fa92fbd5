import { projectTag } from '../../cache-tags.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { type EraseStep, matchesPattern } from './erasure-area.ts'

const forget = `update suppressions set target = null
  where project_id in (select id from projects where user_id = $1) and ${anyUuid('digest', '$2')} and ($3 = '' or source_type in ('', $3)) and target is not null`

/**
 * Removes a recipient's address from a user's suppression lists. The digest of the address remains in the lists, so the
 * recipient stays suppressed.
 * @param recipient.digests see `Recipients.identitiesOf`.
 */
export const forgetSuppressedAddress = async (
  on: Queryable,
  {
    userId,
    digests,
    sourceType = '',
  }: { readonly userId: string; readonly digests: readonly Uuid[]; readonly sourceType?: string | undefined },
): Promise<void> => {
  await on.query(forget, [userId, digests, sourceType])
}

const pageSize = 500

const healthDetails = `select f.id, f.project_id, f.health_detail as detail from flows f join projects p on p.id = f.project_id
  where p.user_id = $1 and ${matchesPattern('f.health_detail', '$2')} and f.id > $3 order by f.id ${pageLimit('$4')} for update of f`

// A rate-limit slot in the past has no effect, so it can be deleted even if another user sends to the same destination.
const forgetSlots = `delete from destinations where right(key, length($1) + 1) = ' ' || $1 and next_at < now() and tail_at < now()`

interface HealthRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly detail: string
}

/**
 * Erases the recipient from the health details of flows, from suppression lists and from the rate limits of chat
 * channels. Does not change a flow's default target, even if it is the recipient.
 */
export const eraseSettings: EraseStep = async (transaction, { recipients }, { userId, sourceType, key, redactor }, position) => {
  const flows = await transaction.query<HealthRow & object>(healthDetails, [
    userId,
    redactor.searchPattern,
    position ?? lowestUuid,
    pageSize,
  ])
  for (const { id, project_id, detail } of flows) {
    const erased = redactor.redact(detail)
    if (erased === detail) continue
    await transaction.query('update flows set health_detail = $2 where id = $1', [id, erased])
    transaction.invalidate(projectTag(project_id))
  }
  const last = flows.at(-1)
  if (last && flows.length === pageSize) return { next: last.id, erased: 0 }
  await forgetSuppressedAddress(transaction, { userId, digests: recipients.identitiesOfKey(userId, key), sourceType })
  await transaction.query(forgetSlots, [key])
  return { next: null, erased: 0 }
}
