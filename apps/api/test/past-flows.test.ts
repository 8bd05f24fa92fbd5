import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow, flowPath } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const at = (flow: { id: string; project_id: string }, time: string, options = {}) =>
  server.request('GET', `${flowPath(flow)}?at=${encodeURIComponent(time)}`, options)
const plusMs = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()

/** Waits until the server's clock has passed a time, so that the time is not in the future. */
const passed = async (time: string) => {
  while (new Date().toISOString() <= plusMs(time, 5)) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('a flow at a past moment', () => {
  it('has the fields from after each change, even when the flow and its project have been deleted', async () => {
    const { project, flow } = await createFlow(server)
    const states = [flow]
    for (const json of [{ name: 'A' }, { target: 'a@example.com' }, { active: false, key: 'ops' }]) {
      await passed(states.at(-1).updated_at)
      states.push((await server.request('PATCH', flowPath(flow), { json })).json)
    }
    const expectStates = async () => {
      for (const [index, state] of states.entries()) {
        const { json, status } = await at(flow, state.updated_at)
        expect([status, json]).toEqual([200, state])
        const next = states[index + 1]
        if (next) expect((await at(flow, plusMs(next.updated_at, -1))).json).toEqual(state)
      }
      expectProblem(await at(flow, plusMs(flow.created_at, -1)), 'not_found')
    }
    await passed(states.at(-1).updated_at)
    await expectStates()
    await server.request('DELETE', flowPath(flow))
    await passed(new Date().toISOString())
    await expectStates()
    expectProblem(await at(flow, new Date().toISOString()), 'not_found')
    expectProblem(await server.request('GET', flowPath(flow)), 'not_found')
    await server.request('DELETE', `/v1/settings/projects/${project.id}`)
    await expectStates()
  })

  it('has the time of the last write, even if that write changed nothing', async () => {
    const { flow } = await createFlow(server)
    await passed(flow.updated_at)
    const { json: same } = await server.request('PATCH', flowPath(flow), { json: {} })
    await passed(same.updated_at)
    expect((await at(flow, same.updated_at)).json).toEqual(same)
    expect((await at(flow, plusMs(same.updated_at, -1))).json).toEqual(flow)
    await server.request('PATCH', flowPath(flow), { json: { name: 'A' } })
    expect((await at(flow, same.updated_at)).json).toEqual(same)
    expect((await at(flow, plusMs(same.updated_at, -1))).json).toEqual(flow)
  })

  it('has an entity tag, and returns 304 for that tag', async () => {
    const { flow } = await createFlow(server)
    await passed(flow.updated_at)
    const read = await at(flow, flow.updated_at)
    const etag = read.headers.get('etag') ?? ''
    expect((await at(flow, flow.updated_at, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    expect((await server.request('GET', flowPath(flow))).headers.get('etag')).toBe(etag)
  })

  it('is rejected for a moment in the future, or before the start of the history', async () => {
    const { flow } = await createFlow(server)
    const errorsOf = async (time: string) => expectProblem(await at(flow, time), 'validation_failed')
    expect(await errorsOf('2999-01-01T00:00:00Z')).toEqual(['query /at too_big'])
    expect(await errorsOf('2001-01-01T00:00:00+02:00')).toEqual(['query /at too_small'])
    expect(await errorsOf('yesterday')).toEqual(['query /at invalid_value'])
    expect((await at(flow, '2001-01-01T00:00:00Z')).json.errors[0].message).toMatch(/^Must not be before 20.*Z, when/)
  })

  it('is not found by another user, nor with a key for another project', async () => {
    const { project, flow } = await createFlow(server)
    const other = await createFlow(server)
    await passed(other.flow.updated_at)
    const bound = await server.request('POST', '/v1/settings/api-keys', {
      json: { name: 'bound', scopes: ['settings:read'], project_id: other.project.id },
    })
    expectProblem(await at(flow, flow.updated_at, { key: server.keys.bob }), 'not_found')
    expectProblem(await at(flow, flow.updated_at, { key: bound.json.key }), 'not_found')
    expectProblem(await at({ ...flow, project_id: other.project.id }, flow.updated_at), 'not_found')
    await server.request('DELETE', `/v1/settings/projects/${project.id}`)
    expectProblem(await at(flow, flow.updated_at, { key: server.keys.bob }), 'not_found')
  })
})
