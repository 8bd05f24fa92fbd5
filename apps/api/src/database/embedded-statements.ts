import { messages, type PGlite, protocol } from '@electric-sql/pglite'
import type { NamedStatement } from './database.ts'

/** Runs named statements: parsed and planned once, as a connection to a server does it. */
export type RunNamed = <Row extends object>(statement: NamedStatement, values: readonly unknown[]) => Promise<Row[]>

interface Prepared {
  readonly text: string
  readonly write: readonly ((value: unknown) => string)[]
  readonly columns: readonly { readonly name: string; readonly read: (text: string) => unknown }[]
}

const { serialize } = protocol
const asText = (value: unknown): string => String(value)
const asIs = (text: string): string => text
// 0A000: what the statement gives has changed since; 26000: somebody has deallocated it.
const staleStates = new Set(['0A000', '26000'])

/**
 * `PGlite.query` sends a statement in six calls into WebAssembly, each time: parse, describe, bind, describe, execute and
 * sync. One that is prepared is bound and executed in a single call. Values are written, rows read and errors told as
 * `PGlite.query` does it. It waits for an open transaction to end, as that does too.
 */
export const createNamedStatements = (pglite: PGlite): RunNamed => {
  const known = new Map<string, Prepared>()

  // It always ends with a sync, which the session needs to go on after an error.
  const send = (...parts: Uint8Array[]) => pglite.execProtocolStream(Buffer.concat([...parts, serialize.sync()]))

  const prepare = async ({ name, text }: NamedStatement): Promise<Prepared> => {
    const close = serialize.close({ type: 'S', name })
    const answers = await send(close, serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    const parameters = answers.find((answer) => answer instanceof messages.ParameterDescriptionMessage)
    const rows = answers.find((answer) => answer instanceof messages.RowDescriptionMessage)
    const prepared = {
      text,
      write: (parameters?.dataTypeIDs ?? []).map((type) => pglite.serializers[type] ?? asText),
      columns: (rows?.fields ?? []).map(({ name: column, dataTypeID }) => ({ name: column, read: pglite.parsers[dataTypeID] ?? asIs })),
    }
    known.set(name, prepared)
    return prepared
  }

  const execute = async (statement: NamedStatement, values: readonly unknown[]) => {
    const same = known.get(statement.name)
    const { write, columns } = same?.text === statement.text ? same : await prepare(statement)
    const written = values.map((value, position) => (value === null || value === undefined ? null : (write[position] ?? asText)(value)))
    const answers = await send(serialize.bind({ statement: statement.name, values: written }), serialize.execute())
    const rows = answers.filter((answer) => answer instanceof messages.DataRowMessage)
    const readField = (text: string | null, position: number) => {
      const column = columns[position] as Prepared['columns'][number]
      return [column.name, text === null ? null : column.read(text)] as const
    }
    return rows.map(({ fields }) => Object.fromEntries(fields.map(readField)))
  }

  return async <Row extends object>(statement: NamedStatement, values: readonly unknown[]) => {
    await pglite._checkReady()
    // The first lock is that of transactions, the second one that of the session.
    const rows = await pglite._runExclusiveTransaction(() =>
      pglite._runExclusiveQuery(async () => {
        try {
          return await execute(statement, values)
        } catch (error) {
          if (!(error instanceof messages.DatabaseError)) throw error
          if (staleStates.has(error.code ?? '')) known.delete(statement.name)
          throw Object.assign(error, { query: statement.text, params: values, queryOptions: undefined })
        }
      }),
    )
    return rows as Row[]
  }
}
