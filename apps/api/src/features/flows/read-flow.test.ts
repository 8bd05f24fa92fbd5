import { beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { createCache } from '../../shared/cache.ts'
import { newUuid, toId } from '../../shared/ids.ts'
import type { FlowWithHealthRow } from './flow.serializer.ts'
import { createFlowReader } from './read-flow.ts'

const projectId = newUuid()
const row = {
  id: newUuid(),
  project_id: projectId,
  name: 'Operations',
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
  key: null,
  health_status: 'unknown',
  health_code: null,
  health_detail: null,
  health_since: null,
  checked_at: null,
  created_at: new Date(),
  updated_at: new Date(),
} satisfies FlowWithHealthRow

let queries = 0
let read: (userId: string, flowId: string, boundTo?: string) => Promise<unknown>
beforeEach(() => {
  queries = 0
  const query = async (_statement: unknown, [flowIds, projectIds, userIds]: readonly string[][] = []) => {
    queries += 1
    const matches = (position: number) =>
      flowIds?.[position] === row.id && projectIds?.[position] === projectId && userIds?.[position] === 'alice'
    return (flowIds ?? []).flatMap((_, position) => (matches(position) ? [{ ...row, position }] : []))
  }
  const cache = createCache({ nowMs: () => 0 })
  cache.onReconnect()
  const deps = { database: { query } as unknown as Database, cache, channels: { get: () => undefined, ids: [] } }
  const readFlow = createFlowReader(deps)
  read = (userId, flowId, boundTo) => {
    const bound = boundTo === undefined ? {} : { projectId: boundTo }
    const principal: Principal = { userId, scopes: ['settings:read'], mode: 'live', credentialId: 'key', rateLimitKey: 'key', ...bound }
    return readFlow(principal, { project_id: toId('project', projectId), flow_id: flowId }).catch(({ code }) => code)
  }
})

describe('reading a flow', () => {
  const flowId = toId('flow', row.id)

  it('queries the database once for repeated reads', async () => {
    for (let times = 0; times < 3; times += 1) expect(await read('alice', flowId)).toMatchObject({ flow: { id: flowId } })
    expect(queries).toBe(1)
  })

  it('serves concurrent requests with one query, and returns each caller its own result', async () => {
    const [ofAlice, ofBob, missing] = await Promise.all([
      read('alice', flowId),
      read('bob', flowId),
      read('alice', toId('flow', newUuid())),
    ])
    expect(ofAlice).toMatchObject({ flow: { id: flowId } })
    expect([ofBob, missing]).toEqual(['not_found', 'not_found'])
    expect(queries).toBe(1)
  })

  it("queries the database on each read of another user's or a missing flow, so that response times reveal nothing", async () => {
    await read('alice', flowId)
    queries = 0
    for (let times = 0; times < 3; times += 1) expect(await read('bob', flowId)).toBe('not_found')
    expect(queries).toBe(3)
    queries = 0
    for (let times = 0; times < 3; times += 1) expect(await read('bob', toId('flow', newUuid()))).toBe('not_found')
    expect(queries).toBe(3)
  })

  it('never returns a cached flow to a key for another project, or to a user with a similar id', async () => {
    await read('alice', flowId)
    await read('alice', flowId, projectId)
    for (const [userId, boundTo] of [['alice', newUuid()], [`${projectId} 5 alice`], ['5 alice'], [' alice'], ['lice', projectId]] as const)
      expect(await read(userId, flowId, boundTo)).toBe('not_found')
  })
})
