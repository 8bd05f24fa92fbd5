import type { NotificationWithAttempts } from '@flowpost/contract'
import { countDeliveryRows, limitPage, maxEmbeddedAttempts } from '@flowpost/contract/rules'
import { isCompleted } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { ApiError } from '../../shared/api-error.ts'
import { fromId } from '../../shared/ids.ts'
import type { Completions, CompletionWatch } from '../delivery/completion.ts'
import { attemptsOf, embeddedDeliveriesOf, getNotification } from './notification.queries.ts'
import { type NotificationRow, toNotificationWithAttempts } from './notification.serializer.ts'

type Wire = z.output<typeof NotificationWithAttempts>

/**
 * Reads what the representations of these notifications, newest first, embed, as far as a page goes.
 * @returns how many of them the page holds, and the function that makes their representations.
 */
export const withDeliveries = async (
  on: Queryable,
  rows: readonly NotificationRow[],
): Promise<{ length: number; toResponse: (row: NotificationRow) => Wire }> => {
  const deliveries = await embeddedDeliveriesOf(
    on,
    rows.map(({ id }) => id),
  )
  const deliveriesOf = ({ id }: NotificationRow) => deliveries.get(id) ?? []
  const counts = rows.map((row) => deliveriesOf(row).reduce((sum, delivery) => sum + countDeliveryRows(delivery, maxEmbeddedAttempts), 0))
  const length = limitPage(rows.length, counts)
  const attempts = await attemptsOf(on, rows.slice(0, length).flatMap(deliveriesOf), maxEmbeddedAttempts)
  return { length, toResponse: (row) => toNotificationWithAttempts(row, deliveriesOf(row), attempts) }
}

/** Who waits for a notification. */
export interface Waiting {
  /** How long to wait until it has settled, in milliseconds. */
  readonly waitMs: number
  /** Aborts when nobody waits for the answer any more. */
  readonly gone: AbortSignal
}

/** What reading notifications needs. */
export interface NotificationReaderDeps {
  readonly database: Queryable
  readonly completions: Completions
}

interface Look {
  readonly row: NotificationRow
  readonly settled: Wire | undefined
}

// As the contract says at `wait`.
const mostWaits = 100
const retryAfterSeconds = 2

const tooManyWaits = (): ApiError =>
  new ApiError(
    'rate_limited',
    `A credential may have ${mostWaits} requests with \`wait\` open at once. Try again in ${retryAfterSeconds} s.`,
    {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    },
  )

/**
 * Reads a notification, at once or when it has settled. Those of one user who wait for the same one share each read of
 * it, or a thousand of them would keep everybody else from the database when it settles.
 * @throws ApiError `not_found`, or `rate_limited` when the credential waits too often at once.
 */
export const createNotificationReader = ({ database, completions }: NotificationReaderDeps) => {
  const waitsOf = new Map<string, number>()

  const toResponse = async (row: NotificationRow): Promise<Wire> => (await withDeliveries(database, [row])).toResponse(row)

  const read = async (principal: Principal, id: string): Promise<Wire> => {
    return toResponse(await getNotification(database, principal, id))
  }

  /** Looks whether the notification has settled, and reads the rest only if so. */
  const readSettled = async (principal: Principal, id: string): Promise<Look> => {
    const row = await getNotification(database, principal, id)
    return { row, settled: isCompleted(row.status) ? await toResponse(row) : undefined }
  }

  /** Resolves with the last look, which has the settled notification unless the time is up, somebody stops or is gone. */
  const untilSettled = async (watch: CompletionWatch, first: Look, { waitMs, gone }: Waiting, look: () => Promise<Look>): Promise<Look> => {
    const until = performance.now() + waitMs
    let last = first
    while (!last.settled) {
      await watch.next(Math.max(0, until - performance.now()))
      if (gone.aborted || completions.stopped() || performance.now() >= until) break
      last = await look()
    }
    return last
  }

  const counted = async <T>(credentialId: string, wait: () => Promise<T>): Promise<T> => {
    const waits = waitsOf.get(credentialId) ?? 0
    if (waits >= mostWaits) throw tooManyWaits()
    waitsOf.set(credentialId, waits + 1)
    try {
      return await wait()
    } finally {
      const left = (waitsOf.get(credentialId) ?? 1) - 1
      if (left === 0) waitsOf.delete(credentialId)
      else waitsOf.set(credentialId, left)
    }
  }

  return async (principal: Principal, id: string, waiting: Waiting | undefined): Promise<Wire> => {
    const uuid = fromId('notification', id)
    if (waiting === undefined || uuid === undefined) return read(principal, id)
    const { gone } = waiting
    // Watched before it is read, so that nothing falls in between.
    const watch = completions.watch(uuid)
    gone.addEventListener('abort', watch.stop)
    try {
      const who = `${principal.userId} ${principal.projectId ?? ''}`
      const look = () => watch.read(`settled ${who}`, () => readSettled(principal, id))
      const first = await look()
      if (first.settled) return first.settled
      const last = await counted(principal.rateLimitKey, () => untilSettled(watch, first, waiting, look))
      if (last.settled) return last.settled
      // Nobody is there to see the answer, so nothing is read for it.
      if (gone.aborted) return toNotificationWithAttempts(last.row, [], new Map())
      return await watch.read(`now ${who}`, () => read(principal, id))
    } finally {
      gone.removeEventListener('abort', watch.stop)
      watch.stop()
    }
  }
}
