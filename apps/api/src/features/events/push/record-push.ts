import type { Queryable } from '../../../database/database.ts'
import { newUuid, toId, type Uuid } from '../../../shared/ids.ts'
import type { EventAttemptRow } from '../endpoint.serializer.ts'
import type { FeedPosition } from '../position.ts'
import { leaseMs } from './claim-endpoints.ts'
import type { PushedJson, PushResult } from './send-event.ts'

const keptAttempts = 100

// The deletion does not see the attempt that the same statement inserts, so it keeps only `keptAttempts - 1` older attempts.
const logFrom = (relation: string): string => `logged as (
    insert into event_attempts (id, endpoint_id, event_id, type, outcome, status, code, detail, duration_ms, created_at)
    select $2::uuid, id, $3::uuid, $4, $5, $6::int, $7, $8, $9::int, $10::timestamptz from ${relation}
  ), trimmed as (
    delete from event_attempts where endpoint_id = $1 and id <= (
      select id from event_attempts where endpoint_id = $1 order by id desc offset ${keptAttempts - 1} limit 1
    )
  )`

const attemptValues = (endpointId: Uuid, attempt: EventAttemptRow): readonly unknown[] => {
  const { id, event_id, type, outcome, status, code, detail, duration_ms, created_at } = attempt
  return [endpointId, id, event_id, type, outcome, status, code, detail, duration_ms, created_at]
}

/** Converts the result of a request to an attempt row. */
export const toAttemptRow = (event: PushedJson, { failure, ...result }: PushResult): EventAttemptRow => ({
  id: newUuid(),
  event_id: event.id,
  type: event.type,
  outcome: failure ? 'failed' : 'delivered',
  status: result.status,
  code: failure?.code ?? null,
  detail: failure?.detail ?? null,
  duration_ms: result.durationMs,
  created_at: result.startedAt,
})

const log = {
  name: 'log-event-attempt',
  text: `with endpoint as (select id from event_endpoints where id = $1 for key share), ${logFrom('endpoint')} select id from endpoint`,
}

/** Adds an attempt to an endpoint's log, without changing the endpoint. */
export const logAttempt = async (on: Queryable, endpointId: Uuid, attempt: EventAttemptRow): Promise<void> => {
  await on.query(log, attemptValues(endpointId, attempt))
}

/** A claim on an endpoint. Only the holder of the latest claim may move the endpoint's cursor. */
export interface Claim {
  readonly id: Uuid
  readonly claim: number
}

const delivered = {
  name: 'record-delivered-event',
  text: `with changed as (
      update event_endpoints set cursor_position = $12::bigint, cursor_id = $13, lease_until = now() + interval '${leaseMs} milliseconds',
        failures = 0, failing_since = null, next_attempt_at = null, health_code = null, health_detail = null,
        health_since = case when health_status = 'healthy' then health_since else now() end, health_status = 'healthy'
      where id = $1 and claim = $11 returning id
    ), ${logFrom('changed')} select id from changed`,
}

/**
 * Moves an endpoint's cursor past a delivered event and extends the lease. Returns whether the claim was still valid.
 */
export const recordDelivered = async (
  on: Queryable,
  { id, claim }: Claim,
  attempt: EventAttemptRow,
  to: FeedPosition,
): Promise<boolean> => {
  const rows = await on.query(delivered, [...attemptValues(id, attempt), claim, to.position, to.id])
  return rows.length > 0
}

const failed = {
  name: 'record-failed-event',
  text: `with changed as (
      update event_endpoints set cursor_position = $12::bigint, cursor_id = $13, lease_until = null, failures = $16::int,
        failing_since = case when $16::int = 1 then now() else failing_since end,
        next_attempt_at = now() + $14::float8 * interval '1 millisecond',
        health_since = case when health_status = $15 then health_since else now() end, health_status = $15,
        health_code = $7, health_detail = $8
      where id = $1 and claim = $11 returning id
    ), ${logFrom('changed')} select id from changed`,
}

/** The state of an endpoint after a failed request. */
export interface PushFailure {
  /** The cursor's new position: the last event before the one in the failed request. */
  readonly to: FeedPosition
  /** The number of consecutive failures. The first one starts a new failure period. */
  readonly failures: number
  /** The delay before the next attempt, in milliseconds; `null` disables the endpoint. */
  readonly delayMs: number | null
}

/**
 * Records a failed request and ends the lease. The endpoint's cursor stays before the event, so that the event is sent again.
 * Returns whether the claim was still valid.
 */
export const recordFailed = async (
  on: Queryable,
  { id, claim }: Claim,
  attempt: EventAttemptRow,
  { to, failures, delayMs }: PushFailure,
): Promise<boolean> => {
  const status = delayMs === null ? 'disabled' : 'failing'
  const rows = await on.query(failed, [...attemptValues(id, attempt), claim, to.position, to.id, delayMs, status, failures])
  return rows.length > 0
}

const release = {
  name: 'release-event-endpoint',
  text: 'update event_endpoints set cursor_position = $3::bigint, cursor_id = $4, lease_until = null where id = $1 and claim = $2',
}

/** Ends the lease and moves the cursor past the last event that was delivered or skipped. */
export const releaseEndpoint = async (on: Queryable, { id, claim }: Claim, to: FeedPosition): Promise<void> => {
  await on.query(release, [id, claim, to.position, to.id])
}

/** Returns the log fields that identify an endpoint and its project. */
export const logFieldsOf = ({ id, project_id }: { readonly id: Uuid; readonly project_id: Uuid }) => ({
  event_endpoint_id: toId('eventEndpoint', id),
  project_id: toId('project', project_id),
})
