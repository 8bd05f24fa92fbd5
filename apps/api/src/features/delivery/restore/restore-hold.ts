import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DatabaseIdentity } from '../../../database/identity/database-identity.ts'
import { decideToCancel, detectRestore, endCanceledHold, endHold, type Hold, readHold } from '../../../database/identity/stored-hold.ts'
import { type CancelRestoredDeps, cancelRestored } from './cancel-restored.ts'

/**
 * The operator's decision about the deliveries that were unfinished when the database was restored. `hold` means that
 * the operator has not decided yet.
 */
export type AfterRestore = 'send' | 'cancel' | 'hold'

/** The dependencies of {@link createRestoreHold}. */
export interface RestoreHoldDeps extends CancelRestoredDeps {
  readonly log: Logger
  readonly identity: DatabaseIdentity
  readonly afterRestore: AfterRestore
  /** The value of `FLOWPOST_RESTORED_AT`: the time of a restore that Flowpost cannot detect. */
  readonly restoredAt: Date | undefined
  /** Stops the bulk actions that were created before the given time. */
  readonly stopBulkActions: (before: Date) => Promise<void>
  /** How often to check whether the hold has ended, in milliseconds. @default 1,000 */
  readonly pollMs?: number
}

/** Holds all messages after the database was restored, until an operator has decided what happens to them. */
export interface RestoreHold {
  /** Returns whether messages are on hold. */
  isOnHold(): boolean
  /**
   * Starts checking regularly whether the hold has ended. If `onRelease` is given, this process also carries out the
   * operator's decision (see {@link AfterRestore}). With `send`, it ends the hold. With `cancel`, it first cancels the
   * deliveries that were unfinished when the database was restored.
   * @param onRelease called once: when the hold ends, or immediately if there is no hold. Pass it only in a process that
   * delivers messages.
   */
  start(onRelease?: () => void): void
  /** Stops polling. If deliveries are being canceled, the cancellation stops after the current chunk. */
  stop(): Promise<void>
}

const defaultPollMs = 1_000

const reasons = {
  another_database: 'The identity of the database has changed: it was restored or copied.',
  copied_rows: 'The database rows were restored from a dump.',
  declared: 'FLOWPOST_RESTORED_AT says that the database was restored.',
}

const remedy =
  'No messages are sent, but the API still accepts messages. ' +
  'To end the hold, set FLOWPOST_AFTER_RESTORE to "send" or "cancel" and restart a process that delivers messages. ' +
  '"send" sends all pending messages; "cancel" cancels the messages that were pending at the restore. See docs/guides/backup.md.'

/**
 * Detects whether the database was restored, and begins a hold if it was. The hold can end only after `start` is
 * called.
 */
export const createRestoreHold = async (deps: RestoreHoldDeps): Promise<RestoreHold> => {
  const { database, log, afterRestore, pollMs = defaultPollMs } = deps
  const found = await detectRestore(database, deps.identity, deps.restoredAt)
  let held = found.hold !== undefined
  const stopping = new AbortController()
  const { signal } = stopping
  let watching: Promise<void> | undefined

  if (found.hold) {
    const reason = found.reason === undefined ? 'The database was restored.' : reasons[found.reason]
    log.warn({ held_since: found.hold.since, after_restore: afterRestore }, `Messages are on hold. ${reason} ${remedy}`)
  } else if (afterRestore !== 'hold')
    log.warn(
      `FLOWPOST_AFTER_RESTORE=${afterRestore} has no effect now. Remove it. Otherwise, it takes effect immediately after the next restore.`,
    )

  const finishCancel = async ({ since, canceling }: Hold): Promise<void> => {
    log.info({ created_before: since, resumed: canceling }, 'Canceling the deliveries that were unfinished when the database was restored.')
    // A bulk action from before the restore could resend a message that was already sent after the backup was made.
    await deps.stopBulkActions(since)
    const canceled = await cancelRestored(deps, since, signal)
    await endCanceledHold(database)
    log.info({ canceled }, 'Canceled the deliveries that were unfinished when the database was restored.')
  }

  /**
   * Carries out the operator's decision. Once any process has begun to cancel the deliveries, this process continues
   * the cancellation, whatever its `FLOWPOST_AFTER_RESTORE` is.
   */
  const resolve = async (hold: Hold): Promise<void> => {
    if (hold.canceling) return finishCancel(hold)
    if (afterRestore === 'send') return void (await endHold(database))
    const decided = afterRestore === 'cancel' ? await decideToCancel(database) : undefined
    if (decided) await finishCancel({ ...decided, canceling: false })
  }

  const watch = async (delivers: boolean): Promise<void> => {
    while (!signal.aborted) {
      try {
        const hold = await readHold(database)
        if (hold && delivers) await resolve(hold)
        if (!hold || !(await readHold(database))) {
          held = false
          log.info('The messages are no longer on hold.')
          return
        }
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'Could not check whether the messages are still on hold; retrying.')
      }
      await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  return {
    isOnHold: () => held,
    start: (onRelease) => {
      if (!held) return onRelease?.()
      watching = watch(onRelease !== undefined).then(() => {
        if (!held && !signal.aborted) onRelease?.()
      })
    },
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}
