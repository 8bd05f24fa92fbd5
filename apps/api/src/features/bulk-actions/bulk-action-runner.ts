import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { isDatabaseUnavailable } from '../../database/failures.ts'
import { ApiError } from '../../shared/api-error.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { createWorkerSignal } from '../../shared/worker-signal.ts'
import { postponeAction } from './action-progress.ts'
import { runStep, type StepDeps } from './run-step.ts'

/** Runs bulk actions in the background, in steps of limited size. */
export interface BulkActionRunner {
  start(): void
  /** Waits for the step in progress, if any, and starts no more steps. */
  stop(): Promise<void>
}

/** The dependencies of {@link createBulkActionRunner}. */
export interface BulkActionRunnerDeps extends Omit<StepDeps, 'maxDeliveries' | 'onPick'> {
  readonly log: Logger
  /** The deployment's limit on pending deliveries (`queueLimit`). One step changes at most a quarter of this number. */
  readonly maxPending: number
  /** The maximum number of deliveries that one step changes. @default 500 */
  readonly maxDeliveries?: number
}

const channel = 'flowpost_bulk_actions'

/**
 * Notifies the runners in all processes that a bulk action was created. A runner that misses the notification finds the
 * action by polling.
 */
export const notifyRunners = (database: Pick<Database, 'notify'>, log: Logger): void => {
  database.notify(channel, '').catch((error: unknown) => log.debug({ err: error }, 'Could not notify the bulk action runners.'))
}

const defaultMaxDeliveries = 500
// The queue limit allows each user half of `maxPending`. A step changes at most a quarter of `maxPending`, so the queue accepts
// the step even while other deliveries of the user occupy another quarter of `maxPending`.
const shareOfPending = 4
// Polling finds unfinished actions whose process has ended. The query is cheap, because its index contains only running actions.
const pollMs = 5_000
// The minimum wait before looking for work again, for example while another process has locked the due action.
const minWaitMs = 50
const betweenStepsMs = 10
const errorPauseMs = 1_000
const queueFullPauseMs = 2_000
const failedPauseMs = 10_000

/**
 * Creates a runner. Several processes can each have a runner, because each step locks its action. Actions take turns.
 */
export const createBulkActionRunner = (deps: BulkActionRunnerDeps): BulkActionRunner => {
  const { database, log, queue, maxPending } = deps
  const maxDeliveries = Math.max(1, Math.min(deps.maxDeliveries ?? defaultMaxDeliveries, Math.floor(maxPending / shareOfPending)))
  const signal = createWorkerSignal(() => performance.now())
  let stopping = false
  let running: Promise<void> = Promise.resolve()
  let listening: Promise<() => Promise<void>> | undefined

  /** Runs one step. Returns the time to wait before the next step, in milliseconds. */
  const run = async (onPick: (id: Uuid) => void): Promise<number> => {
    const startedMs = performance.now()
    const result = await runStep({ ...deps, maxDeliveries, onPick })
    if (result.kind === 'idle') return Math.min(pollMs, Math.max(minWaitMs, result.waitMs ?? pollMs))
    if (result.kind === 'postponed') return 0
    const { action, isDone, queued } = result
    if (queued > 0) queue.notify()
    const { matched, done, skipped } = action
    if (isDone) log.info({ bulk_action_id: toId('bulkAction', action.id), matched, done, skipped }, 'Bulk action done.')
    // The embedded database has only one connection. The pause is therefore as long as the step, so that other statements can use
    // the connection half of the time.
    return database.kind === 'embedded' ? performance.now() - startedMs : betweenStepsMs
  }

  /** Postpones the action whose step failed. Returns the time to wait before the next step, in milliseconds. */
  const onError = async (error: unknown, id: Uuid | undefined): Promise<number> => {
    const isFull = error instanceof ApiError && error.code === 'queue_full'
    const fields = { bulk_action_id: id && toId('bulkAction', id) }
    if (isFull) log.debug(fields, 'The queue is full; the bulk action continues later.')
    else log.warn({ ...fields, err: error, unavailable: isDatabaseUnavailable(error) }, 'A step of a bulk action failed; retrying.')
    if (id === undefined) return errorPauseMs
    // Only this action is postponed, so other actions do not wait.
    await postponeAction(database, id, isFull ? queueFullPauseMs : failedPauseMs)
    return betweenStepsMs
  }

  const loop = async (): Promise<void> => {
    while (!stopping) {
      let picked: Uuid | undefined
      const step = run((id) => {
        picked = id
      })
      const waitMs = await step.catch((error: unknown) => onError(error, picked)).catch(() => errorPauseMs)
      if (!stopping) await signal.wait(waitMs)
    }
  }

  return {
    start: () => {
      listening = database.listen(channel, signal.notify, signal.notify)
      listening.catch((error: unknown) => log.debug({ err: error }, 'Could not listen for bulk actions; polling instead.'))
      running = loop()
    },
    stop: async () => {
      stopping = true
      signal.notify()
      await running
      signal.stop()
      const stopListening = await listening?.catch(() => undefined)
      await stopListening?.()
    },
  }
}
