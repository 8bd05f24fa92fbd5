import type { Logger } from 'pino'

// The database, the queue, the log and the connections to providers need file descriptors too.
const reservedFiles = 128
const minConnections = 16

/** Returns how many files the process may have open; `undefined` where the system has no such limit. */
const openFileLimit = (): number | undefined => {
  if (!process.report) return undefined
  // Otherwise the names of the database's addresses are looked up, which blocks.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } | number | string } }
  const limit = userLimits?.open_files
  const soft = Number(typeof limit === 'object' ? limit.soft : limit)
  return Number.isFinite(soft) ? soft : undefined
}

/**
 * Returns how many connections a server may have open: `wanted`, or fewer where the process may not open that many files.
 * @param openFiles The limit on open files. Default: that of the process.
 */
export const connectionLimit = (wanted: number, openFiles = openFileLimit()): number =>
  openFiles === undefined ? wanted : Math.min(wanted, Math.max(openFiles - reservedFiles, minConnections))

const logIntervalMs = 60_000

/** Logs refused connections, at most once a minute and with their number. */
export const logRefusedConnections = (log: Logger, maxConnections: number, nowMs: () => number): (() => void) => {
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return () => {
    refused += 1
    if (nowMs() - loggedAt < logIntervalMs) return
    loggedAt = nowMs()
    log.warn({ refused, max_connections: maxConnections }, 'Connections refused: FLOWPOST_MAX_CONNECTIONS are open.')
    refused = 0
  }
}
