import type { Logger } from 'pino'
import { firstCodeOf, isDatabaseUnavailable } from '../failures.ts'
import { createOutageLog } from './outage-log.ts'

/** The dependencies of {@link createConnectionWatch}. */
export interface ConnectionWatchDeps {
  readonly log: Logger
  /** Runs a trivial statement through the pool. */
  readonly probe: () => Promise<unknown>
  /** Checks whether PostgreSQL works, through a fresh connection outside the pool. Rejects if it does not. */
  readonly probeFresh: () => Promise<unknown>
  /** Called once, with the reason, when this process cannot recover and must be restarted. */
  readonly onFatal: (error: Error) => void
  readonly nowMs?: () => number
  /** How long, in milliseconds, an outage must last before the watch checks whether this process can recover. @default 60,000 */
  readonly recoverWithinMs?: number
}

/** Tracks whether PostgreSQL responds. */
export interface ConnectionWatch {
  start(): void
  stop(): void
  /** Returns whether PostgreSQL has responded in the last few seconds. */
  isReachable(): boolean
  /** Records that PostgreSQL has responded to a statement from the pool. */
  responded(): void
  /** Records that one of the pool's statements or connections has failed. */
  failed(error: unknown): void
  /** Checks once whether PostgreSQL has responded recently. Sends a probe if the last response is more than a second old. */
  check(): void
}

/** Reported when this process must be restarted to reach PostgreSQL. */
class UnrecoverableError extends Error {
  override readonly name = 'UnrecoverableError'
}

const checkEveryMs = 1_000
const probeAfterMs = 1_000
/** PostgreSQL counts as unreachable after this many milliseconds without a response. */
const unreachableAfterMs = 5_000
const maxFreshFailures = 3
const freshProbeIntervalMs = 5_000

// The password, role or database is wrong. Waiting does not fix this.
const isPermanent = (error: unknown): boolean => /^(28...|3D000)$/.test(firstCodeOf(error))

/**
 * Creates a watch that observes whether PostgreSQL responds to the pool's statements. If no response arrives for a
 * second, the watch sends a probe statement. The watch calls `onFatal` only if this process cannot recover from an outage.
 * This is the case if PostgreSQL responds on new connections but not on the pool's connections, or if PostgreSQL rejects the
 * user, password or database.
 */
export const createConnectionWatch = (deps: ConnectionWatchDeps): ConnectionWatch => {
  const { probe, probeFresh, onFatal, nowMs = () => performance.now(), recoverWithinMs = 60_000 } = deps
  const outages = createOutageLog(deps.log, nowMs)
  let timer: NodeJS.Timeout | undefined
  let respondedAtMs = nowMs()
  let checkedAtMs = nowMs()
  let downSinceMs: number | undefined
  let probing = false
  let freshProbedAtMs = Number.NEGATIVE_INFINITY
  let freshFailures = 0
  let hasGivenUp = false

  const goDown = (error: unknown): void => {
    downSinceMs ??= nowMs()
    outages.unreachable(error)
  }

  const responded = (): void => {
    respondedAtMs = nowMs()
    if (downSinceMs === undefined) return
    downSinceMs = undefined
    freshFailures = 0
    outages.reached()
  }

  const runProbe = async (): Promise<void> => {
    probing = true
    const startedMs = nowMs()
    try {
      await probe()
    } catch (error) {
      // A probe can also fail because the pool is busy. The failure is ignored if PostgreSQL has responded to another statement
      // since the probe started.
      if (respondedAtMs < startedMs) goDown(error)
    } finally {
      probing = false
    }
  }

  const tryFresh = async (): Promise<void> => {
    freshProbedAtMs = nowMs()
    const reason = await probeFresh().then(
      () => 'PostgreSQL responds on a new connection, but not on the open connections of this process.',
      (error: unknown) =>
        isPermanent(error)
          ? `PostgreSQL no longer accepts the user, password or database in DATABASE_URL: ${(error as Error).message}.`
          : undefined,
    )
    if (downSinceMs === undefined) return
    freshFailures = reason === undefined ? 0 : freshFailures + 1
    if (reason === undefined || freshFailures < maxFreshFailures) return
    hasGivenUp = true
    onFatal(
      new UnrecoverableError(`${reason} The process is ending after ${Math.round((nowMs() - downSinceMs) / 1_000)} s without a database.`),
    )
  }

  const check = (): void => {
    const now = nowMs()
    // A late check means that this process was suspended or busy, so it may not have read all responses that have arrived.
    const isLate = now - checkedAtMs > 2 * checkEveryMs
    checkedAtMs = now
    outages.tick()
    if (!isLate && now - respondedAtMs >= unreachableAfterMs) goDown(undefined)
    if (!probing && now - respondedAtMs >= probeAfterMs) void runProbe()
    const isLong = downSinceMs !== undefined && now - downSinceMs >= recoverWithinMs
    if (isLong && !hasGivenUp && now - freshProbedAtMs >= freshProbeIntervalMs) void tryFresh()
  }

  return {
    start: () => {
      respondedAtMs = checkedAtMs = nowMs()
      timer = setInterval(check, checkEveryMs)
      timer.unref()
    },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
    isReachable: () => downSinceMs === undefined,
    responded,
    failed: (error) => {
      // Ignores errors before `start` and after `stop`, because the code that opens or closes the pool reports them.
      if (timer === undefined) return
      outages.failed(error)
      if (isDatabaseUnavailable(error) && !probing && downSinceMs === undefined) void runProbe()
    },
    check,
  }
}
