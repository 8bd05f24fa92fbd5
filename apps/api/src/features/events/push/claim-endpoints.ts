import type { EventType } from '@flowpost/contract'
import type { Queryable } from '../../../database/database.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { completeBefore } from '../position.ts'

/** How long a worker may send to an endpoint without recording a result. Longer than the timeout of a request. */
export const leaseMs = 30_000

/** An endpoint that this process may send to until its lease ends. */
export interface ClaimedEndpoint {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly url: string
  readonly events: readonly EventType[]
  readonly secrets: Uint8Array
  /** The fencing token. */
  readonly claim: number
  readonly cursor_position: string
  readonly cursor_id: Uuid
  /** The number of failed requests since the last one that succeeded. */
  readonly failures: number
  /** The time, in milliseconds, since the first of these failures; `null` if there are none. */
  readonly failing_ms: number | null
}

/** An SQL condition that is true for an endpoint `e` to which a worker may send. */
const isPushed = `e.active and e.url is not null and e.health_status <> 'disabled'`

/** An SQL condition that is true for an event `v` that an endpoint `e` has not received. */
const isNext = 'v.project_id = e.project_id and (v.position, v.id) > (e.cursor_position, e.cursor_id)'

const isAvailable = '(e.lease_until is null or e.lease_until < now())'

const claim = {
  name: 'claim-event-endpoints',
  text: `with candidates as materialized (
      select e.id, row_number() over (partition by e.failures > 0 order by e.claimed_at nulls first) as number, e.failures > 0 as is_failing
      from event_endpoints e
      where ${isPushed} and ($3::uuid[] is null or e.project_id = any($3::uuid[])) and ${isAvailable}
        and (e.next_attempt_at is null or e.next_attempt_at <= now())
        and exists (select from events v where ${isNext} and v.position < ${completeBefore})
    ), due as materialized (
      select e.id from event_endpoints e
      where e.id = any(array(select id from candidates where number <= case when is_failing then $2::int else $1::int end))
        and ${isAvailable}
      for update skip locked
    )
    update event_endpoints e set claim = e.claim + 1, lease_until = now() + interval '${leaseMs} milliseconds', claimed_at = now()
    where e.id = any(array(select id from due))
    returning e.id, e.project_id, e.url, e.events, e.secrets, e.claim, e.cursor_position::text, e.cursor_id, e.failures,
      (extract(epoch from now() - e.failing_since) * 1000)::float8 as failing_ms`,
}

/** The endpoints that a worker can take. */
export interface ClaimLimits {
  readonly healthy: number
  /** Endpoints whose last request failed. They have a separate limit, because they often take as long as the timeout. */
  readonly failing: number
  /** Claims only endpoints of these projects; `null` for all projects. */
  readonly projectIds: readonly Uuid[] | null
}

/** Claims endpoints that have events to receive, the least recently claimed ones first. */
export const claimEndpoints = (on: Queryable, { healthy, failing, projectIds }: ClaimLimits): Promise<ClaimedEndpoint[]> =>
  on.query<ClaimedEndpoint & object>(claim, [healthy, failing, projectIds])

const oldest = {
  name: 'oldest-unpushed-event',
  text: `select coalesce(extract(epoch from now() - min(n.created_at)), 0)::float8 as seconds
    from event_endpoints e cross join lateral (
      select v.created_at from events v where ${isNext} order by v.position, v.id limit 1
    ) n where ${isPushed}`,
}

/** Returns the age, in seconds, of the oldest event that an enabled endpoint has not received; 0 if there is none. */
export const oldestUnpushedSeconds = async (on: Queryable): Promise<number> => {
  const [row] = await on.query<{ seconds: number }>(oldest)
  return Math.max(0, row?.seconds ?? 0)
}
