import type { Registry } from '@flowpost/delivery'
import type { Database } from '../../database/database.ts'
import type { Job } from '../../queue/queue.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Credentials } from '../integrations/credentials.ts'
import type { CircuitBreakers } from './circuit-breaker.ts'
import { type PacedDelivery, type Reservation, reserveDestinations } from './destination-pace.ts'

/** What the gate needs. */
export interface DispatchGateDeps {
  readonly database: Database
  readonly registry: Registry
  readonly credentials: Credentials
  readonly breakers: CircuitBreakers
  readonly random: () => number
  /** How long a message may be put off for an outage before it is tried all the same, in milliseconds. */
  readonly budgetMs: number
}

/** A job that must not be begun now. */
export interface DeferredJob {
  readonly job: Job
  readonly runAt: Date
}

/** What becomes of claimed jobs. */
export interface Admissions {
  readonly admitted: readonly Job[]
  readonly deferred: readonly DeferredJob[]
  /** By delivery, for those whose destination has a pace: to be kept right before the message starts. */
  readonly reservations: ReadonlyMap<Uuid, Reservation>
}

interface GatedDelivery {
  readonly id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly credential_removed: boolean
  readonly waiting_ms: number
}

const probeSpreadMs = 2_000

/**
 * Sorts claimed jobs into those that may begin now and those that must wait: for the pace of their
 * chat channel, or for a provider that is failing. Nothing waits while it holds a lease. Most jobs
 * are of neither kind and cost no look-up.
 */
export const admitJobs = async (deps: DispatchGateDeps, jobs: readonly Job[]): Promise<Admissions> => {
  const { database, registry, credentials, breakers, random, budgetMs } = deps
  const isPaced = (sourceType: string) => registry.get(sourceType)?.kind === 'chat'
  const gated = breakers.anyOpen() ? jobs : jobs.filter(({ tag }) => isPaced(tag))
  if (gated.length === 0) return { admitted: [...jobs], deferred: [], reservations: new Map() }
  const runAt = new Map<Uuid, Date>()
  const paced: PacedDelivery[] = []
  const jobOf = new Map(gated.map((job) => [job.key, job]))
  for (const delivery of await readGated(database, gated)) {
    const { id, user_id, project_id, source_type, target, credential_removed } = delivery
    const found = await credentials.find(database, {
      userId: user_id,
      projectId: project_id,
      sourceType: source_type,
      ownOnly: credential_removed,
    })
    if (!found) continue
    const admission = delivery.waiting_ms > budgetMs ? { admitted: true as const } : breakers.admit(found.id)
    if (!admission.admitted) runAt.set(id, new Date(admission.until.getTime() + random() * probeSpreadMs))
    else if (isPaced(source_type)) paced.push({ id, destination: `${found.id} ${target}`, hadSlot: (jobOf.get(id)?.deferrals ?? 0) > 0 })
  }
  const reserved = await reserveDestinations(database, random, paced)
  for (const [id, at] of reserved.deferred) runAt.set(id, at)
  const deferred = jobs.flatMap((job) => {
    const at = runAt.get(job.key)
    return at ? [{ job, runAt: at }] : []
  })
  return { admitted: jobs.filter((job) => !runAt.has(job.key)), deferred, reservations: reserved.reservations }
}

const readGated = (database: Database, jobs: readonly Job[]): Promise<GatedDelivery[]> =>
  database.query<GatedDelivery>(
    `select id, user_id, project_id, source_type, target, credential_removed,
       (extract(epoch from now() - coalesce(first_attempt_at, created_at)) * 1000)::float8 as waiting_ms
     from deliveries where id = any($1::uuid[]) and not captured and status in ('queued', 'sending', 'retrying')
       and (next_attempt_at is null or next_attempt_at <= now())`,
    [jobs.map(({ key }) => key)],
  )
