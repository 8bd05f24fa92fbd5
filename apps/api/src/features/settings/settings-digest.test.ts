import { expect, it } from 'vitest'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import { createCache } from '../../shared/cache.ts'
import { newUuid } from '../../shared/ids.ts'
import { createSettingsDigests } from './settings-digest.ts'

const project = { id: newUuid(), name: 'Billing', key: 'billing', created_at: new Date(0), updated_at: new Date(0) }
const flow = { id: newUuid(), key: 'ops', updated_at: new Date(0), message_template: '{{message}}' }
const alice = { userId: 'alice', scopes: [], mode: 'live', credentialId: 'a', rateLimitKey: 'a' } satisfies Principal

const setup = (message_template: string | null = '{{message}}') => {
  const template = { message_template }
  const statements: string[] = []
  const answer = (text: string): unknown[] => {
    statements.push(text)
    if (text.includes('from projects')) return [project]
    if (text.includes('count(*)')) return [{ count: 0 }]
    return text.includes('from flows') ? [{ ...flow, ...template }] : []
  }
  const transaction = {
    query: async (statement: string | { readonly text: string }) => answer(typeof statement === 'string' ? statement : statement.text),
  }
  const database = { transaction: (work: (on: typeof transaction) => unknown) => work(transaction) }
  const cache = createCache({ nowMs: () => 0 })
  cache.onReconnect()
  return { statements, template, cache, find: createSettingsDigests({ database, cache } as never) }
}

it('reads the settings of a project once, in one snapshot, until they change', async () => {
  const { statements, template, cache, find } = setup()
  const first = await find(alice, 'billing')
  expect(statements[0]).toBe('set transaction isolation level repeatable read, read only')
  const count = statements.length
  template.message_template = 'New: {{message}}'
  expect(await find(alice, 'billing')).toBe(first)
  expect(statements).toHaveLength(count)
  cache.invalidate(projectTag(project.id))
  expect(await find(alice, 'billing')).not.toBe(first)
  expect(statements).toHaveLength(2 * count)
})

it('caches the digest of a project separately for each user and bound project', async () => {
  const { statements, find } = setup()
  await find(alice, 'billing')
  const count = statements.length
  await find({ ...alice, userId: 'bob' }, 'billing')
  expect(statements).toHaveLength(2 * count)
  expect(await find({ ...alice, projectId: newUuid() }, 'billing')).toBeUndefined()
})

it('returns `none`, which equals no digest, if the settings are too large', async () => {
  expect(await setup(null).find(alice, 'billing')).toBe('none')
})
