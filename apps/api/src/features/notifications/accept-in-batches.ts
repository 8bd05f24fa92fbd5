import type { Notification } from '@flowpost/contract'
import { embeddedDeliveries } from '@flowpost/domain'
import type { Request } from 'express'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Database } from '../../database/database.ts'
import { isDatabaseUnavailable } from '../../database/failures.ts'
import { type Answer, type Idempotency, keyInProgress } from '../../http/idempotency.ts'
import type { Uuid } from '../../shared/ids.ts'
import { createNaturalBatches } from '../../shared/natural-batches.ts'
import type { Principal } from '../../shared/principal.ts'
import type { Backlog } from '../deliveries/backlog.ts'
import { type AcceptDeps, acceptNotification } from './accept-notification.ts'
import { toNotification } from './notification.wire.ts'
import type { SendBody } from './plan-notification.ts'
import { type PreparedNotification, prepareNotification } from './prepare-notification.ts'
import { type SendingProjectDeps, sendingProject } from './sending-project.ts'
import { type StoredNotification, storeNotifications } from './store-notifications.ts'

/** What accepting in batches needs. */
export interface AcceptInBatchesDeps extends AcceptDeps, SendingProjectDeps {
  readonly database: Database
  readonly idempotency: Idempotency
  readonly backlog: Backlog
  readonly log: Logger
}

type Accepted = Answer<202, z.output<typeof Notification>>

const mostNotifications = 256
const mostBytes = 4 * 1_048_576
// What a delivery takes beside its message.
const deliveryBytes = 600

const answerOf = ({ notification, deliveries }: PreparedNotification): Accepted => {
  const body = toNotification(notification, deliveries.slice(0, embeddedDeliveries))
  return { status: 202, body, headers: { Location: `/v1/notifications/${body.id}` } }
}

const sizeOf = ({ deliveries }: PreparedNotification): number =>
  deliveries.reduce(
    (sum, { content }) => sum + deliveryBytes + content.subject.length + content.text.length + (content.html?.length ?? 0),
    0,
  )

const countByProject = (batch: readonly StoredNotification[]): Map<Uuid, number> => {
  const counts = new Map<Uuid, number>()
  for (const { notification, deliveries } of batch.map(({ prepared }) => prepared))
    counts.set(notification.project_id, (counts.get(notification.project_id) ?? 0) + deliveries.length)
  return counts
}

/**
 * Accepts notifications: those that come while others commit share the next statement, and so the wait for the disk.
 * It is decided by what is kept of the project, and found out while storing whether the project and the key are still
 * what they were; if not, or when one of a batch cannot be stored, each is done by itself and on nothing that is kept,
 * so that none suffers for its neighbours. An answer is given when all of it is committed.
 * @throws ApiError for everything that the rules refuse.
 */
export const createAcceptance = (deps: AcceptInBatchesDeps) => {
  const { database, queue, idempotency, backlog, log } = deps
  const keysInUse = new Set<string>()
  const limits = { atATime: database.kind === 'embedded' ? 1 : 2, items: mostNotifications, size: mostBytes }
  const store = createNaturalBatches<StoredNotification & { readonly size: number }>(limits, async (batch) => {
    const counts = countByProject(batch)
    await storeNotifications(database, queue, batch, await backlog.of([...counts.keys()]), idempotency.oldest())
    for (const [projectId, count] of counts) backlog.add(projectId, count)
    // What is scheduled for later is found by polling.
    if (batch.some(({ prepared }) => prepared.at === undefined)) queue.wake()
  })

  const acceptSingly = async (request: Request, principal: Principal, body: SendBody): Promise<Accepted> => {
    const answer = await idempotency.run(request, principal, body, async (transaction) =>
      answerOf(await acceptNotification(transaction, deps, principal, body)),
    )
    queue.wake()
    return answer
  }

  return async (request: Request, principal: Principal, body: SendBody, onRendered: (bytes: number) => void): Promise<Accepted> => {
    const { claim, answer: before } = await idempotency.find<202, z.output<typeof Notification>>(request, principal, body)
    if (before) return before
    if (claim && keysInUse.has(claim.lock)) throw keyInProgress()
    if (claim) keysInUse.add(claim.lock)
    try {
      const prepared = await prepareNotification(deps, body, () => sendingProject(deps, principal, body), onRendered)
      const answer = answerOf(prepared)
      const keyed = claim && idempotency.toKept(claim, answer)
      try {
        await store({ prepared, keyed, size: sizeOf(prepared) })
        return answer
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        log.debug({ err: error }, 'A batch of notifications could not be stored; each is stored by itself.')
        return await acceptSingly(request, principal, body)
      }
    } finally {
      if (claim) keysInUse.delete(claim.lock)
    }
  }
}
