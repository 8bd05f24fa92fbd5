import { onFreshConnection } from './fresh-connection.ts'
import { DatabaseStartupError } from './startup.ts'

const withinMs = 5_000
const backendPid = 'select pg_backend_pid() as pid'

const needed =
  'Flowpost needs a session of its own for each connection: it uses LISTEN, advisory locks and prepared statements. Set pool_mode = session for this database in PgBouncer, or let DATABASE_URL lead to PostgreSQL directly (docs/operations.md).'

/**
 * Refuses a pooler that shares connections between clients while they are idle, as PgBouncer does in transaction and statement
 * mode. Flowpost would start behind one, and fail at the first request. While a second client is in a transaction, the first
 * asks twice which process of the server serves it: only such a pooler gives it another one.
 * @throws DatabaseStartupError with what to change.
 */
export const requireSessionPooling = (url: string): Promise<void> =>
  onFreshConnection(url, withinMs, async (first) => {
    const pidOf = async () => (await first.query<{ pid: number }>(backendPid)).rows[0]?.pid
    const before = await pidOf()
    const after = await onFreshConnection(url, withinMs, async (second) => {
      await second.query('begin').catch((error: Error) => {
        if (/statement pooling/.test(error.message))
          throw new DatabaseStartupError(`DATABASE_URL leads to a pooler in statement mode. ${needed}`)
        throw error
      })
      await second.query(backendPid)
      const pid = await pidOf()
      await second.query('rollback')
      return pid
    })
    if (before !== after) throw new DatabaseStartupError(`DATABASE_URL leads to a pooler in transaction mode. ${needed}`)
  })
