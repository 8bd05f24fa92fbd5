import type { Database } from '../../../database/database.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { createWorkerSignal } from '../../../shared/worker-signal.ts'
import { eventChannel } from '../event-wakes.ts'
import { type ClaimedEndpoint, claimEndpoints } from './claim-endpoints.ts'
import { type PushEventsDeps, pushEvents } from './push-events.ts'

/** The dependencies of {@link createPushWorker}. */
export interface PushWorkerDeps extends PushEventsDeps {
  readonly database: Database
  /** The maximum time, in milliseconds, between two claims of the endpoints of all projects. @default 1,000 */
  readonly pollMs?: number
  /** The maximum number of endpoints to which this process sends at the same time. @default 128 */
  readonly concurrency?: number
}

/** Sends events to the endpoints that subscribe to them. */
export interface PushWorker {
  start(): void
  /** Stops claiming, waits at most `graceMs` milliseconds for requests in flight, and aborts the rest. */
  stop(graceMs: number): Promise<void>
}

const defaultConcurrency = 128
const defaultPollMs = 1_000
const errorPauseMs = 1_000
// Notifications that arrive within this time cause one claim.
const minClaimPauseMs = 20
// An event is not readable while an older transaction is open, and nothing announces the end of that transaction.
const recheckMs = 100
const uuidLength = 36

/** Creates a worker. It holds no database connection while it waits for an endpoint, and a slow endpoint delays no other one. */
export const createPushWorker = (deps: PushWorkerDeps): PushWorker => {
  const { database, log, concurrency = defaultConcurrency, pollMs = defaultPollMs } = deps
  // Endpoints that fail often take as long as the timeout, so they get at most half of the slots.
  const maxFailing = Math.ceil(concurrency / 2)
  const signal = createWorkerSignal(() => performance.now())
  const abort = new AbortController()
  const tasks = new Map<Promise<void>, ClaimedEndpoint>()
  const notified = new Set<Uuid>()
  let pollAtMs = 0
  // Whether endpoints may be due that no slot was free for.
  let isSaturated = false
  let stopping = false
  let looping: Promise<void> = Promise.resolve()
  let stopListening = async () => {}

  const wake = (projectId: Uuid): void => {
    notified.add(projectId)
    signal.notify()
  }
  const pollNow = (): void => {
    pollAtMs = 0
    signal.notify()
  }

  const onRetry = (delayMs: number): void => {
    // The next poll finds it, if that is sooner.
    if (delayMs < pollMs) signal.wakeAfter(delayMs)
    pollAtMs = Math.min(pollAtMs, performance.now() + delayMs)
  }

  const run = (endpoint: ClaimedEndpoint): void => {
    const task = pushEvents(deps, endpoint, { isStopping: () => stopping, signal: abort.signal, onRetry })
      .catch((error: unknown) => log.warn({ err: error }, 'Could not record pushed events; they will be sent again when the lease ends.'))
      .finally(() => {
        tasks.delete(task)
        if (stopping) return
        if (isSaturated) pollNow()
        // An event may have been stored between the last read and the end of the lease.
        else wake(endpoint.project_id)
      })
    tasks.set(task, endpoint)
  }

  const claim = async (): Promise<void> => {
    const isPoll = performance.now() >= pollAtMs
    if (!isPoll && notified.size === 0) return
    const failing = [...tasks.values()].filter(({ failures }) => failures > 0).length
    const healthy = Math.max(0, concurrency - maxFailing - (tasks.size - failing))
    const limits = { healthy, failing: Math.max(0, maxFailing - failing) }
    const projectIds = isPoll ? null : [...notified]
    notified.clear()
    if (isPoll) pollAtMs = performance.now() + pollMs
    isSaturated = limits.healthy === 0 || limits.failing === 0
    if (limits.healthy + limits.failing === 0) return
    const claimed = await claimEndpoints(database, { ...limits, projectIds })
    if (claimed.length >= Math.min(limits.healthy, limits.failing)) isSaturated = true
    for (const endpoint of claimed) run(endpoint)
  }

  const loop = async (): Promise<void> => {
    while (!stopping) {
      const waitMs = await claim().then(
        () => pollMs,
        (error: unknown) => {
          log.warn({ err: error }, 'Could not claim event endpoints; retrying.')
          return errorPauseMs
        },
      )
      if (!stopping) await signal.wait(waitMs)
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, minClaimPauseMs))
    }
  }

  const onNotification = (payload: string): void => {
    const ids = payload.split(',').filter((key) => key.length === uuidLength)
    for (const id of ids) notified.add(id)
    if (ids.length === 0) return
    signal.notify()
    setTimeout(() => ids.forEach(wake), recheckMs).unref()
  }

  return {
    start: () => {
      const listening = database.listen(eventChannel, onNotification, pollNow)
      listening.then(
        (stop) => {
          stopListening = stop
        },
        (error: unknown) => log.warn({ err: error }, 'Could not listen for events; polling instead.'),
      )
      looping = listening.catch(() => {}).then(loop)
    },
    stop: async (graceMs) => {
      stopping = true
      signal.notify()
      const timer = setTimeout(() => abort.abort(), graceMs)
      await looping
      await Promise.all(tasks.keys())
      clearTimeout(timer)
      signal.stop()
      await stopListening()
    },
  }
}
