import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql'
import type { CacheInvalidation } from './cache-invalidation.ts'
import type { NamedStatement, Queryable, Transaction } from './database.ts'
import { isDeadlock } from './failures.ts'

/** Calls `run` in a new transaction. Commits when `run` resolves; rolls back when `run` rejects. */
export type Begin<On extends Queryable> = <T>(run: (on: On) => Promise<T>) => Promise<T>

const maxAttempts = 3

/**
 * Runs `work` in a transaction. When the transaction commits, invalidates the cache tags that `work` passed to `invalidate`.
 * When it ends, calls the listeners that `work` passed to `onEnd`. After a deadlock, `work` runs again, up to three times in
 * total.
 */
export const inTransaction = async <On extends Queryable, T>(
  begin: Begin<On>,
  invalidation: Pick<CacheInvalidation, 'publishOnCommit' | 'applyLocally'>,
  work: (transaction: On & Omit<Transaction, 'query'>) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    const tags = new Set<string>()
    const endListeners: ((committed: boolean) => void)[] = []
    let committed = false
    try {
      const result = await begin(async (on) => {
        const value = await work({
          ...on,
          invalidate: (tag) => void tags.add(tag),
          onEnd: (listener) => void endListeners.push(listener),
        })
        if (tags.size > 0) await invalidation.publishOnCommit(on, [...tags])
        return value
      })
      committed = true
      invalidation.applyLocally(tags)
      return result
    } catch (error) {
      if (attempt >= maxAttempts || !isDeadlock(error)) throw error
    } finally {
      for (const listener of endListeners) listener(committed)
    }
  }
}

interface KyselyTransaction {
  executeQuery(query: {
    sql: unknown
    parameters: readonly unknown[]
    query: { kind: 'RawNode' }
    queryId: { queryId: string }
  }): Promise<{ rows: unknown[] }>
}

/** Converts a statement to an argument for the driver: its text, or an object if the driver should prepare it. */
export type ToDriver = (statement: string | NamedStatement) => unknown

/** Returns a {@link Queryable} that runs statements in the open transaction of an entity manager. */
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

/** Returns a function that opens transactions, each with a new ORM unit of work. */
export const unitsOfWork =
  (orm: MikroORM, toDriver: ToDriver): Begin<Queryable & { readonly em: SqlEntityManager }> =>
  (run) =>
    orm.em.fork().transactional((inner) => {
      const em = inner as SqlEntityManager
      return run({ em, ...queryableOf(em, toDriver) })
    })
