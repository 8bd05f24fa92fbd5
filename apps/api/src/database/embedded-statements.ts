import { messages, protocol } from '@electric-sql/pglite'
import type { NamedStatement, Queryable } from './database.ts'
import type { EmbeddedConnection } from './embedded-connection.ts'
import { commitMessage, lostBy } from './embedded-responses.ts'
import type { Begin } from './transactions.ts'

/** Runs statements on the embedded database without the overhead of `PGlite.query`. */
export interface EmbeddedStatements {
  /** Runs a statement. A named statement is parsed once and can reuse its plan, as on a connection to a PostgreSQL server. */
  run<Row extends object>(statement: NamedStatement, values: readonly unknown[]): Promise<Row[]>
  /** Opens a transaction, in which named statements stay prepared. */
  readonly begin: Begin<Queryable>
}

interface Prepared {
  readonly text: string
  readonly write: readonly ((value: unknown) => string)[]
  readonly columns: readonly { readonly name: string; readonly read: (text: string) => unknown }[]
}

const { serialize } = protocol
const nothing: Uint8Array = new Uint8Array(0)
const begin = serialize.query('begin')
const rollback = serialize.query('rollback')
const asText = (value: unknown): string => String(value)
const asIs = (text: string): string => text
// 0A000: the statement's result type has changed. 26000: the statement was deallocated.
const staleStates = new Set(['0A000', '26000'])

/**
 * Creates functions that run statements on a connection. `PGlite.query` parses each statement and waits for the database
 * thread twice. For a statement that is already prepared, these functions skip the parsing and wait for the thread once.
 * Like `PGlite.query`, they convert values, rows and errors. A statement outside a transaction waits until no transaction
 * is open.
 */
export const createEmbeddedStatements = (connection: EmbeddedConnection): EmbeddedStatements => {
  const prepared = new Map<string, Prepared>()

  // The message ends with a sync, after which the session accepts statements again, even after an error.
  const send = (...messageParts: Uint8Array[]) => connection.exchange(Buffer.concat([...messageParts, serialize.sync()]))

  const prepare = async ({ name, text }: NamedStatement, before: Uint8Array): Promise<Prepared> => {
    const close = serialize.close({ type: 'S', name })
    const responses = await send(before, close, serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    const parameters = responses.find((response) => response instanceof messages.ParameterDescriptionMessage)
    if (!parameters) throw connection.abandon(lostBy())
    const rows = responses.find((response) => response instanceof messages.RowDescriptionMessage)
    const statement = {
      text,
      write: parameters.dataTypeIDs.map((type) => connection.serializers[type] ?? asText),
      columns: (rows?.fields ?? []).map(({ name: column, dataTypeID }) => ({ name: column, read: connection.parsers[dataTypeID] ?? asIs })),
    }
    prepared.set(name, statement)
    return statement
  }

  const execute = async (statement: NamedStatement, values: readonly unknown[], before: Uint8Array) => {
    // An unnamed statement stays prepared only until the next unnamed statement or a simple query such as `begin`.
    const existing = statement.name === '' ? undefined : prepared.get(statement.name)
    const isPrepared = existing?.text === statement.text
    const { write, columns } = isPrepared ? existing : await prepare(statement, before)
    const written = values.map((value, position) => (value === null || value === undefined ? null : (write[position] ?? asText)(value)))
    const responses = await send(
      isPrepared ? before : nothing,
      serialize.bind({ statement: statement.name, values: written }),
      serialize.execute(),
    )
    // Without `bindComplete`, the statement did not run. `exchange` does not always detect this, because `begin` may have been
    // sent together with the statement. If PostgreSQL then crashes after `begin`, the last response is the `ReadyForQuery` of
    // `begin`, which `exchange` accepts.
    if (!responses.some((response) => response.name === 'bindComplete')) throw connection.abandon(lostBy())
    const rows = responses.filter((response) => response instanceof messages.DataRowMessage)
    const readField = (text: string | null, position: number) => {
      const column = columns[position] as Prepared['columns'][number]
      return [column.name, text === null ? null : column.read(text)] as const
    }
    return rows.map(({ fields }) => Object.fromEntries(fields.map(readField)))
  }

  // Holds PGlite's lock for statements while the statement runs. The caller must already hold PGlite's lock for transactions,
  // which `exclusive` takes.
  const executeAlone = <Row extends object>(statement: NamedStatement, values: readonly unknown[], before = nothing): Promise<Row[]> =>
    connection._runExclusiveQuery(async () => {
      try {
        return (await execute(statement, values, before)) as Row[]
      } catch (error) {
        if (!(error instanceof messages.DatabaseError)) throw error
        if (staleStates.has(error.code ?? '')) prepared.delete(statement.name)
        throw Object.assign(error, { query: statement.text, params: values, queryOptions: undefined })
      }
    })

  const exclusive = async <T>(run: () => Promise<T>): Promise<T> => {
    await connection._checkReady()
    return connection._runExclusiveTransaction(run)
  }

  return {
    run: (statement, values) => exclusive(() => executeAlone(statement, values)),
    begin: (run) =>
      exclusive(async () => {
        const end = (command: Uint8Array) => connection._runExclusiveQuery(() => connection.exchange(command))
        // `begin` is sent with the first statement, which saves one message.
        let before = begin
        try {
          const result = await run({
            query: (statement, values = []) => {
              const first = before
              before = nothing
              return executeAlone(typeof statement === 'string' ? { name: '', text: statement } : statement, values, first)
            },
          })
          if (before !== begin) await end(commitMessage)
          return result
        } catch (error) {
          if (before !== begin && !connection.closed) await end(rollback)
          throw error
        }
      }),
  }
}
