import type { Logger } from 'pino'
import { firstCodeOf, isDatabaseUnavailable } from './failures.ts'
import { createOutageLog } from './outage-log.ts'

/** What the watch needs. */
export interface ConnectionWatchDeps {
  readonly log: Logger
  /** Runs a trivial statement through the pool. */
  readonly probe: () => Promise<unknown>
  /** Runs one on a fresh connection beside the pool. */
  readonly probeAfresh: () => Promise<unknown>
  /** Called once, with the reason, when this process cannot recover and has to be started again. */
  readonly onFatal: (error: Error) => void
  readonly nowMs?: () => number
  /** How long an outage lasts before it is found out whether this process can recover from it. @default 60,000 */
  readonly recoverWithinMs?: number
}

/** Knows whether PostgreSQL answers. */
export interface ConnectionWatch {
  start(): void
  stop(): void
  /** Whether a statement was answered in the last seconds. */
  isReachable(): boolean
  /** Notes that PostgreSQL has answered a statement of the pool. */
  answered(): void
  /** Notes that a statement or a connection of the pool has failed. */
  failed(error: unknown): void
  /** Looks once: probes when there is reason to. */
  check(): void
}

/** Says why a process has to be started again to reach PostgreSQL. */
class UnrecoverableError extends Error {
  override readonly name = 'UnrecoverableError'
}

const checkEveryMs = 1_000
const probeAfterMs = 1_000
/** How long no statement needs to be answered before the process is not ready. */
const unreachableAfterMs = 5_000
const fatalTries = 3
const betweenFatalTriesMs = 5_000

// Wrong password, role or database: nothing of that changes while the process goes on with the same settings.
const isLasting = (error: unknown): boolean => /^(28...|3D000)$/.test(firstCodeOf(error))

/**
 * Watches whether PostgreSQL answers: by the statements that run anyway, and by one of its own when there are none. An outage is
 * waited out. When the server answers fresh connections and the pool still fails, or rejects the credentials, waiting is no use.
 */
export const createConnectionWatch = (deps: ConnectionWatchDeps): ConnectionWatch => {
  const { probe, probeAfresh, onFatal, nowMs = () => performance.now(), recoverWithinMs = 60_000 } = deps
  const outages = createOutageLog(deps.log, nowMs)
  let timer: NodeJS.Timeout | undefined
  let answeredAtMs = nowMs()
  let checkedAtMs = nowMs()
  let downSinceMs: number | undefined
  let probing = false
  let afreshAtMs = Number.NEGATIVE_INFINITY
  let fruitlessTries = 0
  let hasGivenUp = false

  const goDown = (error: unknown): void => {
    downSinceMs ??= nowMs()
    outages.unreachable(error)
  }

  const answered = (): void => {
    answeredAtMs = nowMs()
    if (downSinceMs === undefined) return
    downSinceMs = undefined
    fruitlessTries = 0
    outages.reached()
  }

  const runProbe = async (): Promise<void> => {
    probing = true
    const startedMs = nowMs()
    try {
      await probe()
    } catch (error) {
      // Others may have been answered meanwhile: then it is the pool that is busy.
      if (answeredAtMs < startedMs) goDown(error)
    } finally {
      probing = false
    }
  }

  const tryAfresh = async (): Promise<void> => {
    afreshAtMs = nowMs()
    const reason = await probeAfresh().then(
      () => 'PostgreSQL answers on a new connection, but not on those of this process.',
      (error: unknown) => (isLasting(error) ? `PostgreSQL does not accept DATABASE_URL any more: ${(error as Error).message}.` : undefined),
    )
    if (downSinceMs === undefined) return
    fruitlessTries = reason === undefined ? 0 : fruitlessTries + 1
    if (reason === undefined || fruitlessTries < fatalTries) return
    hasGivenUp = true
    onFatal(new UnrecoverableError(`${reason} The process ends after ${Math.round((nowMs() - downSinceMs) / 1_000)} s without a database.`))
  }

  const check = (): void => {
    const now = nowMs()
    // After standing still, this process has answers to read before it judges.
    const late = now - checkedAtMs > 2 * checkEveryMs
    checkedAtMs = now
    outages.tick()
    if (!late && now - answeredAtMs >= unreachableAfterMs) goDown(undefined)
    if (!probing && now - answeredAtMs >= probeAfterMs) void runProbe()
    const isLong = downSinceMs !== undefined && now - downSinceMs >= recoverWithinMs
    if (isLong && !hasGivenUp && now - afreshAtMs >= betweenFatalTriesMs) void tryAfresh()
  }

  return {
    start: () => {
      answeredAtMs = checkedAtMs = nowMs()
      timer = setInterval(check, checkEveryMs)
      timer.unref()
    },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
    isReachable: () => downSinceMs === undefined,
    answered,
    failed: (error) => {
      // Before the start and after the end, its callers say it.
      if (timer === undefined) return
      outages.failed(error)
      if (isDatabaseUnavailable(error) && !probing && downSinceMs === undefined) void runProbe()
    },
    check,
  }
}
