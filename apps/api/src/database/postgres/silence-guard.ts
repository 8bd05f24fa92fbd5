import type { Logger } from 'pino'
import { isServerFull } from '../failures.ts'
import { connectTimeoutMs, statementTimeoutMs } from './connection-options.ts'
import { onFreshConnection } from './fresh-connection.ts'
import { ConnectionSilentError, type WatchedClient } from './watched-client.ts'

/** The part of a connection that the guard uses. */
export type GuardedConnection = Pick<WatchedClient, 'backendPid' | 'waitingSinceMs' | 'lastResponseMs' | 'abandon'>

/** The dependencies of {@link createSilenceGuard}. */
export interface SilenceGuardDeps {
  readonly connections: Iterable<GuardedConnection>
  readonly log: Pick<Logger, 'warn'>
  /**
   * Returns which of the given server processes are running a statement. Rejects when the server is unreachable or has
   * no free connection.
   */
  readonly findWorking: (backendPids: readonly number[]) => Promise<ReadonlySet<number>>
  readonly nowMs?: () => number
}

/** Closes silent connections, on which PostgreSQL no longer responds. */
export interface SilenceGuard {
  start(): void
  stop(): void
  /** Sets whether a statement may run without a time limit while PostgreSQL reports it as active. Migrations need this. */
  allowLongStatements(allowed: boolean): void
  /** Checks every connection once. */
  check(): void
}

const checkEveryMs = 500
// How long a statement may wait for its response before the guard asks the server about it. Most statements take milliseconds.
const suspectAfterMs = 4_000
const probeEveryMs = 1_500
/** A connection is closed after this many milliseconds without a report that its statement is active. */
export const silentAfterMs = 10_000
// This limit is longer than PostgreSQL's limit, `statementTimeoutMs`, so that PostgreSQL can cancel the statement first. The
// connection then remains usable.
const maxStatementMs = statementTimeoutMs + connectTimeoutMs

/** The server's reports about one statement that is waiting for a response. */
interface Evidence {
  readonly waitingSinceMs: number
  /** The last time at which `probe` counted the statement as active. The initial value is `waitingSinceMs`. */
  activeAtMs: number
  /** How many times in a row the server has reported that the statement is not active. */
  denials: number
}

/**
 * Creates a guard that closes connections on which PostgreSQL no longer responds, for example after a network
 * partition. If a statement has no response for some time, the guard opens a new connection and asks the server whether
 * the statement is active. The guard closes the connection of the statement in three cases:
 *
 * - The server reports twice in a row that the statement is not active.
 * - For ten seconds, no report says that the statement is active.
 * - The statement exceeds its time limit.
 *
 * In each of these cases, the guard also closes all connections that have been idle since before the statement began,
 * because nothing shows that the idle connections still work.
 */
export const createSilenceGuard = (deps: SilenceGuardDeps): SilenceGuard => {
  const { connections, log, findWorking, nowMs = () => performance.now() } = deps
  const evidence = new WeakMap<GuardedConnection, Evidence>()
  let timer: NodeJS.Timeout | undefined
  let checkedAtMs: number | undefined
  let probedAtMs = Number.NEGATIVE_INFINITY
  let probing = false
  let longAllowed = false

  const evidenceOf = (connection: GuardedConnection, waitingSinceMs: number): Evidence => {
    const existing = evidence.get(connection)
    if (existing?.waitingSinceMs === waitingSinceMs) return existing
    const fresh = { waitingSinceMs, activeAtMs: waitingSinceMs, denials: 0 }
    evidence.set(connection, fresh)
    return fresh
  }

  const probe = async (suspects: readonly GuardedConnection[]): Promise<void> => {
    probing = true
    probedAtMs = nowMs()
    const probed = suspects.map((connection) => ({ connection, observed: evidence.get(connection) }))
    try {
      const working = await findWorking(suspects.flatMap(({ backendPid }) => backendPid ?? []))
      for (const { connection, observed } of probed) {
        if (observed === undefined || connection.backendPid === undefined) continue
        if (working.has(connection.backendPid)) Object.assign(observed, { activeAtMs: nowMs(), denials: 0 })
        else observed.denials += 1
      }
    } catch (error) {
      // A server without a free connection for the probe still responds, so the statements of all suspects count as active. Any
      // other error changes nothing. A suspect is closed when its statement has not counted as active for `silentAfterMs`.
      if (isServerFull(error)) for (const { observed } of probed) if (observed) observed.activeAtMs = nowMs()
    } finally {
      probing = false
    }
  }

  const isSilent = ({ waitingSinceMs, activeAtMs, denials }: Evidence, now: number): boolean =>
    // One report that the statement is not active does not prove a lost connection: the response may still be in transit.
    denials > 1 || now - activeAtMs >= silentAfterMs || (!longAllowed && now - waitingSinceMs >= maxStatementMs)

  const close = (silent: readonly GuardedConnection[]): void => {
    const sinceMs = Math.min(...silent.map(({ waitingSinceMs }) => waitingSinceMs ?? 0))
    const idle = [...connections].filter(({ waitingSinceMs, lastResponseMs }) => waitingSinceMs === undefined && lastResponseMs <= sinceMs)
    const reason = new ConnectionSilentError('PostgreSQL did not respond in time; the connection was closed.')
    log.warn({ silent: silent.length, idle: idle.length }, 'Connections to PostgreSQL went silent and were closed.')
    for (const connection of [...silent, ...idle]) connection.abandon(reason)
  }

  const check = (): void => {
    const now = nowMs()
    const isLate = checkedAtMs !== undefined && now - checkedAtMs > 2 * checkEveryMs
    checkedAtMs = now
    // A late check means that this process was suspended or busy, so it may not have read all responses that have arrived.
    if (isLate) return
    const suspects: GuardedConnection[] = []
    const silent: GuardedConnection[] = []
    for (const connection of connections) {
      const { waitingSinceMs } = connection
      if (waitingSinceMs === undefined || now - waitingSinceMs < suspectAfterMs) continue
      if (isSilent(evidenceOf(connection, waitingSinceMs), now)) silent.push(connection)
      else suspects.push(connection)
    }
    if (silent.length > 0) close(silent)
    if (suspects.length > 0 && !probing && now - probedAtMs >= probeEveryMs) void probe(suspects)
  }

  return {
    start: () => {
      timer = setInterval(check, checkEveryMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
    allowLongStatements: (allowed) => {
      longAllowed = allowed
    },
    check,
  }
}

// Excludes server processes that wait for their client, because they are not working on a statement.
const workingProcesses = `select pid from pg_stat_activity
  where pid = any($1::int[]) and state = 'active' and wait_event_type is distinct from 'Client'`

const probeTimeoutMs = 3_000

/**
 * Creates the function {@link SilenceGuardDeps.findWorking}. It asks the server which of its processes are running a
 * statement. Each call opens a new connection, because the server may no longer respond on the existing ones.
 */
export const createWorkingQuery =
  (url: string): SilenceGuardDeps['findWorking'] =>
  (backendPids) =>
    onFreshConnection(url, probeTimeoutMs, async (client) => {
      const { rows } = await client.query<{ pid: number }>(workingProcesses, [backendPids])
      return new Set(rows.map(({ pid }) => pid))
    })
