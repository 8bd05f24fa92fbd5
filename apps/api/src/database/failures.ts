// Class 08 is a broken connection and class 53 a lack of disk space, memory or connections. 57P01 to 57P05 mean that the server
// stops or starts, 57014 that a statement ran into its time limit, 55P03 that it waited too long for a lock, 25006 that the server
// is a standby or read-only, 25P03 and 25P04 that an open transaction timed out, 58030 an I/O error, 40003 an unknown outcome:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const sqlStates = /^(08...|53...|57014|57P0[1-5]|55P03|25006|25P0[34]|58030|40003)$/
const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|PGlite is closed|PGlite instance is already closed)/

const maxDepth = 5

/** Yields an error and what caused it. */
function* causesOf(error: unknown): Generator<Error> {
  for (let each = error, depth = 0; each instanceof Error && depth < maxDepth; each = each.cause, depth += 1) yield each
}

/** Returns the SQLSTATE or system code of an error, or an empty string. */
const codeOf = (error: object): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** Returns the SQLSTATE or system code of an error or of the first of its causes that has one. */
export const firstCodeOf = (error: unknown): string => {
  for (const each of causesOf(error)) if (codeOf(each) !== '') return codeOf(each)
  return ''
}

/** Whether an error means that the database is away for now, so that the same request may succeed later. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  for (const each of causesOf(error)) {
    if (sqlStates.test(codeOf(each)) || systemCodes.has(codeOf(each)) || driverMessages.test(each.message)) return true
    if (each instanceof AggregateError && each.errors.some((inner) => isDatabaseUnavailable(inner))) return true
  }
  return false
}

/** Whether the server has no connection left for this process, while those that it has go on working. */
export const isServerFull = (error: unknown): boolean => firstCodeOf(error) === '53300'

// A name and no symbol: the ORM copies an error into one of its own, own properties by name.
const mark = 'ofPostgres'

/** Marks an error as one of the PostgreSQL server or the connection to it, and returns it. */
export const markAsOfPostgres = <T>(error: T): T => {
  if (error instanceof Error) Object.defineProperty(error, mark, { value: true, configurable: true, writable: true })
  return error
}

/**
 * Whether an error comes from an outage of the PostgreSQL server, which `connection-watch.ts` logs once. Errors of other hosts
 * have the same system codes, so only marked ones count.
 */
export const isPostgresOutage = (error: unknown): boolean => {
  for (const each of causesOf(error)) if (mark in each) return isDatabaseUnavailable(error)
  return false
}

/** Whether the database ended a transaction because it and another one waited for each other. */
export const isDeadlock = (error: unknown): boolean => {
  for (const each of causesOf(error)) if (codeOf(each) === '40P01' || codeOf(each) === '40001') return true
  return false
}

/** The name of the unique constraint that an error broke, or `undefined`. */
export const brokenUniqueConstraint = (error: unknown): string | undefined => {
  for (const each of causesOf(error)) if (codeOf(each) === '23505' && 'constraint' in each) return String(each.constraint)
  return undefined
}
