import type { EventType } from '@flowpost/contract'
import type { Queryable } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { completeBefore } from '../position.ts'

/**
 * The duration of a worker's lease on an endpoint, in milliseconds. Recording a delivered event renews the lease. The lease
 * must be longer than the request timeout. Otherwise, the lease could end during a request, and another worker could send the
 * same event.
 */
export const leaseMs = 30_000

/**
 * The health of an endpoint to which events are sent, based on whether the last request succeeded. `unknown` means that
 * no result has been recorded since the endpoint was created, or since its last update or replay.
 */
export type PushedHealth = 'healthy' | 'unknown' | 'failing'

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
  /** The health at the time of the claim. */
  readonly health: PushedHealth
  /** The number of consecutive failed requests. */
  readonly failures: number
  /** The time since the first of the consecutive failures, in milliseconds; `null` if there are none. */
  readonly failing_ms: number | null
  /** The planned time of the next attempt after a failure; `null` if the last request did not fail. */
  readonly next_attempt_at: string | null
}

/** An SQL condition that is true for an endpoint `e` to which a worker may send. */
const isPushed = `e.active and e.url is not null and e.health_status <> 'disabled'`

/** An SQL condition that is true for an event `v` that an endpoint `e` has yet to receive or skip. */
const isNext = 'v.project_id = e.project_id and (v.position, v.id) > (e.cursor_position, e.cursor_id)'

const isAvailable = '(e.lease_until is null or e.lease_until < now())'

/**
 * Returns a statement that claims endpoints, up to a separate limit for each {@link PushedHealth}. The next endpoint always
 * belongs to the user with the fewest leased endpoints. Of this user's projects, the one with the fewest leased endpoints
 * comes first. Endpoints that are already selected count as leased. Ties go to the least recently claimed endpoint.
 * @param condition an SQL condition that selects the endpoints `e` to examine. It may use the parameter `$4`.
 */
const claimOf = (condition: string): string => `with examined as materialized (
      select e.id, e.user_id, e.project_id, e.health_status, e.claimed_at, e.lease_until, e.next_attempt_at, e.cursor_position, e.cursor_id,
        ${isPushed} as is_pushed
      from event_endpoints e where ${condition}
    ), candidates as materialized (
      select e.id, e.user_id, e.project_id, e.health_status, e.claimed_at from examined e
      where e.is_pushed and ${isAvailable} and (e.next_attempt_at is null or e.next_attempt_at <= now())
        and exists (select from events v where ${isNext} and v.position < ${completeBefore})
    ), in_flight as materialized (
      select user_id, project_id, count(*) as endpoints from examined where lease_until >= now() group by user_id, project_id
    ), of_project as (
      select c.*, coalesce(f.endpoints, 0)
        + row_number() over (partition by c.health_status, c.project_id order by c.claimed_at nulls first, c.id) as project_turn
      from candidates c left join in_flight f using (user_id, project_id)
    ), of_user as (
      select c.*, coalesce(f.endpoints, 0)
        + row_number() over (partition by c.health_status, c.user_id order by c.project_turn, c.claimed_at nulls first, c.id) as user_turn
      from of_project c left join (select user_id, sum(endpoints) as endpoints from in_flight group by user_id) f using (user_id)
    ), ranked as (
      select id, health_status, row_number() over (partition by health_status order by user_turn, claimed_at nulls first, id) as turn
      from of_user
    ), due as materialized (
      select e.id from event_endpoints e
      where e.id = any(array(
          select id from ranked where turn <= case health_status when 'healthy' then $1::int when 'unknown' then $2::int else $3::int end
        )) and ${isAvailable}
      for update skip locked
    )
    update event_endpoints e set claim = e.claim + 1, lease_until = now() + interval '${leaseMs} milliseconds', claimed_at = now()
    where e.id = any(array(select id from due))
    returning e.id, e.project_id, e.url, e.events, e.secrets, e.claim, e.cursor_position::text, e.cursor_id, e.failures,
      e.next_attempt_at, e.health_status as health, (extract(epoch from now() - e.failing_since) * 1000)::float8 as failing_ms`

const claimAll = { name: 'claim-event-endpoints', text: claimOf(isPushed) }
const claimOfProjects = { name: 'claim-event-endpoints-of-projects', text: claimOf(anyUuid('e.project_id', '$4')) }

/** The limits of one claim. */
export interface ClaimLimits {
  /** The maximum number of endpoints to claim for each health value. */
  readonly limits: Readonly<Record<PushedHealth, number>>
  /** The projects whose endpoints may be claimed; `null` for all projects. */
  readonly projectIds: readonly Uuid[] | null
}

/** Claims endpoints for which events are waiting. */
export const claimEndpoints = (on: Queryable, { limits, projectIds }: ClaimLimits): Promise<ClaimedEndpoint[]> => {
  const counts = [limits.healthy, limits.unknown, limits.failing]
  return projectIds === null
    ? on.query<ClaimedEndpoint & object>(claimAll, counts)
    : on.query<ClaimedEndpoint & object>(claimOfProjects, [...counts, projectIds])
}

const oldest = {
  name: 'oldest-unpushed-event',
  text: `select coalesce(extract(epoch from now() - min(n.created_at)), 0)::float8 as seconds
    from event_endpoints e cross join lateral (
      select v.created_at from events v where ${isNext} order by v.position, v.id limit 1
    ) n where ${isPushed}`,
}

/**
 * Returns the age, in seconds, of the oldest event that an enabled endpoint has yet to receive or skip; 0 if there is
 * no such event.
 */
export const oldestUnpushedSeconds = async (on: Queryable): Promise<number> => {
  const [row] = await on.query<{ seconds: number }>(oldest)
  return Math.max(0, row?.seconds ?? 0)
}
