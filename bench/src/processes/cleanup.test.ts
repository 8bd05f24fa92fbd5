import { expect, it } from 'vitest'
import { createCleanup } from './cleanup.ts'

it('runs every step once in reverse order when a step fails', async () => {
  const done: string[] = []
  const { defer, cleanUp } = createCleanup()
  defer(async () => done.push('database'))
  defer(() => Promise.reject(new Error('stuck')))
  defer(async () => done.push('server'))

  await expect(cleanUp()).rejects.toThrow('stuck')
  await cleanUp()
  expect(done).toEqual(['server', 'database'])
})

it('resolves concurrent calls when all steps have run', async () => {
  const done: string[] = []
  const { defer, cleanUp } = createCleanup()
  const server = Promise.withResolvers<void>()
  defer(async () => done.push('database'))
  defer(() => server.promise.then(() => done.push('server')))

  const first = cleanUp()
  const second = cleanUp().then(() => done.push('second call'))
  server.resolve()
  await Promise.all([first, second])
  expect(done).toEqual(['server', 'database', 'second call'])
})
