import { expect, it, vi } from 'vitest'
import type { Queryable } from './database.ts'
import { type Begin, inTransaction } from './transactions.ts'

const on: Queryable = { query: async () => [] }
const invalidation = { publishOnCommit: async () => {}, applyLocally: () => {} }
const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' })

/** Runs a transaction that calls a listener at its end. Returns what happened, in order. */
const run = async (fails: { readonly work?: () => Error | undefined; readonly commit?: Error } = {}): Promise<unknown[]> => {
  const happened: unknown[] = []
  const begin: Begin<Queryable> = async (work) => {
    const result = await work(on)
    if (fails.commit) throw fails.commit
    happened.push('commit')
    return result
  }
  await inTransaction(begin, invalidation, async (transaction) => {
    transaction.onEnd((committed) => void happened.push({ committed }))
    happened.push('work')
    const error = fails.work?.()
    if (error) throw error
  }).catch(({ message }: Error) => void happened.push(message))
  return happened
}

it('calls the listeners of the end after the commit', async () => {
  expect(await run()).toEqual(['work', 'commit', { committed: true }])
})

it('calls the listeners of the end after a rollback and after a failed commit', async () => {
  expect(await run({ work: () => new Error('rejected') })).toEqual(['work', { committed: false }, 'rejected'])
  expect(await run({ commit: new Error('lost') })).toEqual(['work', { committed: false }, 'lost'])
})

it('calls the listeners of each attempt, if a deadlock makes the work run again', async () => {
  const work = vi.fn<() => Error | undefined>().mockImplementationOnce(deadlock)
  expect(await run({ work })).toEqual(['work', { committed: false }, 'work', 'commit', { committed: true }])
})
