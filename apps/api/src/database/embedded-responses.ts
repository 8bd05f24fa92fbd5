import { messages, type PGlite, protocol } from '@electric-sql/pglite'
import { EmbeddedDatabaseLostError, RolledBackError } from './failures.ts'

/** One response of PostgreSQL to a protocol message. */
export type BackendMessage = Awaited<ReturnType<PGlite['execProtocolStream']>>[number]

/**
 * The protocol message for `COMMIT`. If PostgreSQL responds to it with a rollback, {@link requireCommitted} throws. This check
 * also covers PGlite's own transactions, because they send the same bytes.
 */
export const commitMessage: Uint8Array = protocol.serialize.query('COMMIT')

const startsWithCommit = (message: Uint8Array): boolean => Buffer.compare(message.subarray(0, commitMessage.length), commitMessage) === 0

// After an error of these severities, a PostgreSQL server ends the session or restarts. PGlite does neither: it responds to
// later statements with nothing, or with errors that have nothing to do with them.
const lostSeverities = new Set(['PANIC', 'FATAL'])

/** Parses PostgreSQL's responses to a protocol message. Ignores an incomplete response at the end. */
export const parseResponses = (data: Uint8Array): BackendMessage[] => {
  const responses: BackendMessage[] = []
  new protocol.Parser().parse(data, (response) => void responses.push(response))
  return responses
}

/** Returns the error in the responses, if there is one. */
export const errorIn = (responses: readonly BackendMessage[]): messages.DatabaseError | undefined =>
  responses.find((response) => response instanceof messages.DatabaseError)

/** Returns an error if the responses show that the database can no longer be used. */
export const lossIn = (responses: readonly BackendMessage[]): EmbeddedDatabaseLostError | undefined => {
  const errors = responses.filter((response) => response instanceof messages.DatabaseError)
  const fatal = errors.find(({ severity }) => lostSeverities.has(severity ?? ''))
  if (fatal) return lostBy(fatal)
  // A truncated response must not count as a result without rows.
  return responses.at(-1)?.name === 'readyForQuery' ? undefined : lostBy(errors[0])
}

/** Returns the error for a database that has stopped before it completed a statement, perhaps because of another error. */
export const lostBy = (cause?: Error): EmbeddedDatabaseLostError =>
  new EmbeddedDatabaseLostError(cause?.message ?? 'it did not complete a statement', { cause })

/** @throws RolledBackError when `message` commits a transaction and PostgreSQL has rolled it back. */
export const requireCommitted = (message: Uint8Array, responses: readonly BackendMessage[]): void => {
  if (
    startsWithCommit(message) &&
    responses.some((response) => response instanceof messages.CommandCompleteMessage && response.text === 'ROLLBACK')
  )
    throw new RolledBackError()
}
