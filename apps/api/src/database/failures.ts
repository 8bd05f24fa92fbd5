// 08...: the connection is broken. 53...: the server lacks a resource, such as disk space, memory or connections. 57P01 to
// 57P05: the server ended or rejected the session, for example because it stops or starts. 57014: the statement was
// canceled, for example at its time limit. 55P03: the statement waited too long for a lock. 25006: the server is a standby
// or read-only. 25P03 and 25P04: an open transaction timed out. 58030: an I/O error. 40003: the outcome is unknown.
// Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
const sqlStates = /^(08...|53...|57014|57P0[1-5]|55P03|25006|25P0[34]|58030|40003)$/
const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|PGlite is closed|PGlite instance is already closed|The embedded database stopped)/

const maxDepth = 5

/** Yields an error and its chain of causes. */
function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error, depth = 0; cause instanceof Error && depth < maxDepth; cause = cause.cause, depth += 1) yield cause
}

/** Returns an error's SQLSTATE or system code, or an empty string. */
const codeOf = (error: object): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** Returns the first SQLSTATE or system code in an error's chain of causes, or an empty string. */
export const firstCodeOf = (error: unknown): string => {
  for (const cause of causesOf(error)) if (codeOf(cause) !== '') return codeOf(cause)
  return ''
}

/** Returns whether an error means that the database is temporarily unavailable, so a retry may succeed. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  for (const cause of causesOf(error)) {
    if (sqlStates.test(codeOf(cause)) || systemCodes.has(codeOf(cause)) || driverMessages.test(cause.message)) return true
    if (cause instanceof AggregateError && cause.errors.some((inner) => isDatabaseUnavailable(inner))) return true
  }
  return false
}

/** Returns whether an error means that the server accepts no more connections. Open connections continue to work. */
export const isServerFull = (error: unknown): boolean => firstCodeOf(error) === '53300'

// The ORM wraps errors in its own errors, and copies only properties with string keys. A symbol as the key would be lost.
const mark = 'ofPostgres'

/** Marks an error as coming from the PostgreSQL server or its connection, and returns it. */
export const markAsOfPostgres = <T>(error: T): T => {
  if (error instanceof Error) Object.defineProperty(error, mark, { value: true, configurable: true, writable: true })
  return error
}

/**
 * Returns whether an error comes from a PostgreSQL outage, which `outage-log.ts` logs once. Errors from other hosts, such as
 * providers, can have the same system codes, so only errors marked by {@link markAsOfPostgres} count.
 */
export const isPostgresOutage = (error: unknown): boolean => {
  for (const cause of causesOf(error)) if (mark in cause) return isDatabaseUnavailable(error)
  return false
}

/**
 * Thrown when PostgreSQL rolled back a transaction instead of committing it, because the caller had caught the error of
 * a failed statement. PostgreSQL reports this only in the command tag of its response:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class RolledBackError extends Error {
  override readonly name = 'RolledBackError'

  constructor() {
    super('PostgreSQL rolled back the transaction instead of committing it, because one of its statements failed.')
  }
}

/**
 * Thrown when the embedded database can no longer be used. The process must then be restarted. Counts as unavailable, because
 * a supervisor restarts the process.
 */
export class EmbeddedDatabaseLostError extends Error {
  override readonly name = 'EmbeddedDatabaseLostError'

  constructor(reason: string, options?: ErrorOptions) {
    super(`The embedded database stopped: ${reason}. The process must be restarted.`, options)
  }
}

/**
 * Thrown when a transaction was committed on the primary, but the wait for the synchronous standby was canceled. If
 * the standby is promoted, the transaction may be lost, so its outcome is unknown. The error's SQLSTATE is
 * `statement_completion_unknown`.
 */
export class UnconfirmedCommitError extends Error {
  override readonly name = 'UnconfirmedCommitError'
  readonly code = '40003'

  constructor() {
    super('The PostgreSQL synchronous standby has not confirmed the transaction, so its outcome is unknown.')
  }
}

/** Returns whether the database rolled back a transaction because of a deadlock or a serialization failure. */
export const isDeadlock = (error: unknown): boolean => {
  for (const cause of causesOf(error)) if (codeOf(cause) === '40P01' || codeOf(cause) === '40001') return true
  return false
}

/** Returns the name of the unique constraint that a statement violated; `undefined` for any other error. */
export const brokenUniqueConstraint = (error: unknown): string | undefined => {
  for (const cause of causesOf(error)) if (codeOf(cause) === '23505' && 'constraint' in cause) return String(cause.constraint)
  return undefined
}
