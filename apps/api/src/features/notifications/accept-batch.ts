import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NotificationBatchResult } from '@flowpost/contract'
import {
  createItemProblems,
  idempotencyKeyReused,
  isTemporary,
  parseBatchItem,
  replayedHeaders,
  retryAfterOf,
} from '@flowpost/contract/rules'
import { type Channels, findSendIssues } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { type IdempotencyKey, keyOfItem, replay } from '../../http/idempotency-key.ts'
import { logServerError, toApiError } from '../../http/problem-response.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Accept, AcceptedResponse } from './accept-notification.ts'
import { createBatchContexts } from './batch-contexts.ts'
import type { SendBody } from './plan-notification.ts'
import type { SendContextDeps } from './send-context.ts'

/** The dependencies of {@link createBatchAcceptance}. */
export interface BatchDeps extends SendContextDeps {
  readonly idempotency: Idempotency
  readonly clock: Clock
  readonly channels: Channels
}

/** A batch of notifications to accept. */
export interface Batch {
  readonly context: RequestContext
  readonly principal: Principal
  /** The unvalidated items. */
  readonly items: readonly unknown[]
  /** The idempotency key of the whole batch. */
  readonly key: IdempotencyKey | undefined
  /** Counts another item against the rate limit. Rejects with `rate_limited` if the limit is reached. */
  readonly chargeItem: () => Promise<void>
  /** Called with the number of bytes that were rendered for an item. */
  readonly onRendered: (bytes: number) => void
}

/** The results of a batch, in item order, and the response headers. */
export interface BatchResponse {
  readonly results: z.output<typeof NotificationBatchResult>['results']
  readonly headers: Readonly<Record<string, string>>
}

type Outcome = AcceptedResponse | ApiError

type RejectedStatus = Exclude<BatchResponse['results'][number]['status'], 202>

interface ParsedItem {
  readonly body: SendBody
  readonly key: IdempotencyKey | undefined
}

interface ChargedItem extends ParsedItem {
  /** The error if the item is above the rate limit. */
  readonly limited: ApiError | undefined
}

/** The latest item that was processed with a given idempotency key. */
interface KeyHolder {
  readonly outcome: Outcome
  readonly fingerprint: Buffer
}

// The maximum time, in milliseconds, for which items are processed before other requests get a turn. A single large
// item can take longer.
const maxTurnMs = 5
// The maximum total size of items that are planned but not yet stored, in bytes. It is twice the maximum for one
// statement.
const maxPlannedBytes = 8 * 1_048_576

const isAccepted = (outcome: Outcome): outcome is AcceptedResponse => !(outcome instanceof ApiError)

const isReplayed = ({ headers }: AcceptedResponse): boolean =>
  headers !== undefined && Object.keys(replayedHeaders).every((name) => name in headers)

/** Creates a function that yields to other requests once `maxTurnMs` milliseconds have passed since it last yielded. */
const createYielder = () => {
  let startedAt = performance.now()
  return async (): Promise<void> => {
    if (performance.now() - startedAt < maxTurnMs) return
    await nextTurn()
    startedAt = performance.now()
  }
}

/**
 * Returns the response to a batch.
 * @throws ApiError `unavailable` if no item was accepted and at least one failed with this error, so that clients repeat
 * the batch.
 */
const toResponse = (outcomes: readonly Outcome[], requestId: string): BatchResponse => {
  const accepted = outcomes.filter(isAccepted)
  const errors = outcomes.filter((outcome) => outcome instanceof ApiError)
  const unavailable = errors.find(({ code }) => code === 'unavailable')
  const retryAfter = retryAfterOf(errors)
  if (unavailable && accepted.length === 0)
    throw new ApiError('unavailable', unavailable.message, { headers: retryAfter, cause: unavailable.cause })
  const toProblem = createItemProblems(requestId)
  const results = outcomes.map((outcome) =>
    isAccepted(outcome)
      ? { status: 202 as const, notification: outcome.body }
      : { status: outcome.status as RejectedStatus, problem: toProblem(outcome) },
  )
  return { results, headers: { ...(accepted.length > 0 && accepted.every(isReplayed) ? replayedHeaders : {}), ...retryAfter } }
}

/**
 * Creates the function that accepts the notifications in a batch and returns when every item has a result. Each item is
 * accepted or rejected as if it were sent alone, because the batch is not one transaction. To save time, one SQL statement
 * can read or store data for several items.
 */
export const createBatchAcceptance = (deps: BatchDeps, accept: Accept) => {
  const { idempotency, clock, channels } = deps

  const parseItems = async ({ items, principal, key }: Batch, yieldTurn: () => Promise<void>): Promise<(ParsedItem | ApiError)[]> => {
    const findIssues = (item: unknown) => findSendIssues(item, clock.now().getTime(), channels.get)
    const parsed: (ParsedItem | ApiError)[] = []
    for (const [index, item] of items.entries()) {
      try {
        const { body, idempotencyKey } = parseBatchItem(item, findIssues)
        parsed.push({ body, key: keyOfItem(principal, key?.id[2], { index, idempotencyKey, body }) })
      } catch (error) {
        parsed.push(toApiError(error))
      }
      await yieldTurn()
    }
    return parsed
  }

  return async (batch: Batch): Promise<BatchResponse> => {
    const { context, principal, key: batchKey, chargeItem, onRendered } = batch
    const yieldTurn = createYielder()
    const items = await parseItems(batch, yieldTurn)
    if (batchKey) await idempotency.claim(batchKey)
    const stored = await idempotency.findAll(items.flatMap((item) => (item instanceof ApiError || !item.key ? [] : [item.key])))
    const loadContext = createBatchContexts(deps, principal)
    let plannedBytes = 0
    let onStored = Promise.withResolvers<void>()

    let isRequestUsed = false
    /**
     * Counts an item against the rate limit. Replayed items are not counted, so that a batch above the limit can be completed by
     * repeating it. The first item that is counted costs nothing, because the rate limit has already counted the request.
     * @returns the error if the limit is reached.
     */
    const charge = async (item: ParsedItem | ApiError): Promise<ApiError | undefined> => {
      const key = item instanceof ApiError ? undefined : item.key
      const row = key && stored.get(key.lock)
      if (row && key.fingerprint.equals(row.fingerprint)) return undefined
      if (isRequestUsed) return chargeItem().then(() => undefined, toApiError)
      isRequestUsed = true
      return undefined
    }

    /** Accepts an item, unless it is above the rate limit. Calls `onPlanned` once the item is planned or rejected. */
    const acceptItem = async ({ body, key, limited }: ChargedItem, onPlanned: () => void): Promise<Outcome> => {
      let size = 0
      const findResponse = () => {
        const row = key && stored.get(key.lock)
        return row && replay<202, AcceptedResponse['body']>(row, key.fingerprint)
      }
      const onPrepared = (bytes: number) => {
        size = bytes
        plannedBytes += bytes
        onPlanned()
      }
      try {
        if (limited) throw limited
        return await accept({ context, principal, body, key, onRendered, shared: { findResponse, loadContext, onPrepared } })
      } catch (error) {
        const problem = toApiError(error)
        logServerError(context.log, error, problem)
        return problem
      } finally {
        plannedBytes -= size
        onStored.resolve()
        onPlanned()
      }
    }

    const holders = new Map<string, Promise<KeyHolder>>()
    /**
     * Accepts items with the same idempotency key one after the other. Once one of them is accepted or fails temporarily,
     * later ones are not processed. They get the same outcome, or `idempotency_key_reused` if the accepted item had a
     * different body.
     */
    const acceptInOrder = (item: ChargedItem, onPlanned: () => void): Promise<Outcome> => {
      const { key } = item
      if (!key) return acceptItem(item, onPlanned)
      const earlier = holders.get(key.lock)
      const hold = async (): Promise<KeyHolder> => ({ outcome: await acceptItem(item, onPlanned), fingerprint: key.fingerprint })
      if (earlier) onPlanned()
      const holder = earlier ? earlier.then((found) => (isAccepted(found.outcome) || isTemporary(found.outcome) ? found : hold())) : hold()
      holders.set(key.lock, holder)
      return holder.then(({ outcome, fingerprint }) =>
        isAccepted(outcome) && !fingerprint.equals(key.fingerprint) ? idempotencyKeyReused() : outcome,
      )
    }

    const pending: Promise<Outcome>[] = []
    for (const item of items) {
      const limited = await charge(item)
      if (item instanceof ApiError) {
        pending.push(Promise.resolve(limited ?? item))
        continue
      }
      const planned = Promise.withResolvers<void>()
      pending.push(acceptInOrder({ ...item, limited }, planned.resolve))
      await planned.promise
      await yieldTurn()
      while (plannedBytes > maxPlannedBytes) {
        await onStored.promise
        onStored = Promise.withResolvers()
      }
    }
    return toResponse(await Promise.all(pending), context.requestId)
  }
}
