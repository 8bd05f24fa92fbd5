import type { RenderedContent } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { isOneOf, statusOf } from '../../database/planner.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'

/** A delivery that this process has begun to try. */
export interface BegunAttempt {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly flow_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly captured: boolean
  readonly credential_removed: boolean
  readonly attempt_count: number
  readonly attempt_id: Uuid
  readonly first_attempt_at: string
  readonly created_at: string
  /** `null`: no longer kept. */
  readonly content: RenderedContent | null
}

const begin = {
  name: 'begin-attempts',
  text: `with due as (
      select d.id from deliveries d
      where ${isOneOf('d.id', '$1')} and ${statusOf('d')} in ('queued', 'sending', 'retrying')
        and (d.next_attempt_at is null or d.next_attempt_at <= now())
      order by d.id for update
    ), begun as (
      update deliveries d set status = 'sending', attempt_id = ($2::jsonb ->> d.id::text)::uuid, attempt_count = d.attempt_count + 1,
        first_attempt_at = coalesce(d.first_attempt_at, $3), next_attempt_at = null
      where d.id = any(array(select id from due))
      returning d.id, d.notification_id, d.user_id, d.project_id, d.flow_id, d.source_type, d.target, d.captured, d.credential_removed, d.attempt_count,
        d.attempt_id, d.first_attempt_at, d.created_at
    ), cut as (
      update attempts a set outcome = 'ambiguous', provider_response = $4
      where a.delivery_id = any(array(select id from due)) and a.outcome = 'sending'
    ), recorded as (
      insert into attempts (id, delivery_id, number, started_at, outcome)
      select attempt_id, id, attempt_count, $3, 'sending' from begun
    ), rolled as (
      update notifications n set status = 'sending'
      where n.id = any(array(select notification_id from begun)) and n.status = 'queued'
    )
    select begun.*, c.content from begun left join lateral (
      select content from contents where notification_id = begun.notification_id and delivery_id = begun.id limit 1
    ) c on true`,
}

/**
 * Begins an attempt at each of the deliveries that may be tried now, in one committed statement, and
 * leaves out the others: settled or canceled ones, and ones whose retry is due later.
 *
 * A delivery that is still `sending` was held by a process that died or lost its lease: its attempt
 * ends as `ambiguous`, and can no longer settle the delivery, which has a new `attempt_id` now.
 */
export const beginAttempts = async (on: Queryable, clock: Clock, deliveryIds: readonly Uuid[]): Promise<BegunAttempt[]> => {
  const now = clock.now()
  return on.query<BegunAttempt>(begin, [
    deliveryIds,
    JSON.stringify(Object.fromEntries(deliveryIds.map((id) => [id, newUuid()]))),
    now,
    'The process that made this attempt ended before it could record the outcome.',
  ])
}
