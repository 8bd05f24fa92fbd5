import { DatabaseStartupError } from '../until-available.ts'
import { onFreshConnection } from './fresh-connection.ts'

const timeoutMs = 5_000
const backendPid = 'select pg_backend_pid() as pid'

const remedy =
  'Flowpost needs session pooling, because it uses LISTEN, advisory locks and prepared statements. Set pool_mode = session for this database in PgBouncer, or connect DATABASE_URL to PostgreSQL directly (docs/operations.md).'

/**
 * Rejects a `DATABASE_URL` that connects to a pooler in transaction or statement mode, because requests would fail behind
 * such a pooler.
 * @throws DatabaseStartupError, whose message names the setting to change.
 */
export const requireSessionPooling = (url: string): Promise<void> =>
  onFreshConnection(url, timeoutMs, async (first) => {
    const pidOf = async () => (await first.query<{ pid: number }>(backendPid)).rows[0]?.pid
    // With session pooling, `first` always has the same server process. In transaction mode, the pooler gives the idle process
    // of `first` to the open transaction of `second`. The next statement on `first` then runs in a different process.
    const before = await pidOf()
    const after = await onFreshConnection(url, timeoutMs, async (second) => {
      await second.query('begin').catch((error: Error) => {
        if (/statement pooling/.test(error.message))
          throw new DatabaseStartupError(`DATABASE_URL connects to a pooler in statement mode. ${remedy}`)
        throw error
      })
      await second.query(backendPid)
      const pid = await pidOf()
      await second.query('rollback')
      return pid
    })
    if (before !== after) throw new DatabaseStartupError(`DATABASE_URL connects to a pooler in transaction mode. ${remedy}`)
  })
