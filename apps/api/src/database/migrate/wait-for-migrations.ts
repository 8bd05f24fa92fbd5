import { setTimeout as sleep } from 'node:timers/promises'
import { operatorCommand } from '../../shared/operator-command.ts'
import { DatabaseStartupError } from '../until-available.ts'
import { type MigrationState, requireCompatible } from './migration-state.ts'

/** The options of {@link waitForMigrations}. */
export interface WaitOptions {
  /** The maximum wait, in milliseconds. */
  readonly waitMs: number
  readonly log: { warn(fields: object, message: string): void }
  readonly signal?: AbortSignal | undefined
  /** Waits for `ms` milliseconds. @default a timer that `signal` aborts */
  readonly pause?: (ms: number) => Promise<void>
  /** Returns a monotonic time in milliseconds. @default performance.now */
  readonly nowMs?: () => number
}

const pollEveryMs = 500
const logEveryMs = 10_000

const plural = (count: number): string => (count === 1 ? '1 migration' : `${count} migrations`)

const waitMessage = (waitMs: number, pending: readonly string[]): string => {
  const wait = waitMs === 0 ? '' : `, and no other process has applied them within ${Math.round(waitMs / 1_000)} s`
  return (
    `The database lacks ${plural(pending.length)} that this version needs: ${pending.join(', ')}. With FLOWPOST_MIGRATE=off, this ` +
    `process does not apply them${wait}. Run \`${operatorCommand('migrate')}\`, then start this process again.`
  )
}

/**
 * Waits until another process has applied the migrations that this process needs.
 * @throws DatabaseStartupError when migrations are still pending after `waitMs`, or when the database requires a later
 * release; an `AbortError` when `signal` aborts.
 */
export const waitForMigrations = async (readState: () => Promise<MigrationState>, options: WaitOptions): Promise<void> => {
  const { waitMs, log, signal, nowMs = () => performance.now() } = options
  const pause = options.pause ?? ((ms) => sleep(ms, undefined, { signal }))
  const startedMs = nowMs()
  let loggedMs = Number.NEGATIVE_INFINITY
  for (;;) {
    const state = await readState()
    requireCompatible(state)
    if (state.pending.length === 0) return
    const pending = state.pending.map(({ name }) => name)
    const leftMs = waitMs - (nowMs() - startedMs)
    if (leftMs <= 0) throw new DatabaseStartupError(waitMessage(waitMs, pending))
    if (nowMs() - loggedMs >= logEveryMs) {
      loggedMs = nowMs()
      log.warn({ pending, seconds_left: Math.ceil(leftMs / 1_000) }, 'Waiting for migrations, because FLOWPOST_MIGRATE is off.')
    }
    await pause(Math.min(pollEveryMs, leftMs))
  }
}
