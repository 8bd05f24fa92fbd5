import { messages, protocol } from '@electric-sql/pglite'
import type { NamedStatement, Queryable } from './database.ts'
import { commitMessage, cutShortMessage, type EmbeddedConnection } from './embedded-connection.ts'
import type { Begin } from './transactions.ts'

/** Statements on the embedded database without the overhead of PGlite's own `query`. */
export interface EmbeddedStatements {
  /** Runs a named statement, which is parsed and planned once, as on a connection to a server. */
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
// 0A000: what the statement gives has changed since; 26000: somebody has deallocated it.
const staleStates = new Set(['0A000', '26000'])

/**
 * Rejects an answer that ends before the statement is complete: it must not pass for a result without rows.
 * A `begin` that travels with the statement completes before the statement is bound.
 */
const requireCompletion = (answers: readonly { readonly name: string }[]): void => {
  const bound = answers.findIndex(({ name }) => name === 'bindComplete')
  const isComplete = answers.some(({ name }, position) => position > bound && (name === 'commandComplete' || name === 'emptyQuery'))
  if (bound < 0 || !isComplete) throw new Error(cutShortMessage)
}

/**
 * `PGlite.query` sends six messages for each statement: parse, describe, bind, describe, execute and sync, each of which
 * waits for the thread of the database. Here a prepared statement is bound and executed with one. Values, rows and errors are
 * converted as `PGlite.query` does, and statements wait for an open transaction to end, as they do there.
 */
export const createEmbeddedStatements = (connection: EmbeddedConnection): EmbeddedStatements => {
  const known = new Map<string, Prepared>()

  // It always ends with a sync, which the session needs to go on after an error.
  const send = (...parts: Uint8Array[]) => connection.execProtocolStream(Buffer.concat([...parts, serialize.sync()]))

  const prepare = async ({ name, text }: NamedStatement, before: Uint8Array): Promise<Prepared> => {
    const close = serialize.close({ type: 'S', name })
    const answers = await send(before, close, serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    const parameters = answers.find((answer) => answer instanceof messages.ParameterDescriptionMessage)
    if (!parameters) throw new Error(cutShortMessage)
    const rows = answers.find((answer) => answer instanceof messages.RowDescriptionMessage)
    const prepared = {
      text,
      write: parameters.dataTypeIDs.map((type) => connection.serializers[type] ?? asText),
      columns: (rows?.fields ?? []).map(({ name: column, dataTypeID }) => ({ name: column, read: connection.parsers[dataTypeID] ?? asIs })),
    }
    known.set(name, prepared)
    return prepared
  }

  const execute = async (statement: NamedStatement, values: readonly unknown[], before: Uint8Array) => {
    // A statement without a name lasts until the next one, or until a simple query such as `begin`.
    const same = statement.name === '' ? undefined : known.get(statement.name)
    const isKnown = same?.text === statement.text
    const { write, columns } = isKnown ? same : await prepare(statement, before)
    const written = values.map((value, position) => (value === null || value === undefined ? null : (write[position] ?? asText)(value)))
    const answers = await send(
      isKnown ? before : nothing,
      serialize.bind({ statement: statement.name, values: written }),
      serialize.execute(),
    )
    requireCompletion(answers)
    const rows = answers.filter((answer) => answer instanceof messages.DataRowMessage)
    const readField = (text: string | null, position: number) => {
      const column = columns[position] as Prepared['columns'][number]
      return [column.name, text === null ? null : column.read(text)] as const
    }
    return rows.map(({ fields }) => Object.fromEntries(fields.map(readField)))
  }

  // PGlite has two locks: the outer one is held by transactions, the inner one by each exchange with the session.
  const executeAlone = <Row extends object>(statement: NamedStatement, values: readonly unknown[], before = nothing): Promise<Row[]> =>
    connection._runExclusiveQuery(async () => {
      try {
        return (await execute(statement, values, before)) as Row[]
      } catch (error) {
        if (!(error instanceof messages.DatabaseError)) throw error
        if (staleStates.has(error.code ?? '')) known.delete(statement.name)
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
        const end = (command: Uint8Array) =>
          connection._runExclusiveQuery(async () => {
            const answers = await send(command)
            if (!answers.some(({ name }) => name === 'commandComplete')) throw new Error(cutShortMessage)
          })
        // `begin` travels with the first statement, to save a call.
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
          if (before !== begin) await end(rollback)
          throw error
        }
      }),
  }
}
