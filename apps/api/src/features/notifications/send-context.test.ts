import { expect, it } from 'vitest'
import { createCache } from '../../shared/cache.ts'
import { newUuid, toId } from '../../shared/ids.ts'
import type { ResolvedBody } from './resolve-project-and-flow.ts'
import { loadContext, type SendContextDeps } from './send-context.ts'

it('caches a project for its user alone, so the response time of a rejection reveals nothing about other users', async () => {
  const queriedUsers: unknown[] = []
  const database = {
    query: async (_statement: unknown, values: readonly unknown[]) => {
      queriedUsers.push(values.at(-1))
      return values.at(-1) === 'alice' ? [{ id: null }] : []
    },
  }
  const cache = createCache({ nowMs: () => 0 })
  cache.onReconnect()
  const deps = { database, cache, credentials: { find: async () => undefined } } as unknown as SendContextDeps
  const body = { project_id: toId('project', newUuid()), subject: 's', message: 'm', message_type: 'text/plain' } as ResolvedBody
  const as = (userId: string) => loadContext(deps, { userId, scopes: [], mode: 'live', credentialId: userId, rateLimitKey: userId }, body)

  expect(await as('alice')).toMatchObject({ userId: 'alice', flows: [] })
  await as('alice')
  await expect(as('bob')).rejects.toMatchObject({ code: 'not_found' })
  expect(queriedUsers).toEqual(['alice', 'bob'])
})
