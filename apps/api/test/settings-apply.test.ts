import { createFlowpostMock } from '@flowpost/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { fromId } from '../src/shared/ids.ts'
import { onDatabase } from './support/direct-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import { createFlow, flowPath, flowsPath, send } from './support/resources.ts'
import { describeSettingsRoundTrip } from './support/settings-round-trip.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    env: { FLOWPOST_CAPTURE: 'on', FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const flow = (key: string, fields: object = {}) => ({
  key,
  name: key,
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
  ...fields,
})

let count = 0
const documentOf = (flows: readonly object[]) => {
  count += 1
  return { project: { key: `applied-${count}`, name: `Applied ${count}` }, flows }
}

const apply = (json: object, headers: Readonly<Record<string, string>> = {}) =>
  server.request('POST', '/v1/settings/apply', { json, headers })
const exportOf = (projectId: string) => server.request('GET', `/v1/settings/projects/${projectId}/export`)

/** Sends messages that are due tomorrow, with `deliveries` recipients in total, which must be a multiple of 100. */
const schedule = async (to: TestServer, projectId: string, deliveries: number): Promise<void> => {
  const send_at = new Date(Date.now() + 86_400_000).toISOString()
  const target = Array.from({ length: 100 }, (_, index) => `smtp:user-${index}@example.com`).join(';')
  for (let sent = 0; sent < deliveries; sent += 100) await send(to, projectId, { send_at, target })
}

describe('applying a settings document', () => {
  describeSettingsRoundTrip('on the server', () => server.client(), { runs: 25, seed: 1 })
  describeSettingsRoundTrip('on the mock', () => createFlowpostMock().client(), { runs: 50, seed: 1 })

  it('changes nothing if the last of 200 flows is invalid, or the project name is taken', async () => {
    const flows = Array.from({ length: 200 }, (_, index) => flow(`flow-${index}`))
    const document = documentOf(flows)
    const { json } = await apply(document)
    const before = await exportOf(json.project_id)
    const renamed = flows.map((each) => ({ ...each, name: 'Renamed' }))
    const { project } = await createFlow(server)

    const invalid = await apply({ ...document, flows: [...renamed.slice(0, 199), { ...renamed[199], target: 'no where?' }] })
    const taken = await apply({ ...document, flows: renamed, project: { ...document.project, name: project.name } })

    expect([invalid.status, invalid.json.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, ['/flows/199/target']])
    expect([taken.status, taken.json.code]).toEqual([409, 'project_name_taken'])
    expect((await exportOf(json.project_id)).json).toEqual(before.json)
  })

  it('changes nothing if the database rejects the last of 200 flows after the others are written', async () => {
    const database = await acquireDatabase()
    await onDatabase(database, (query) => query(`alter table flows add constraint rejected check (name <> 'Rejected')`))
    await using other = await startTestServer({ database })
    const applyThere = (json: object) => other.request('POST', '/v1/settings/apply', { json })
    const document = documentOf(Array.from({ length: 199 }, (_, index) => flow(`flow-${index}`)))
    const { json } = await applyThere(document)
    const exported = () => other.request('GET', `/v1/settings/projects/${json.project_id}/export`)
    const before = await exported()

    const renamed = document.flows.map((each) => ({ ...each, name: 'Renamed' }))
    const failed = await applyThere({ ...document, flows: [...renamed, flow('last', { name: 'Rejected' })] })

    expect([failed.status, failed.json.code]).toEqual([500, 'internal'])
    expect((await exported()).json).toEqual(before.json)
  })

  it.runIf(inject('postgres'))('changes nothing if the deployment cannot store the secrets', async () => {
    const document = documentOf([flow('ops')])
    const integrations = [{ source_type: 'slack', settings: {}, secrets: { token: 'xoxb-1' } }]
    await using other = await startTestServer()
    const rejected = await other.request('POST', '/v1/settings/apply', { json: { ...document, integrations } })

    expect([rejected.status, rejected.json.code]).toEqual([409, 'encryption_not_configured'])
    expect((await other.request('GET', '/v1/settings/projects')).json.data).toEqual([])
  })

  it('cancels nothing if the project name is taken, however many deliveries the deleted flow has', async () => {
    const document = documentOf([flow('mail', { override_target: true })])
    const { json } = await apply(document)
    await schedule(server, json.project_id, 1_100)
    const { project } = await createFlow(server)
    const renamed = { project: { ...document.project, name: project.name }, flows: [], prune: true }

    for (const dry_run of [true, false]) {
      const rejected = await apply({ ...renamed, dry_run })
      expect([rejected.status, rejected.json.code, rejected.json.errors[0].pointer]).toEqual([409, 'project_name_taken', '/project/name'])
    }
    const { changes } = (await apply({ ...document, flows: [], prune: true, dry_run: true })).json
    expect(changes.at(-1)).toMatchObject({ action: 'delete', key: 'mail', pending_deliveries: 1_100 })
  })

  // On the embedded database, a server without a key creates one.
  it.runIf(inject('postgres')).each([
    ['an integration', { integrations: [{ source_type: 'slack', settings: {}, secrets: { token: 'xoxb-1' } }] }],
    ['an event endpoint', { event_endpoints: [{ key: 'e', url: null, events: ['delivery.sent'], active: true, description: '' }] }],
  ])('cancels nothing if the deployment cannot store the secret of %s', async (_, added) => {
    await using other = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on' } })
    const applyThere = (json: object) => other.request('POST', '/v1/settings/apply', { json })
    const document = documentOf([flow('mail', { override_target: true })])
    const { json } = await applyThere(document)
    await schedule(other, json.project_id, 1_100)
    const pruned = { ...document, flows: [], prune: true }

    for (const dry_run of [true, false]) {
      const rejected = await applyThere({ ...pruned, ...added, dry_run })
      expect([rejected.status, rejected.json.code]).toEqual([409, 'encryption_not_configured'])
    }
    const { changes } = (await applyThere({ ...pruned, dry_run: true })).json
    expect(changes.at(-1)).toMatchObject({ action: 'delete', key: 'mail', pending_deliveries: 1_100 })
  })

  it('rejects a document that gives a project more than 1,000 flows, also in a dry run', async () => {
    const document = documentOf(Array.from({ length: 600 }, (_, index) => flow(`first-${index}`)))
    await apply(document)
    const added = { ...document, flows: Array.from({ length: 600 }, (_, index) => flow(`second-${index}`)) }
    const rejected = [await apply({ ...added, dry_run: true }), await apply(added)]

    expect(rejected.map(({ status, json }) => [status, json.code])).toEqual(Array(2).fill([409, 'settings_too_large']))
  })

  it('runs concurrent applies of a project one after the other', async () => {
    const document = documentOf([])
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => apply({ ...document, flows: [flow('shared', { name: `${index}` }), flow(`own-${index}`)] })),
    )

    expect(results.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(results.map(({ json }) => json.project_id)).size).toBe(1)
    const { flows } = (await exportOf(results[0]?.json.project_id)).json.document
    expect(flows.map(({ key }: { key: string }) => key)).toEqual([...Array.from({ length: 8 }, (_, index) => `own-${index}`), 'shared'])
  })

  it('either sees the change of a concurrent PATCH, or happens before the PATCH', async () => {
    const document = documentOf([flow('ops', { override_target: true })])
    const { json } = await apply(document)
    const path = flowPath({ project_id: json.project_id, id: json.changes[1].id })
    for (let round = 0; round < 10; round += 1) {
      const name = `patched ${round}`
      const [patched, applied] = await Promise.all([server.request('PATCH', path, { json: { name } }), apply(document)])
      expect([patched.status, applied.status]).toEqual([200, 200])
      const change = applied.json.changes.find(({ pointer }: { pointer: string }) => pointer === '/flows/0/name')
      const current = (await server.request('GET', path)).json.name
      expect(change === undefined ? [current] : [current, change.before]).toEqual(change === undefined ? [name] : ['ops', name])
      await apply(document)
    }
  })

  it.runIf(inject('postgres'))(
    'returns the stored response to a repeated request that waits for the first one (needs PostgreSQL)',
    async () => {
      const document = documentOf([flow('ops')])
      const { json } = await apply(document)
      const flowId = fromId('flow', json.changes[1].id)
      const client = new Client({ connectionString: server.database.url })
      await client.connect()
      await using _client = { [Symbol.asyncDispose]: () => client.end() }
      const waitForBlocked = (count: number) =>
        expect
          .poll(
            async () =>
              (await client.query("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
                .rowCount,
          )
          .toBe(count)
      const changed = { ...document, flows: [flow('ops', { target: 'new@example.com' })], prune: true }
      const headers = { 'If-Match': `"${json.digest}"`, 'Idempotency-Key': `repeated-${document.project.key}` }

      await client.query('begin')
      await client.query('select 1 from flows where id = $1 for update', [flowId])
      const first = apply(changed, headers)
      await waitForBlocked(1)
      const repeated = apply(changed, headers)
      await waitForBlocked(2)
      await client.query('commit')

      expect([(await first).status, (await first).text]).toEqual([200, (await repeated).text])
      expect((await repeated).headers.get('idempotency-replayed')).toBe('true')
    },
  )

  it('sends with the applied settings at once, and to no deleted flow', async () => {
    const document = documentOf([flow('ops'), flow('gone')])
    const { json } = await apply(document)
    expect((await send(server, json.project_id)).deliveries).toHaveLength(2)
    await apply({ ...document, flows: [flow('ops', { target: 'new@example.com' })], prune: true })
    const { deliveries } = await send(server, json.project_id)

    expect(deliveries.map(({ target }: { target: string }) => target)).toEqual(['new@example.com'])
  })

  it('resets the health of a flow only if its destination changes', async () => {
    const document = documentOf([
      flow('moved', { source_type: 'webhook', target: 'ops' }),
      flow('renamed', { source_type: 'webhook', target: 'ops' }),
    ])
    const { json } = await apply(document)
    const [moved, renamed] = json.changes.slice(1).map(({ id }: { id: string }) => flowPath({ project_id: json.project_id, id }))
    for (const path of [moved, renamed]) expect((await server.request('POST', `${path}/check`)).json.ok).toBe(false)
    await apply({
      ...document,
      flows: [
        { ...document.flows[0], target: 'dev' },
        { ...document.flows[1], name: 'New name' },
      ],
    })

    expect((await server.request('GET', moved)).json.health.status).toBe('unknown')
    expect((await server.request('GET', renamed)).json).toMatchObject({ name: 'New name', health: { status: 'unhealthy' } })
  })

  it('rejects a project with more than 1,000 flows with a key', async () => {
    const { json } = await apply(documentOf(Array.from({ length: 1_000 }, (_, index) => flow(`flow-${index}`))))
    expect((await exportOf(json.project_id)).status).toBe(200)
    await server.request('POST', flowsPath(json.project_id), { json: flow('one-more') })
    const rejected = await exportOf(json.project_id)

    expect([rejected.status, rejected.json.code]).toEqual([409, 'settings_too_large'])
  })
})
