import type { Registry } from '@flowpost/delivery'
import type { RetryPolicy } from '@flowpost/domain'
import type { Database } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Uuid } from '../../../shared/ids.ts'
import type { Credentials } from '../../integrations/credentials.ts'
import { ownCredentialOnly } from '../attempts/start-attempts.ts'
import type { DelayedJob, Job } from '../queue/job.ts'
import { isOpen } from '../queue/queue.ts'
import { breakerKeyOf, type CircuitBreakers } from './circuit-breaker.ts'
import { type Deferral, type LimitedDelivery, reservationMs, reserveSlots, type Slot } from './destination-rate-limit.ts'

/** The dependencies of {@link throttle}. */
export interface ThrottleDeps {
  readonly database: Database
  readonly registry: Registry
  readonly credentials: Credentials
  readonly breakers: CircuitBreakers
  readonly clock: Clock
  readonly random: () => number
  /**
   * Its `budgetMs` limits how long a provider outage may delay a message. After that, the message is attempted even if the
   * circuit breaker is open.
   */
  readonly retryPolicy: RetryPolicy
  /** Whether this process captures all messages (`FLOWPOST_CAPTURE=on`). If so, no message waits. */
  readonly capturesAll: boolean
}

/** Claimed jobs, divided by whether they may start now. */
export interface Throttled {
  readonly ready: readonly Job[]
  readonly delayed: readonly DelayedJob[]
  /** The reserved slot of each ready delivery to a rate-limited destination, keyed by delivery id. */
  readonly slots: ReadonlyMap<Uuid, Slot>
  /**
   * Maps delivery ids to circuit breaker keys, for each delivery whose message is a probe. A probe tests whether a failing
   * provider works again.
   */
  readonly probes: ReadonlyMap<Uuid, string>
  /** The circuit breaker key of each delayed delivery that waits for the outcome of a probe, by delivery id. */
  readonly awaitingProbe: ReadonlyMap<Uuid, string>
}

interface DispatchableDelivery {
  readonly id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly own_credential_only: boolean
  readonly waiting_ms: number
  /** Whether the delivery became due less than {@link reservationMs} ago. After that time, it has lost its slot. */
  readonly is_on_time: boolean
}

const openSpreadMs = 2_000

const readDeliveries = {
  name: 'throttle-deliveries',
  text: `select d.id, d.user_id, d.project_id, d.source_type, d.target, ${ownCredentialOnly('d')} as own_credential_only,
      (extract(epoch from $2::timestamptz - coalesce(d.first_attempt_at, d.created_at)) * 1000)::float8 as waiting_ms,
      coalesce(d.next_attempt_at > now() - interval '${reservationMs} milliseconds', false) as is_on_time
    from deliveries d where ${anyUuid('d.id', '$1')} and not d.captured and ${isOpen('d')}`,
}

/**
 * Divides claimed jobs into those that may start now and those that must wait, either because of their chat channel's
 * rate limit or because their provider is failing. Does not wait itself, because the jobs' leases are running. Queries the
 * database only if a circuit breaker is open, or if one of the jobs sends a chat message.
 */
export const throttle = async (deps: ThrottleDeps, jobs: readonly Job[]): Promise<Throttled> => {
  const { database, registry, credentials, breakers, clock, random, retryPolicy } = deps
  const isLimited = (sourceType: string) => registry.get(sourceType)?.kind === 'chat'
  const checkedJobs = breakers.anyOpen() ? jobs : jobs.filter(({ sourceType }) => isLimited(sourceType))
  if (deps.capturesAll || checkedJobs.length === 0)
    return { ready: jobs, delayed: [], slots: new Map(), probes: new Map(), awaitingProbe: new Map() }

  const deferred = new Map<Uuid, Deferral>()
  const limited: LimitedDelivery[] = []
  const probes = new Map<Uuid, string>()
  const awaitingProbe = new Map<Uuid, string>()
  const jobOf = new Map(checkedJobs.map((job) => [job.deliveryId, job]))
  try {
    const deliveries = await database.query<DispatchableDelivery>(readDeliveries, [[...jobOf.keys()], clock.now()])
    for (const { id, user_id, project_id, source_type, target, own_credential_only, waiting_ms, is_on_time } of deliveries) {
      const job = jobOf.get(id)
      const owner = { userId: user_id, projectId: project_id, sourceType: source_type, ownOnly: own_credential_only }
      const credential = await credentials.find(database, owner)
      if (!credential || !job) continue
      const breakerKey = breakerKeyOf(registry.get(source_type), credential.id, target)
      // Only the time since the breaker opened counts, because `budgetMs` limits the delay that a provider outage causes. If
      // the delivery waited before the breaker opened, there was another reason, such as a scheduled time.
      const delayedMs = Math.min(waiting_ms, breakers.openForMs(breakerKey))
      const admission = delayedMs > retryPolicy.budgetMs ? ({ admitted: true, isProbe: false } as const) : breakers.admit(breakerKey, id)
      if (!admission.admitted) {
        deferred.set(id, { delayMs: admission.delayMs + random() * openSpreadMs, deferrals: 0 })
        if (admission.probing) awaitingProbe.set(id, breakerKey)
        continue
      }
      if (admission.isProbe) probes.set(id, breakerKey)
      if (isLimited(source_type)) limited.push({ id, destination: `${credential.id} ${target}`, deferrals: is_on_time ? job.deferrals : 0 })
    }

    const reserved = await reserveSlots(database, random, limited)
    for (const [id, deferral] of reserved.deferred) deferred.set(id, deferral)
    const delayed = jobs.flatMap((job) => {
      const deferral = deferred.get(job.deliveryId)
      return deferral ? [{ job, ...deferral }] : []
    })
    return { ready: jobs.filter(({ deliveryId }) => !deferred.has(deliveryId)), delayed, slots: reserved.slots, probes, awaitingProbe }
  } catch (error) {
    // The messages of these probes are not sent now, so the probes are abandoned. The jobs that wait for a probe are not resumed,
    // because resuming them needs the database, which has just failed. These jobs become due at their scheduled times instead.
    for (const breakerKey of probes.values()) breakers.probeAbandoned(breakerKey)
    throw error
  }
}
