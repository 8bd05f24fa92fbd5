import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql'
import type { Changes } from './changes.ts'
import type { NamedStatement, Queryable, Transaction } from './database.ts'
import { isDeadlock } from './failures.ts'

interface KyselyTransaction {
  executeQuery(query: {
    sql: unknown
    parameters: readonly unknown[]
    query: { kind: 'RawNode' }
    queryId: { queryId: string }
  }): Promise<{ rows: unknown[] }>
}

/** What the driver of a database is given for a statement: its text, or what makes it prepare the statement. */
export type ToDriver = (statement: string | NamedStatement) => unknown

/** SQL on the connection that an entity manager's open transaction holds. */
const queryableOf = (em: SqlEntityManager, toDriver: ToDriver): Queryable => {
  const context = em.getTransactionContext() as unknown as KyselyTransaction
  return {
    query: async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) => {
      const result = await context.executeQuery({
        sql: toDriver(statement),
        parameters: values,
        query: { kind: 'RawNode' },
        queryId: { queryId: 'flowpost' },
      })
      return result.rows as Row[]
    },
  }
}

const mostTries = 3

/**
 * Runs `work` in one transaction of a fresh unit of work. When the database ends it because two
 * transactions waited for each other, it runs again: nothing of the first run is left.
 */
export const inTransaction = async <T>(
  orm: MikroORM,
  changes: Pick<Changes, 'tellAtCommit' | 'apply'>,
  toDriver: ToDriver,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    const em = orm.em.fork() as SqlEntityManager
    const topics = new Set<string>()
    const changed = (topic: string) => void topics.add(topic)
    try {
      const result = await em.transactional(async (inner) => {
        const queryable = queryableOf(inner as SqlEntityManager, toDriver)
        const worked = await work({ em: inner as SqlEntityManager, changed, ...queryable })
        if (topics.size > 0) await changes.tellAtCommit(queryable, [...topics])
        return worked
      })
      changes.apply(topics)
      return result
    } catch (error) {
      if (tries >= mostTries || !isDeadlock(error)) throw error
    }
  }
}
