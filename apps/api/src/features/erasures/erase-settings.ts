import { projectTag } from '../../cache-tags.ts'
import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import { containsNeedle, type EraseStep } from './erasure-area.ts'

const forget = `update suppressions set target = null
  where project_id in (select id from projects where user_id = $1) and digest = $2 and ($3 = '' or source_type in ('', $3)) and target is not null`

/** Removes a recipient's address from a user's suppression lists. The recipient remains suppressed. */
export const forgetSuppressedAddress = async (
  on: Queryable,
  { userId, digest, sourceType = '' }: { readonly userId: string; readonly digest: Uuid; readonly sourceType?: string | undefined },
): Promise<void> => {
  await on.query(forget, [userId, digest, sourceType])
}

const healthDetails = `select f.id, f.project_id, f.health_detail as detail from flows f join projects p on p.id = f.project_id
  where p.user_id = $1 and ${containsNeedle('f.health_detail', '$2')} order by f.id for update of f`

// A rate-limit slot in the past has no effect, so it can be deleted even if another user sends to the same destination.
const forgetSlots = `delete from destinations where right(key, length($1) + 1) = ' ' || $1 and next_at < now() and tail_at < now()`

interface HealthRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly detail: string
}

/**
 * Erases the recipient from flow health details, suppression lists and rate-limited destinations. The settings of
 * projects, flows and integrations do not change.
 */
export const eraseSettings: EraseStep = async (transaction, _deps, { userId, digest, sourceType, key, redactor }) => {
  for (const { id, project_id, detail } of await transaction.query<HealthRow & object>(healthDetails, [userId, redactor.needles])) {
    await transaction.query('update flows set health_detail = $2 where id = $1', [id, redactor.redact(detail)])
    transaction.invalidate(projectTag(project_id))
  }
  await forgetSuppressedAddress(transaction, { userId, digest, sourceType })
  await transaction.query(forgetSlots, [key])
  return { next: null, erased: 0 }
}
