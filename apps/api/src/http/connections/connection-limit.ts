import type { Logger } from 'pino'

// The number of open files to reserve for the embedded database (about 150), the log and connections to providers.
const reservedFiles = 256
const minConnections = 16

/** Returns how many files this process may open; `undefined` if there is no limit. */
const openFileLimit = (): number | undefined => {
  if (!process.report) return undefined
  // Without this setting, the report would look up host names, which blocks the process.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } | number | string } }
  const limit = userLimits?.open_files
  const soft = Number(typeof limit === 'object' ? limit.soft : limit)
  return Number.isFinite(soft) ? soft : undefined
}

/**
 * Returns the connection limit of a server: `wanted`, or less if the limit on open files is too low.
 * @param openFiles the limit on open files. @default the limit of the process
 */
export const connectionLimit = (wanted: number, openFiles = openFileLimit()): number =>
  openFiles === undefined ? wanted : Math.min(wanted, Math.max(openFiles - reservedFiles, minConnections))

const logIntervalMs = 60_000

/** Creates a function that counts rejected connections and logs the count at most once a minute. */
export const logRejectedConnections = (log: Logger, maxConnections: number, nowMs: () => number): (() => void) => {
  let rejected = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return () => {
    rejected += 1
    if (nowMs() - loggedAt < logIntervalMs) return
    loggedAt = nowMs()
    log.warn({ rejected, max_connections: maxConnections }, 'Rejected connections because the connection limit was reached.')
    rejected = 0
  }
}
