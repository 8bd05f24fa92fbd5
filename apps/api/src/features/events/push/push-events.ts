import { decideRetry, type RetryPolicy } from '@flowpost/domain'
import type { Logger } from 'pino'
import { type Database, instant } from '../../../database/database.ts'
import { type EventRow, readEvents } from '../event.queries.ts'
import { toEventJson } from '../event.serializer.ts'
import type { FeedPosition } from '../position.ts'
import type { ClaimedEndpoint } from './claim-endpoints.ts'
import { logFieldsOf, recordDelivered, recordFailed, releaseEndpoint, toAttemptRow } from './record-push.ts'
import { abortedCode, type PushedJson, type PushResult, type SendEvent } from './send-event.ts'

/** The dependencies of {@link pushEvents}. */
export interface PushEventsDeps {
  readonly database: Database
  readonly log: Logger
  readonly sendEvent: SendEvent
  readonly retryPolicy: RetryPolicy
  /** Returns a uniformly distributed random number in [0, 1). */
  readonly random: () => number
  /** Counts a request by its outcome: `delivered` or `failed`. */
  readonly countPush: (outcome: string) => void
}

/** The limits on an endpoint's turn, during which the worker sends events to that endpoint. */
export interface TurnLimits {
  /**
   * Returns whether the turn's time is over. If so, the turn ends after the current request, so that other endpoints get a
   * turn.
   */
  readonly isOver: () => boolean
  /** Returns whether the process is stopping and must not send more requests. */
  readonly isStopping: () => boolean
  /** Aborts the current request. */
  readonly signal: AbortSignal
  /** Called after a failure, with the delay before the next attempt in milliseconds. */
  readonly onRetry: (delayMs: number) => void
}

// The first batch is small, because many endpoints may stall at the same time, and each of them keeps a batch in memory.
const firstBatchSize = 10
const batchSize = 100

const gone = 410

/**
 * Returns the delay between a failure and the next attempt, in milliseconds, or `null` if the endpoint must be
 * disabled.
 */
const delayAfter = (deps: PushEventsDeps, endpoint: ClaimedEndpoint, failures: number, failure: NonNullable<PushResult['failure']>) => {
  const { kind, code, detail, retryAfterMs } = failure
  const decision = decideRetry({
    // Every failure except 410 is retried, because it can be temporary, such as a 404 during a deployment.
    failure: { kind, code, detail, retryable: true },
    attemptNumber: failures,
    elapsedMs: endpoint.failing_ms ?? 0,
    retryAfterMs,
    // A single response with a long `Retry-After` must not disable the endpoint.
    excessiveRetryAfter: 'ignore',
    random: deps.random,
    policy: deps.retryPolicy,
    ambiguousPolicy: 'retry',
  })
  return decision.retry ? decision.delayMs : null
}

/**
 * Returns whether `event` was stored after the time when an endpoint's last failure should have been retried. For the first event
 * of a turn, this means that no event was waiting at that time, for example because retention had deleted the failed event. The
 * endpoint may have worked in the meantime.
 */
const wasIdle = ({ next_attempt_at }: ClaimedEndpoint, event: EventRow): boolean =>
  next_attempt_at !== null && instant(event.created_at) > instant(next_attempt_at)

/**
 * Sends the next events to a claimed endpoint, one after another, and ends the lease. Holds no database connection
 * while waiting for the endpoint. Stops at the first failure, because events must arrive in order. Sends at least one
 * event even if the turn is already over, unless the process is stopping.
 */
export const pushEvents = async (deps: PushEventsDeps, endpoint: ClaimedEndpoint, turn: TurnLimits): Promise<void> => {
  const { database, log, sendEvent, countPush } = deps
  let cursor: FeedPosition = { position: endpoint.cursor_position, id: endpoint.cursor_id }
  let failures = endpoint.failures
  let hasPushed = false
  const isOver = () => turn.isStopping() || (hasPushed && turn.isOver())

  const fail = async (event: PushedJson, result: PushResult, failure: NonNullable<PushResult['failure']>): Promise<void> => {
    // If there is no previous failure, a new failure period starts now.
    const since = failures === 0 ? { ...endpoint, failing_ms: null } : endpoint
    const delayMs = result.status === gone ? null : delayAfter(deps, since, failures + 1, failure)
    const isHeld = await recordFailed(database, endpoint, toAttemptRow(event, result), { to: cursor, failures: failures + 1, delayMs })
    if (!isHeld) return
    const fields = { ...logFieldsOf(endpoint), code: failure.code, detail: failure.detail }
    if (delayMs === null)
      log.warn(fields, 'Event endpoint disabled, because every request failed for the whole retry period, or the endpoint returned 410.')
    else {
      if (failures === 0) log.info(fields, 'Sending an event failed; retrying.')
      turn.onRetry(delayMs)
    }
  }

  /** Sends one event. Returns whether to continue with the next one. */
  const push = async (row: EventRow): Promise<boolean> => {
    const event: PushedJson = { id: row.id, type: row.type, json: toEventJson(row) }
    hasPushed = true
    const result = await sendEvent(endpoint, event, turn.signal)
    const { failure } = result
    if (failure?.code === abortedCode) {
      await releaseEndpoint(database, endpoint, cursor)
      return false
    }
    countPush(failure ? 'failed' : 'delivered')
    if (failure) {
      if (wasIdle(endpoint, row)) failures = 0
      await fail(event, result, failure)
      return false
    }
    if (!(await recordDelivered(database, endpoint, toAttemptRow(event, result), row))) return false
    if (failures > 0) log.info(logFieldsOf(endpoint), 'Event endpoint accepts events again.')
    failures = 0
    cursor = row
    return true
  }

  for (let limit = firstBatchSize; ; limit = batchSize) {
    const owner = { projectId: endpoint.project_id }
    const rows = await readEvents(database, { owner, types: endpoint.events, after: cursor, limit })
    for (const row of rows) {
      if (row.data === null) cursor = row
      else if (isOver()) break
      else if (!(await push(row))) return
    }
    if (rows.length === 0 || turn.isStopping() || turn.isOver()) break
  }
  await releaseEndpoint(database, endpoint, cursor)
}
