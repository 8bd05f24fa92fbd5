import type { Queryable } from '../../database/database.ts'
import type { NewJob, Queue } from '../../queue/queue.ts'
import type { Uuid } from '../../shared/ids.ts'

/** A delivery to queue. */
export interface QueuedDelivery {
  readonly id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly source_type: string
  /** Not before this. Default: now. */
  readonly runAt?: Date | undefined
  readonly deferrals?: number
}

// Enough to tell a bulk from a single message; counting further would cost more than it tells.
const mostCounted = 1_000

/** The priority of a message of a project that has so many waiting, itself included. */
export const priorityBehind = (waiting: number): number => -Math.floor(Math.log2(1 + waiting))

/**
 * Queues deliveries in the caller's transaction. What a project has waiting already puts its further
 * messages behind those of projects that have less: each doubling of the backlog is one step of
 * priority. So a bulk of one project never stands before a single message of another, and nobody is
 * held back while there is nobody else.
 */
export const enqueueDeliveries = async (on: Queryable, queue: Queue, deliveries: readonly QueuedDelivery[]): Promise<void> => {
  if (deliveries.length === 0) return
  const backlog = await backlogOf(on, [...new Set(deliveries.map((delivery) => delivery.project_id))])
  await queue.enqueue(
    on,
    deliveries.map(
      ({ id, user_id, project_id, source_type, runAt, deferrals = 0 }): NewJob => ({
        key: id,
        owner: user_id,
        group: project_id,
        tag: source_type,
        priority: priorityBehind(backlog.get(project_id) ?? 0),
        deferrals,
        ...(runAt ? { runAt } : {}),
      }),
    ),
  )
}

const countWaiting = {
  name: 'count-waiting',
  text: `select p.id, (
      select count(*)::int from (
        select 1 from deliveries d where d.project_id = p.id and d.status in ('queued', 'sending', 'retrying') limit ${mostCounted}
      ) counted
    ) as waiting
    from unnest($1::uuid[]) as p(id)`,
}

/** How many deliveries each project has waiting; beyond {@link mostCounted} nobody counts. */
export const backlogOf = async (on: Queryable, projectIds: readonly Uuid[]): Promise<Map<Uuid, number>> => {
  const rows = await on.query<{ id: Uuid; waiting: number }>(countWaiting, [projectIds])
  return new Map(rows.map(({ id, waiting }) => [id, waiting]))
}
