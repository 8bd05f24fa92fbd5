import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql'
import type { Queryable, Transaction } from './database.ts'

interface KyselyTransaction {
  executeQuery(query: {
    sql: string
    parameters: readonly unknown[]
    query: { kind: 'RawNode' }
    queryId: { queryId: string }
  }): Promise<{ rows: unknown[] }>
}

/** SQL on the connection that an entity manager's open transaction holds. */
const queryableOf = (em: SqlEntityManager): Queryable => {
  const context = em.getTransactionContext() as unknown as KyselyTransaction
  return {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      const result = await context.executeQuery({
        sql: text,
        parameters: values,
        query: { kind: 'RawNode' },
        queryId: { queryId: 'flowpost' },
      })
      return result.rows as Row[]
    },
  }
}

/** Runs `work` in one transaction of a fresh unit of work. */
export const inTransaction = <T>(orm: MikroORM, work: (transaction: Transaction) => Promise<T>): Promise<T> =>
  (orm.em.fork() as SqlEntityManager).transactional((em) => work({ em: em as SqlEntityManager, ...queryableOf(em as SqlEntityManager) }))
