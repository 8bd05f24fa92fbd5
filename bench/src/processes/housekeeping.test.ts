import { expect, it } from 'vitest'
import { createHousekeeping } from './housekeeping.ts'

it('undoes everything once, last first, although a step fails', async () => {
  const done: string[] = []
  const { later, undoAll } = createHousekeeping()
  later(async () => done.push('database'))
  later(() => Promise.reject(new Error('stuck')))
  later(async () => done.push('server'))

  await expect(undoAll()).rejects.toThrow('stuck')
  await undoAll()
  expect(done).toEqual(['server', 'database'])
})

it('lets everybody who asks wait until all is undone', async () => {
  const done: string[] = []
  const { later, undoAll } = createHousekeeping()
  const server = Promise.withResolvers<void>()
  later(async () => done.push('database'))
  later(() => server.promise.then(() => done.push('server')))

  const first = undoAll()
  const second = undoAll().then(() => done.push('told'))
  server.resolve()
  await Promise.all([first, second])
  expect(done).toEqual(['server', 'database', 'told'])
})
