import type { Logger } from 'pino'
import { connectTimeoutMs, statementTimeoutMs } from './connection-options.ts'
import { onFreshConnection } from './fresh-connection.ts'
import { ConnectionSilentError, type WatchedClient } from './watched-client.ts'

/** What the guard looks at and does with a connection. */
export type GuardedConnection = Pick<WatchedClient, 'backendPid' | 'waitingSinceMs' | 'heardAtMs' | 'abandon'>

/** What the guard needs. */
export interface SilenceGuardDeps {
  readonly connections: Iterable<GuardedConnection>
  readonly log: Pick<Logger, 'warn'>
  /** Returns which of these server processes are running a statement. Rejects when the server cannot be asked. */
  readonly askWorking: (backendPids: readonly number[]) => Promise<ReadonlySet<number>>
  readonly nowMs?: () => number
}

/** Closes connections that have gone silent. */
export interface SilenceGuard {
  start(): void
  stop(): void
  /** Lifts the limit of a statement that PostgreSQL is seen to work on, as migrations take as long as they take. */
  letRunLong(allowed: boolean): void
  /** Looks at every connection once. */
  check(): void
}

const checkEveryMs = 500
// Most statements take milliseconds, so asking about one that takes this long is rare.
const suspectAfterMs = 4_000
const askEveryMs = 1_500
/** How long a statement may go without a sign of life: its answer, or the server saying that it works on it. */
export const silentAfterMs = 10_000
// Past PostgreSQL's own limit, which ends a statement in order.
const maxStatementMs = statementTimeoutMs + connectTimeoutMs

interface Evidence {
  readonly waitingSinceMs: number
  workingAtMs: number
  denials: number
}

/**
 * Closes connections on which PostgreSQL no longer answers, as after a partition or the loss of a load balancer's state: nothing
 * arrives then, not even the end of the connection. A statement that runs long is told from one that is lost by asking the server,
 * on a fresh connection, whether it is working on it. If it is not, or if nobody can say so for ten seconds, the connection is
 * closed, and with it all that have been idle since: their next statement would hang too.
 */
export const createSilenceGuard = (deps: SilenceGuardDeps): SilenceGuard => {
  const { connections, log, askWorking, nowMs = () => performance.now() } = deps
  const evidence = new WeakMap<GuardedConnection, Evidence>()
  let timer: NodeJS.Timeout | undefined
  let checkedAtMs: number | undefined
  let askedAtMs = Number.NEGATIVE_INFINITY
  let asking = false
  let longAllowed = false

  const evidenceOf = (connection: GuardedConnection, waitingSinceMs: number): Evidence => {
    const before = evidence.get(connection)
    if (before?.waitingSinceMs === waitingSinceMs) return before
    const fresh = { waitingSinceMs, workingAtMs: waitingSinceMs, denials: 0 }
    evidence.set(connection, fresh)
    return fresh
  }

  const ask = async (suspects: readonly GuardedConnection[]): Promise<void> => {
    asking = true
    askedAtMs = nowMs()
    const asked = suspects.map((connection) => ({ connection, about: evidence.get(connection) }))
    try {
      const working = await askWorking(suspects.flatMap(({ backendPid }) => backendPid ?? []))
      for (const { connection, about } of asked) {
        if (about === undefined || connection.backendPid === undefined) continue
        if (working.has(connection.backendPid)) Object.assign(about, { workingAtMs: nowMs(), denials: 0 })
        else about.denials += 1
      }
    } catch {
      // Nobody can say: the connection has its ten seconds.
    } finally {
      asking = false
    }
  }

  const isSilent = ({ waitingSinceMs, workingAtMs, denials }: Evidence, now: number): boolean =>
    // The second denial, because the answer may have been under way at the first.
    denials > 1 || now - workingAtMs >= silentAfterMs || (!longAllowed && now - waitingSinceMs >= maxStatementMs)

  const close = (silent: readonly GuardedConnection[]): void => {
    const sinceMs = Math.min(...silent.map(({ waitingSinceMs }) => waitingSinceMs ?? 0))
    const idle = [...connections].filter((each) => each.waitingSinceMs === undefined && each.heardAtMs <= sinceMs)
    const reason = new ConnectionSilentError('PostgreSQL did not answer in time; the connection was closed.')
    log.warn({ silent: silent.length, idle: idle.length }, 'Connections to PostgreSQL went silent and were closed.')
    for (const each of [...silent, ...idle]) each.abandon(reason)
  }

  const check = (): void => {
    const now = nowMs()
    const late = checkedAtMs !== undefined && now - checkedAtMs > 2 * checkEveryMs
    checkedAtMs = now
    // This process stood still: answers may have arrived that it has not read yet.
    if (late) return
    const suspects: GuardedConnection[] = []
    const silent: GuardedConnection[] = []
    for (const connection of connections) {
      const { waitingSinceMs } = connection
      if (waitingSinceMs === undefined || now - waitingSinceMs < suspectAfterMs) continue
      if (isSilent(evidenceOf(connection, waitingSinceMs), now)) silent.push(connection)
      else suspects.push(connection)
    }
    if (silent.length > 0) close(silent)
    if (suspects.length > 0 && !asking && now - askedAtMs >= askEveryMs) void ask(suspects)
  }

  return {
    start: () => {
      timer = setInterval(check, checkEveryMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
    letRunLong: (allowed) => {
      longAllowed = allowed
    },
    check,
  }
}

// A process that waits for its client to read, or to say more, is not working.
const workingProcesses = `select pid from pg_stat_activity
  where pid = any($1::int[]) and state = 'active' and wait_event_type is distinct from 'Client'`

const askWithinMs = 3_000

/** Asks the server of a URL which of its processes are running a statement, on a fresh connection. */
export const createWorkingQuery =
  (url: string): SilenceGuardDeps['askWorking'] =>
  (backendPids) =>
    onFreshConnection(url, askWithinMs, async (client) => {
      const { rows } = await client.query<{ pid: number }>(workingProcesses, [backendPids])
      return new Set(rows.map(({ pid }) => pid))
    })
