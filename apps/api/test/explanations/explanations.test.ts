import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromId } from '../../src/shared/ids.ts'
import { onDatabase } from '../support/direct-database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { addFlow, createFlow, flowPath, send } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { expectExplained, expectExplainedDuringEdits, sendBetweenEdits } from './edited-settings.ts'

const env = { FLOWPOST_CAPTURE: 'on' }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env })
})
afterAll(() => server[Symbol.asyncDispose]())

const explain = (id: string, options = {}) => server.request('GET', `/v1/notifications/${id}/explanation`, options)
const reasons = ({ flows }: { flows: { flow_id: string; outcome: string; reason: string | null }[] }) =>
  Object.fromEntries(flows.map(({ flow_id, outcome, reason }) => [flow_id, reason ?? outcome]))

describe('the explanation of a notification', () => {
  it('matches what happened while settings were edited', async () => {
    const history = await sendBetweenEdits(server, { count: 40, seed: 1 })
    await expectExplained(server, history)
    expect(history.rejected).toBeGreaterThan(0)
  })

  it('agrees with the deliveries if settings are edited during the send', () => expectExplainedDuringEdits(server, { rounds: 10 }))

  it('has the settings from the time of sending, even after the flows and the project are deleted', async () => {
    const { project, flow } = await createFlow(server, { key: 'ops', override_target: true })
    const inactive = await addFlow(server, project.id, { active: false })
    const chat = await addFlow(server, project.id, { source_type: 'slack', target: 'C024BE91L', key: 'chat' })
    const all = await send(server, project.id)
    const one = await send(server, project.id, { flow_id: chat.id })
    const target = await send(server, project.id, { target: 'a@example.com' })
    await server.request('PATCH', flowPath(flow), { json: { name: 'Renamed', key: null } })
    await server.request('DELETE', flowPath(chat))
    const expectExplanations = async () => {
      const { json } = await explain(all.id)
      expect(json.request).toEqual({ flow_id: null, has_target: false })
      expect(json.flows[0]).toEqual({
        flow_id: flow.id,
        key: 'ops',
        name: 'Operations',
        source_type: 'smtp',
        outcome: 'triggered',
        reason: null,
      })
      expect(reasons(json)).toEqual({ [flow.id]: 'triggered', [inactive.id]: 'inactive', [chat.id]: 'triggered' })
      expect(reasons((await explain(one.id)).json)).toEqual({ [flow.id]: 'not_named', [inactive.id]: 'not_named', [chat.id]: 'triggered' })
      expect(reasons((await explain(target.id)).json)).toEqual({
        [flow.id]: 'triggered',
        [inactive.id]: 'inactive',
        [chat.id]: 'not_targeted',
      })
    }
    await expectExplanations()
    await server.request('DELETE', `/v1/settings/projects/${project.id}`)
    await expectExplanations()
  })

  it('omits flows that were created later', async () => {
    const { project, flow } = await createFlow(server)
    const { id } = await send(server, project.id)
    await addFlow(server, project.id)
    expect(reasons((await explain(id)).json)).toEqual({ [flow.id]: 'triggered' })
  })

  it('returns 404 for another user and for a key of another project', async () => {
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    const other = await createFlow(server)
    const json = { name: 'bound', scopes: ['notifications:read'], project_id: other.project.id }
    const bound = await server.request('POST', '/v1/settings/api-keys', { json })
    expectProblem(await explain(id, { key: server.keys.bob }), 'not_found')
    expectProblem(await explain(id, { key: bound.json.key }), 'not_found')
    expectProblem(await explain('ntf_unknown'), 'not_found')
  })

  it('uses the settings that agree with the deliveries, even if the timestamps point to other settings', async () => {
    const { project, flow } = await createFlow(server)
    const paused = await addFlow(server, project.id)
    const { id } = await send(server, project.id)
    await server.request('PATCH', flowPath(paused), { json: { active: false, name: 'Paused' } })
    await server.stop()
    // The times look as if the settings had been cached, or the change had been committed later.
    const delay = `update notifications set created_at = created_at + interval '1 second' where id = $1`
    await onDatabase(server.database, (query) => query(delay, [fromId('notification', id)]))
    server = await server.restart()

    const { json } = await explain(id)
    expect(reasons(json)).toEqual({ [flow.id]: 'triggered', [paused.id]: 'triggered' })
    expect(json.flows[1].name).toBe(paused.name)
  })

  it('says why it is unknown: an earlier release, the start of the history, or settings that were not recorded', async () => {
    const { project, flow } = await createFlow(server)
    const unrecorded = await send(server, project.id)
    const changed = await send(server, project.id)
    const early = await send(server, project.id)
    await server.stop()
    const uuid = `(select id from notifications order by id desc limit 1 offset $1)`
    await onDatabase(server.database, async (query) => {
      await query(`update notifications set has_target = null where id = ${uuid}`, [2])
      await query(`update deliveries set target = 'other@example.com' where notification_id = ${uuid}`, [1])
      await query(`update notifications set created_at = '2001-01-01' where id = ${uuid}`, [0])
    })
    server = await server.restart()

    expect((await explain(unrecorded.id)).json).toMatchObject({ request: null, flows: null, unknown: { code: 'request_not_recorded' } })
    expect((await explain(changed.id)).json).toMatchObject({
      request: { flow_id: null, has_target: false },
      flows: null,
      unknown: { code: 'settings_not_recorded' },
    })
    expect((await explain(early.id)).json).toMatchObject({ flows: null, unknown: { code: 'before_history' } })
    expect(flow.active).toBe(true)
  })
})
