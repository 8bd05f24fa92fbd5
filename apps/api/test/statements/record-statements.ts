import { Client } from 'pg'
import { vi } from 'vitest'
import { EmbeddedConnection } from '../../src/database/embedded-connection.ts'

// Messages of the PostgreSQL protocol that contain SQL: `P` parses a statement, `Q` runs one.
const parse = 'P'.charCodeAt(0)
const simpleQuery = 'Q'.charCodeAt(0)

/** Returns the SQL in a sequence of protocol messages, each of which has a type, a length and a body. */
const sqlIn = (sequence: Uint8Array): string[] => {
  const bytes = Buffer.from(sequence.buffer, sequence.byteOffset, sequence.byteLength)
  const found: string[] = []
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] !== parse && bytes[at] !== simpleQuery) continue
    const start = bytes[at] === parse ? bytes.indexOf(0, at + 5) + 1 : at + 5
    found.push(bytes.toString('utf8', start, bytes.indexOf(0, start)))
  }
  return found
}

/** Returns SQL with each sequence of white space replaced by one space. */
export const normalized = (sql: string): string => sql.replace(/\s+/g, ' ').trim()

/**
 * Records the SQL of every statement that this process sends to a database, including the ORM's statements, because it observes
 * the database drivers. Vitest ends the recording after the test.
 */
export const recordStatements = (): ReadonlySet<string> => {
  const statements = new Set<string>()
  const record = (sql: string): void => void statements.add(normalized(sql))
  const { execProtocolRaw } = EmbeddedConnection.prototype
  vi.spyOn(EmbeddedConnection.prototype, 'execProtocolRaw').mockImplementation(function (this: EmbeddedConnection, message) {
    for (const sql of sqlIn(message)) record(sql)
    return execProtocolRaw.call(this, message)
  })
  const query = Client.prototype.query as (...args: unknown[]) => unknown
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const [statement] = args as [string | { readonly text: string }]
    record(typeof statement === 'string' ? statement : statement.text)
    return query.apply(this, args) as never
  } as never)
  return statements
}
