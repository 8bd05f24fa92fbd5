import { Gauge, type Registry } from 'prom-client'
import type { PoolUsage } from '../../database/postgres.ts'
import { registerUnpushedEvents } from './event-metrics.ts'

/**
 * The queue numbers that the metrics show. The queue feature passes them in, because the metrics do not import
 * features.
 */
interface QueueNumbers {
  readonly due: number
  readonly leased: number
  readonly waiting: number
  readonly scheduled: number
  readonly oldestDueSeconds: number
  readonly maxUserDue: number
  readonly maxUserScheduled: number
}

/** The sources of the state that {@link registerStateMetrics} exports. */
export interface StateSources {
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number
  /**
   * Reads the queue. Called when the metrics are scraped, at most once per {@link queueCacheMs}, and never
   * concurrently.
   */
  readonly queueState: () => Promise<QueueNumbers>
  /**
   * Reads the age, in seconds, of the oldest event that has not been pushed. Called under the same conditions as
   * `queueState`.
   */
  readonly oldestUnpushedSeconds: () => Promise<number>
  /** The maximum number of due and waiting deliveries. The same maximum applies separately to scheduled deliveries. */
  readonly queueLimit: number
  /** Returns how many seconds this machine's clock is ahead of the database's clock; negative if it is behind. */
  readonly clockSkewSeconds: () => number
  /** Returns whether the process accepts requests. */
  readonly isReady: () => Promise<boolean>
  /** Returns whether messages are on hold because the database was restored. */
  readonly isOnHold: () => boolean
  /** Returns the use of the connection pool; `undefined` if the database has no pool. */
  readonly poolUsage?: (() => PoolUsage) | undefined
}

/** The minimum time, in milliseconds, for which the queue's state is cached. */
export const queueCacheMs = 5_000
// Reading a long queue is slow. The state is cached for 20 times the duration of the last read, so reads take at most 5 % of
// the time. If a read takes longer than 3 s, the share is larger, because `maxPauseMs` limits the cache time.
const pausePerRead = 20
const maxPauseMs = 60_000

// A scrape must not wait for an unreachable database.
const readTimeoutMs = 2_000

/** Returns the value of the promise, or `undefined` when it rejects or takes longer than `ms`. */
const withTimeout = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([promise.catch(() => undefined), timeout]).finally(() => clearTimeout(timer))
}

/**
 * Creates a function that reads and caches the state. If a read takes longer than {@link readTimeoutMs}, the function returns
 * the result of the previous read. It returns `undefined` if the database is unavailable, if no read has completed since it
 * became available, or if the last completed read failed.
 */
const createReader = <T>(
  nowMs: () => number,
  readState: () => Promise<T>,
  isReady: () => Promise<boolean>,
): (() => Promise<T | undefined>) => {
  let cached: { readonly readAtMs: number; pauseMs: number; readonly state: Promise<T | undefined> } | undefined
  let lastState: T | undefined

  const read = (readAtMs: number) => {
    const entry = { readAtMs, pauseMs: Number.POSITIVE_INFINITY, state: readState().catch(() => undefined) }
    void entry.state.then((state) => {
      lastState = state
      const durationMs = nowMs() - readAtMs
      entry.pauseMs = Math.min(Math.max(queueCacheMs, pausePerRead * durationMs), maxPauseMs)
    })
    return entry
  }

  return async () => {
    // A cached value would hide that the database is unavailable.
    if (!(await isReady())) {
      lastState = undefined
      return undefined
    }
    const startedMs = nowMs()
    if (!cached || startedMs - cached.readAtMs >= cached.pauseMs) cached = read(startedMs)
    return (await withTimeout(cached.state, readTimeoutMs)) ?? lastState
  }
}

/** Registers the metrics for the queue, the database connection and readiness. */
export const registerStateMetrics = (registers: Registry[], sources: StateSources): void => {
  const { queueLimit, clockSkewSeconds, isOnHold, poolUsage } = sources
  // The metrics of one scrape are collected at the same time, so they share one readiness check.
  let checking: Promise<boolean> | undefined
  const isReady = (): Promise<boolean> => {
    checking ??= withTimeout(sources.isReady(), readTimeoutMs).then((ready) => {
      checking = undefined
      return ready === true
    })
    return checking
  }
  const readQueue = createReader(sources.nowMs, sources.queueState, isReady)
  registerUnpushedEvents(registers, createReader(sources.nowMs, sources.oldestUnpushedSeconds, isReady))
  const everywhere = 'Every process reports the same number. Absent while the database is unreachable.'

  new Gauge({
    name: 'flowpost_ready',
    help: '1 if /readyz responds with 200: the database is reachable, and the process is not shutting down. Otherwise 0.',
    registers,
    async collect() {
      this.set((await isReady()) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'flowpost_on_hold',
    help: '1 while no messages are sent because the database was restored; otherwise 0. FLOWPOST_AFTER_RESTORE ends the hold.',
    registers,
    collect() {
      this.set(isOnHold() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'flowpost_clock_skew_seconds',
    help: "How far this machine's clock is ahead of the database's clock. The process exits when the clocks differ by more than 60 seconds.",
    registers,
    collect() {
      this.set(clockSkewSeconds())
    },
  })

  new Gauge({
    name: 'flowpost_queue_depth',
    help: `Pending deliveries in the whole deployment: the sum of flowpost_queue_jobs. ${everywhere}`,
    registers,
    async collect() {
      const state = await readQueue()
      if (state) this.set(state.due + state.leased + state.waiting + state.scheduled)
      else this.remove()
    },
  })
  new Gauge({
    name: 'flowpost_queue_jobs',
    help: `Pending deliveries in the whole deployment by state. due: a worker may claim the delivery now; leased: a worker holds it; waiting: it waits for a retry, a rate limit or a failing provider; scheduled: it has not become due yet. ${everywhere}`,
    labelNames: ['state'],
    registers,
    async collect() {
      const state = await readQueue()
      for (const name of ['due', 'leased', 'waiting', 'scheduled'] as const)
        if (state) this.set({ state: name }, state[name])
        else this.remove({ state: name })
    },
  })
  new Gauge({
    name: 'flowpost_queue_max_user_jobs',
    help: `Pending deliveries of the user who has the most. due: due now, or waiting for a retry, a rate limit or a failing provider; scheduled: not due yet. One user may have at most half of flowpost_queue_limit in each state. ${everywhere}`,
    labelNames: ['state'],
    registers,
    async collect() {
      const state = await readQueue()
      this.reset()
      if (!state) return
      this.set({ state: 'due' }, state.maxUserDue)
      this.set({ state: 'scheduled' }, state.maxUserScheduled)
    },
  })
  new Gauge({
    name: 'flowpost_oldest_due_seconds',
    help: `How long the oldest due delivery has been due; 0 if none is due. ${everywhere}`,
    registers,
    async collect() {
      const state = await readQueue()
      if (state) this.set(state.oldestDueSeconds)
      else this.remove()
    },
  })
  new Gauge({
    name: 'flowpost_queue_limit',
    help: 'FLOWPOST_QUEUE_LIMIT: the maximum number of due and waiting deliveries. The same maximum applies separately to scheduled deliveries.',
    registers,
  }).set(queueLimit)

  registerPoolMetrics(registers, poolUsage)
}

/**
 * Registers the metrics for the connection pool. With the embedded database, which has no pool, they have no values.
 */
const registerPoolMetrics = (registers: Registry[], poolUsage: (() => PoolUsage) | undefined): void => {
  new Gauge({
    name: 'flowpost_database_pool_connections',
    help: 'Connections in the pool of this process, by state: in_use or idle.',
    labelNames: ['state'],
    registers,
    collect() {
      const usage = poolUsage?.()
      if (!usage) return
      this.set({ state: 'in_use' }, usage.inUse)
      this.set({ state: 'idle' }, usage.idle)
    },
  })
  // Without a pool, the gauge must have no value. An unlabeled gauge reports 0 unless it is removed.
  const register = (name: string, help: string, read: (usage: PoolUsage) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const usage = poolUsage?.()
        if (usage) this.set(read(usage))
        else this.remove()
      },
    })
  register(
    'flowpost_database_pool_waiting',
    'Statements and transactions that wait for a connection from the pool.',
    ({ waiting }) => waiting,
  )
  register('flowpost_database_pool_limit', 'The maximum number of connections in the pool.', ({ limit }) => limit)
}
