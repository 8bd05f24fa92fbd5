import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createBatcher } from './batcher.ts'

const setUp = (limits: Partial<Parameters<typeof createBatcher>[0]> = {}) => {
  const batches: { names: string[]; end: PromiseWithResolvers<void> }[] = []
  const add = createBatcher<{ name: string; size: number }, string>({ concurrency: 2, items: 3, size: 100, ...limits }, (items) => {
    const batch = { names: items.map(({ name }) => name), end: Promise.withResolvers<void>() }
    batches.push(batch)
    return batch.end.promise.then(() => batch.names.map((name) => `${name} done`))
  })
  const addAll = (names: string, size = 1) => [...names].map((name) => add({ name, size }))
  return { batches, addAll, names: () => batches.map((batch) => batch.names.join('')) }
}

it('starts a batch immediately below the concurrency limit, and collects items for the next batch at the limit', async () => {
  const { batches, addAll, names } = setUp()
  const first = addAll('a')
  await turn()
  void addAll('b')
  await turn()
  void addAll('cd')
  await turn()
  void addAll('e')
  await turn()
  expect(names()).toEqual(['a', 'b'])
  batches[0]?.end.resolve()
  expect(await Promise.all(first)).toEqual(['a done'])
  await turn()
  expect(names()).toEqual(['a', 'b', 'cde'])
})

it('limits batches by count and by size', async () => {
  const byCount = setUp({ concurrency: 9 })
  void byCount.addAll('abcdefg')
  await turn()
  expect(byCount.names()).toEqual(['abc', 'def', 'g'])

  const bySize = setUp({ concurrency: 9 })
  void bySize.addAll('a', 60)
  void bySize.addAll('b', 40)
  void bySize.addAll('c', 500)
  void bySize.addAll('d')
  await turn()
  expect(bySize.names()).toEqual(['ab', 'c', 'd'])
})

it('rejects the items in a failed batch and continues with the next batch', async () => {
  const { batches, addAll } = setUp({ concurrency: 1, items: 1 })
  const [first, second] = addAll('ab')
  await turn()
  batches[0]?.end.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await turn()
  batches[1]?.end.resolve()
  await second
})

it('starts another batch only when a third of the recent maximum is waiting', async () => {
  const { batches, addAll, names } = setUp({ items: 99 })
  void addAll('abcdef')
  await turn()
  void addAll('g')
  await turn()
  expect(names()).toEqual(['abcdef'])
  void addAll('hi')
  await turn()
  expect(names()).toEqual(['abcdef', 'ghi'])
  // After all batches have ended, a single item starts a batch.
  for (const { end } of batches) end.resolve()
  await turn()
  await turn()
  void addAll('j')
  await turn()
  expect(names()).toEqual(['abcdef', 'ghi', 'j'])
})

it('starts a small batch after 5 ms', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { addAll, names } = setUp({ items: 99 })
  void addAll('abcdef')
  await turn()
  void addAll('g')
  await turn()
  expect(names()).toEqual(['abcdef'])
  vi.advanceTimersByTime(5)
  expect(names()).toEqual(['abcdef', 'g'])
})

it('with drainsEventLoop, starts a batch only after a turn that adds no item', async () => {
  const { addAll, names } = setUp({ items: 99, drainsEventLoop: true })
  void addAll('a')
  setImmediate(() => {
    void addAll('b')
    setImmediate(() => void addAll('c'))
  })
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(names()).toEqual(['abc'])
})
