import { expect, it } from 'vitest'
import type { Queryable } from '../../database/database.ts'
import { type CredentialQuery, type Credentials, oncePerBatch } from './credentials.ts'

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
