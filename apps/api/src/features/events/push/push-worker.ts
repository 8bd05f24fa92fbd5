import { type Clock, systemClock } from '@flowpost/delivery'
import type { Database } from '../../../database/database.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { createWorkerSignal } from '../../../shared/worker-signal.ts'
import { eventChannel } from '../event-wakes.ts'
import { type ClaimedEndpoint, claimEndpoints, type PushedHealth } from './claim-endpoints.ts'
import { createClaimSchedule } from './claim-schedule.ts'
import { type PushEventsDeps, pushEvents } from './push-events.ts'
import { defaultSlots, freeSlots, maxTurnMs, type PushTurn, type Slots } from './push-slots.ts'

/** The dependencies of {@link createPushWorker}. */
export interface PushWorkerDeps extends PushEventsDeps {
  readonly database: Database
  /**
   * The number of slots for each health value. An endpoint holds a slot while events are sent to it, for at most
   * {@link maxTurnMs}; see {@link Slots}.
   * @default {@link defaultSlots}
   */
  readonly slots?: Slots
  /**
   * Starts a timer. The worker uses timers to mark a {@link PushTurn} as overdue, and to claim endpoints later, for example
   * when a retry is due.
   * @default Node's timers
   */
  readonly setTimer?: Clock['setTimer']
}

/** Sends events to the endpoints that subscribe to them. */
export interface PushWorker {
  start(): void
  /** Stops claiming and waits for the requests in flight. Aborts them after `graceMs` milliseconds. */
  stop(graceMs: number): Promise<void>
}

const errorPauseMs = 1_000
// The pause after a claim. All PostgreSQL notifications that arrive during the pause lead to a single claim.
const minClaimPauseMs = 20
// The delay between a PostgreSQL notification and a second claim of the project's endpoints. The first claim may come too
// early: an event is not readable while an older transaction is open, and nothing announces the end of that transaction.
const recheckMs = 100
// A claim just before a retry is due finds nothing, so the timer fires slightly late.
const lateMs = 5
const uuidLength = 36
const healths = ['healthy', 'unknown', 'failing'] as const

/**
 * Creates a {@link PushWorker}. It holds no database connection while it waits for an endpoint's response, and a slow
 * endpoint does not delay others.
 */
export const createPushWorker = (deps: PushWorkerDeps): PushWorker => {
  const { database, log, slots = defaultSlots, setTimer = systemClock.setTimer } = deps
  const nowMs = () => performance.now()
  const signal = createWorkerSignal(nowMs)
  const schedule = createClaimSchedule(nowMs)
  const abort = new AbortController()
  const turns = new Map<Promise<void>, PushTurn>()
  // The health values that had no free slot left after a claim. When a slot for such a value becomes free, only a sweep may take
  // the slot. Otherwise, a project with many endpoints could take every slot that becomes free. A sweep is a claim for all
  // projects, and shares the slots fairly among the users.
  const saturated = new Set<PushedHealth>()
  let stopping = false
  let looping: Promise<void> = Promise.resolve()
  let stopListening = async () => {}

  const claimSoon = (projectId: Uuid): void => {
    schedule.claimSoon(projectId)
    signal.notify()
  }
  const onFreeSlot = (health: PushedHealth): void => {
    if (!saturated.has(health)) return
    schedule.sweepSoon()
    signal.notify()
  }

  const run = (endpoint: ClaimedEndpoint): void => {
    const turn = { health: endpoint.health, isOverdue: false }
    const cancelTimer = setTimer(() => {
      turn.isOverdue = true
      onFreeSlot(turn.health)
    }, maxTurnMs)
    const task = pushEvents(deps, endpoint, {
      isOver: () => turn.isOverdue,
      isStopping: () => stopping,
      signal: abort.signal,
      onRetry: (delayMs) => void setTimer(() => claimSoon(endpoint.project_id), delayMs + lateMs),
    })
      .catch((error: unknown) =>
        log.warn({ err: error }, "Could not record pushed events; they will be sent again when the endpoint's lease ends."),
      )
      .finally(() => {
        cancelTimer()
        turns.delete(task)
        if (stopping) return
        onFreeSlot(turn.health)
        // An event may have been stored between the last read and the end of the lease.
        claimSoon(endpoint.project_id)
      })
    turns.set(task, turn)
  }

  const claim = async (): Promise<void> => {
    const projectIds = schedule.take()
    const isSweep = projectIds === null
    if (projectIds?.length === 0) return
    const free = freeSlots(slots, turns.values())
    const limitOf = (health: PushedHealth) => (isSweep || !saturated.has(health) ? free[health] : 0)
    const limits = { healthy: limitOf('healthy'), unknown: limitOf('unknown'), failing: limitOf('failing') }
    const startedMs = nowMs()
    const isFull = healths.every((health) => limits[health] === 0)
    const claimed = isFull ? [] : await claimEndpoints(database, { limits, projectIds })
    if (isSweep) {
      saturated.clear()
      schedule.onSweepEnd(nowMs() - startedMs)
    }
    for (const health of healths) {
      const count = claimed.filter((endpoint) => endpoint.health === health).length
      if (count >= limits[health]) saturated.add(health)
    }
    for (const endpoint of claimed) run(endpoint)
  }

  const loop = async (): Promise<void> => {
    while (!stopping) {
      const pauseMs = await claim().then(
        () => minClaimPauseMs,
        (error: unknown) => {
          log.warn({ err: error }, 'Could not claim event endpoints; retrying.')
          schedule.sweepSoon()
          return errorPauseMs
        },
      )
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (!stopping) await signal.wait(schedule.waitMs())
    }
  }

  const onNotification = (payload: string): void => {
    const ids = payload.split(',').filter((key) => key.length === uuidLength)
    if (ids.length === 0) return
    for (const id of ids) schedule.onEvents(id)
    signal.notify()
    setTimer(() => ids.forEach(claimSoon), recheckMs)
  }
  const setListening = (isListening: boolean): void => {
    schedule.setListening(isListening)
    signal.notify()
  }

  return {
    start: () => {
      const listening = database.listen(
        eventChannel,
        onNotification,
        () => setListening(true),
        () => setListening(false),
      )
      listening.then(
        (stop) => {
          stopListening = stop
        },
        (error: unknown) => {
          setListening(false)
          log.warn({ err: error }, 'Could not listen for events; polling instead.')
        },
      )
      looping = listening.catch(() => {}).then(loop)
    },
    stop: async (graceMs) => {
      stopping = true
      signal.notify()
      const timer = setTimeout(() => abort.abort(), graceMs)
      await looping
      await Promise.all(turns.keys())
      clearTimeout(timer)
      signal.stop()
      await stopListening()
    },
  }
}
