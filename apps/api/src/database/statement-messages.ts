import { protocol } from '@electric-sql/pglite'

const sync = protocol.serialize.sync()

const typeOf = (message: Uint8Array): string => String.fromCharCode(message[0] ?? 0)

/** Returns whether a message asks PostgreSQL to describe a prepared statement, and not a portal. */
const describesStatement = (message: Uint8Array): boolean => typeOf(message) === 'D' && message[5] === 'S'.charCodeAt(0)

/**
 * Combines the six messages that PGlite sends for a statement (parse, describe, bind, describe, execute and sync) into
 * two. PGlite waits for a response to each message, but it needs only two responses: the parameter types before it sends
 * the values, and the result at the end.
 */
export class StatementMessages {
  #unsent: Uint8Array[] = []

  /**
   * Adds the next message from PGlite. Returns the bytes to send to PostgreSQL, or `undefined` if there is nothing to send
   * yet. The bytes end with a sync, unless they are a simple query.
   */
  add(message: Uint8Array): Uint8Array | undefined {
    const type = typeOf(message)
    if (type === 'Q') return message
    if (!['P', 'B', 'D', 'E', 'S'].includes(type)) throw new Error(`A statement must not contain a protocol message of type ${type}.`)
    // PGlite sends a sync at the end of each statement. It is discarded, because the bytes that `add` returned for this
    // statement already end with a sync.
    if (type === 'S') {
      this.#unsent = []
      return undefined
    }
    this.#unsent.push(message)
    if (type !== 'E' && !describesStatement(message)) return undefined
    const messages = Buffer.concat([...this.#unsent, sync])
    this.#unsent = []
    return messages
  }
}
