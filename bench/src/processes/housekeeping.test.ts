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
