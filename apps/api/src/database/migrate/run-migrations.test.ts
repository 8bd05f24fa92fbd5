import { describe, expect, it } from 'vitest'
import type { Queryable } from '../database.ts'
import type { Migration } from './migration.ts'
import { runMigrations } from './run-migrations.ts'

const add: Migration = { name: '1-add', statements: ['alter table flows add column notes text'] }
const index: Migration = { name: '2-index', transactional: false, statements: ['create index concurrently a on flows (id)', 'select 1'] }

/**
 * Runs a migration on a session whose `alter table` statements fail `failures` times. Returns all statements, without
 * their values.
 */
const run = async (migration: Migration, failures: number, code = '55P03') => {
  const statements: string[] = []
  const logged: object[] = []
  let left = failures
  const query: Queryable['query'] = async <T>(statement: unknown): Promise<T[]> => {
    if (String(statement).includes('from pg_class')) return [{ name: 'flows' }] as T[]
    statements.push(String(statement))
    if (!String(statement).startsWith('alter') || left === 0) return []
    left -= 1
    throw Object.assign(new Error('canceling statement due to lock timeout'), { code })
  }
  const options = { migrations: [migration], pending: [migration], release: '1.0.0', retryAfterMs: 0 }
  await runMigrations({ query }, { ...options, log: { warn: (fields) => void logged.push(fields) } })
  return { statements, logged }
}

describe('a migration', () => {
  it('limits every wait for a lock inside its transaction', async () => {
    const { statements } = await run(add, 0)
    const start = statements.indexOf(add.statements[0] ?? '')
    expect(statements.slice(start - 1, start)).toEqual(['set local lock_timeout = 500'])
    expect(statements).toContain('set statement_timeout = 0')
    expect(statements.indexOf('commit')).toBeGreaterThan(statements.findIndex((text) => text.startsWith('insert into flowpost_migrations')))
  })

  it.each(['55P03', '40P01'])('is rolled back and retried after %s', async (code) => {
    const { statements, logged } = await run(add, 2, code)
    expect(statements.filter((text) => text === 'begin')).toHaveLength(3)
    expect(statements.filter((text) => text === 'rollback')).toHaveLength(2)
    expect(logged).toMatchObject([{ migration: '1-add', attempt: 1 }, { attempt: 2 }])
  })

  it('fails after thirty attempts and explains how to find the lock', async () => {
    await expect(run(add, 30)).rejects.toThrow(
      /^The migration 1-add did not get a lock in 30 attempts.*pg_stat_activity.*`pnpm migrate` again/,
    )
  })

  it('is not retried after any other error, which names the migration', async () => {
    await expect(run(add, 1, '42P01')).rejects.toThrow(
      'The migration 1-add failed, and was not recorded as applied: canceling statement due to lock timeout (SQLSTATE 42P01). ' +
        'Fix the cause, then run `pnpm migrate` again.',
    )
  })

  it.each(['08006', '42501'])('rejects with the original error after %s, which is explained elsewhere', async (code) => {
    await expect(run(add, 1, code)).rejects.toMatchObject({ name: 'Error', code })
  })

  it('ends autovacuums on its tables before it waits for a lock that delays messages', async () => {
    const { statements } = await run(add, 0)
    const start = statements.indexOf('begin')
    expect(statements.slice(start, start + 5)).toEqual([
      'begin',
      'set local lock_timeout = 3000',
      'lock table flows in share update exclusive mode',
      'set local lock_timeout = 500',
      add.statements[0],
    ])
  })

  it("that is not transactional limits each statement's lock wait, and allows a long wait for building indexes", async () => {
    const { statements } = await run(index, 0)
    const start = statements.indexOf('set lock_timeout = 600000')
    expect(statements.slice(start, start + 4)).toEqual([
      'set lock_timeout = 600000',
      index.statements[0],
      'set lock_timeout = 500',
      'select 1',
    ])
    expect(statements).not.toContain('begin')
  })
})
