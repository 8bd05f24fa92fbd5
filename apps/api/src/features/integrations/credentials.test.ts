import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Queryable } from '../../database/database.ts'
import { createEncryption } from '../../shared/encryption.ts'
import { type CredentialQuery, type Credentials, createCredentials, oncePerBatch } from './credentials.ts'

it('reads each credential once per batch, and the credentials for different queries separately', async () => {
  const reads: CredentialQuery[] = []
  const credentials: Credentials = {
    find: async (_on, query) => {
      reads.push(query)
      return query.ownOnly ? undefined : { id: JSON.stringify(query), settings: {}, open: () => ({ settings: {}, secrets: {} }) }
    },
  }
  const batch = oncePerBatch(credentials)
  const query = { userId: 'alice', projectId: 'p1', sourceType: 'smtp' }
  const queries = [
    query,
    { ...query, ownOnly: true },
    { ...query, userId: 'bob' },
    { ...query, projectId: 'p2' },
    { ...query, sourceType: 'slack' },
  ]
  const on = {} as Queryable
  for (let round = 0; round < 2; round += 1)
    for (const each of queries) expect((await batch.find(on, each))?.id).toBe(each === queries[1] ? undefined : JSON.stringify(each))
  expect(reads).toEqual(queries)
})

it('returns the same secrets for all messages of a batch', async () => {
  const row = { id: 'i1', project_id: 'p1', source_type: 'smtp', settings: {}, secrets: null, updated_at: '2026-01-02T00:00:00Z' }
  const credentials = createCredentials({
    encryption: createEncryption([]),
    log: pino({ enabled: false }),
    deployment: new Map(),
    sharedWith: 'none',
  })
  const found = await credentials.find({ query: async () => [row] } as unknown as Queryable, {
    userId: 'alice',
    projectId: 'p1',
    sourceType: 'smtp',
  })
  expect(found?.open().secrets).toBe(found?.open().secrets)
})
