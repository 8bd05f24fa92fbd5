import type { Logger } from 'pino'
import { isPostgresOutage } from '../../database/failures.ts'
import { DecryptionError } from '../../shared/encryption.ts'
import { toId } from '../../shared/ids.ts'
import { createPeriodicTask } from '../../shared/periodic-task.ts'
import type { ErasedPerson } from './erasure-area.ts'
import { type ClaimedErasure, claimErasure, erasureChannel, releaseAll, releaseErasure } from './erasure-queue.ts'
import { personOf, type RunErasureDeps, runErasure } from './run-erasure.ts'

/** The dependencies of {@link createErasureWorker}. */
export interface ErasureWorkerDeps extends RunErasureDeps {
  readonly log: Logger
  /** The polling interval in milliseconds. Polling finds unfinished erasures whose process has ended. @default 60,000 */
  readonly pollMs?: number
}

/** Runs the erasures of all users, one at a time. The users take turns. */
export interface ErasureWorker {
  start(): void
  /** Stops after the current transaction of the running erasure. Another process can continue the erasure at once. */
  stop(): Promise<void>
}

const defaultPollMs = 60_000
const retryDelayMs = 10_000
// The time after which a recipient that cannot be decrypted is tried again. By then, another process may have the digest key.
const unreadableDelayMs = 60_000
const maxTurns = 1_000

/**
 * Creates an {@link ErasureWorker}. The worker looks for erasures when PostgreSQL's NOTIFY announces one, and also
 * every `pollMs` milliseconds.
 */
export const createErasureWorker = (deps: ErasureWorkerDeps): ErasureWorker => {
  const { database, recipients, log, pollMs = defaultPollMs } = deps
  let stopListening = async () => {}
  let isRunning = false
  let runAgain = false
  // The users who have had a turn, in the order of their latest turns.
  const turns = new Set<string>()

  const endTurnOf = (userId: string): void => {
    turns.delete(userId)
    turns.add(userId)
    const [oldest] = turns
    if (turns.size > maxTurns && oldest !== undefined) turns.delete(oldest)
  }

  const erase = async (erasure: ClaimedErasure, signal: AbortSignal): Promise<void> => {
    const fields = { erasure_id: toId('erasure', erasure.id) }
    let person: ErasedPerson | undefined
    try {
      person = personOf(deps, erasure)
      const result = await runErasure(deps, erasure, person, signal)
      if (result === 'paused') await releaseErasure(database, erasure, 0)
      if (result === 'done') log.info(fields, 'Erasure done.')
    } catch (error) {
      if (error instanceof DecryptionError) {
        log.warn({ ...fields, err: error }, 'Could not decrypt the recipient of an erasure; retrying later.')
        return releaseErasure(database, erasure, unreadableDelayMs)
      }
      // An error message may contain the address, so it is redacted. The error of an outage contains no data. The logger must
      // receive the error itself to recognize the outage.
      const cause = isPostgresOutage(error) ? { err: error } : { reason: person?.redactor.redact(String(error)) ?? 'unknown' }
      log.warn({ ...fields, ...cause }, 'Erasure failed; retrying later.')
      await releaseErasure(database, erasure, retryDelayMs)
    }
  }

  const runAll = async (signal: AbortSignal): Promise<void> => {
    // A process that cannot compute recipient digests leaves erasures to other processes. It logged the missing key at
    // startup.
    if (!recipients.hasKey) return
    do {
      runAgain = false
      while (!signal.aborted) {
        const erasure = await claimErasure(database, [...turns])
        if (!erasure) break
        endTurnOf(erasure.userId)
        await erase(erasure, signal)
      }
    } while (runAgain && !signal.aborted)
  }

  const task = createPeriodicTask({
    everyMs: pollMs,
    run: async (signal) => {
      isRunning = true
      await runAll(signal).finally(() => {
        isRunning = false
      })
    },
    onError: (error) => log.warn({ err: error }, 'Could not check for pending erasures; retrying later.'),
  })
  const wake = (): void => {
    if (isRunning) runAgain = true
    else task.runNow()
  }

  const begin = async (): Promise<void> => {
    if (database.kind === 'embedded') await releaseAll(database)
    stopListening = await database.listen(erasureChannel, wake, wake)
    task.start()
  }
  let beginning: Promise<void> | undefined

  return {
    start: () => {
      beginning = begin().catch((error: unknown) => {
        log.warn({ err: error }, 'Could not listen for erasures; polling instead.')
        task.start()
      })
    },
    stop: async () => {
      await beginning
      await Promise.all([task.stop(), stopListening()])
    },
  }
}
