// Class 08 is a broken connection, 57P01 to 57P05 a server that stops or starts, 53300 one without
// connections left: https://www.postgresql.org/docs/current/errcodes-appendix.html
const sqlStates = /^(08...|57P0[1-5]|53300|25006)$/
const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|PGlite is closed|PGlite instance is already closed)/

const codeOf = (error: object): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** Whether an error means that the database is away for now, so that the same request may succeed later. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    if (sqlStates.test(codeOf(each)) || systemCodes.has(codeOf(each)) || driverMessages.test(each.message)) return true
    if (each instanceof AggregateError && each.errors.some((inner) => isDatabaseUnavailable(inner))) return true
  }
  return false
}

/** Whether the database ended a transaction because it and another one waited for each other. */
export const isDeadlock = (error: unknown): boolean => {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1)
    if (codeOf(each) === '40P01' || codeOf(each) === '40001') return true
  return false
}

/** The name of the unique constraint that an error broke, or `undefined`. */
export const brokenUniqueConstraint = (error: unknown): string | undefined => {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1)
    if (codeOf(each) === '23505' && 'constraint' in each) return String(each.constraint)
  return undefined
}
