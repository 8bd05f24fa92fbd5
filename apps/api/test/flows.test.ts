import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from './support/api-keys.ts'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, allFlowFields, flowPath, flowsPath, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let project: string
let otherProject: string

const create = (json: object) => server.request('POST', flowsPath(project), { json })

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  project = await createProject(server, 'flows')
  otherProject = await createProject(server, 'elsewhere')
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a flow', () => {
  it('is created with defaults for omitted fields', async () => {
    const created = await create({ name: 'By mail', source_type: 'smtp', target: 'ops@example.com' })
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({
      id: expect.stringMatching(/^flw_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      project_id: project,
      name: 'By mail',
      active: true,
      source_type: 'smtp',
      target: 'ops@example.com',
      override_target: false,
      message_template: '{{message}}',
      message_template_type: 'text/plain',
      warnings: [],
      created_at: created.json.updated_at,
    })
    expect(created.headers.get('location')).toBe(flowPath(created.json))
    const read = await server.request('GET', flowPath(created.json))
    expect([read.status, read.json, read.headers.get('etag')]).toEqual([200, created.json, created.headers.get('etag')])
  })

  it('is created with all seven fields as given', async () => {
    const created = await create(allFlowFields)
    expect([created.status, created.json]).toEqual([201, expect.objectContaining(allFlowFields)])
    expect((await server.request('GET', flowPath(created.json))).json).toMatchObject(allFlowFields)
  })

  it('can have the same name as another flow', async () => {
    const [first, second] = [await addFlow(server, project), await addFlow(server, project)]
    expect(first.name).toBe(second.name)
    expect(first.id).not.toBe(second.id)
  })

  it('is rejected with every error, including an invalid target', async () => {
    const errors = expectProblem(
      await create({ source_type: 'smtp', target: 'not an address', active: 'yes', message_template_type: 'text/markdown', colour: 1 }),
      'validation_failed',
    )
    expect(errors.sort()).toEqual([
      'body /active invalid_type',
      'body /colour unknown_field',
      'body /message_template_type invalid_value',
      'body /name required',
      'body /target invalid_target',
    ])
  })

  it.each([
    ['mailgun', 'ops@example.com', true],
    ['smtp', 'ops@example.com, two@example.com', false],
    ['smtp', '', false],
    ['smtp', 'Ops <ops@example.com>', false],
    ['slack', 'C024BE91L', true],
    ['slack', 'ops@example.com', false],
    ['pigeon', 'anything', false],
  ])('of %s with the target %j is valid: %s', async (sourceType, target, accepted) => {
    const response = await create({ name: 'a', source_type: sourceType, target })
    if (accepted) expect(response.status).toBe(201)
    else expect(expectProblem(response, 'validation_failed')).toEqual([expect.stringMatching(/^body \/(target|source_type) /)])
  })

  it('limits the lengths of the name and the template in code points', async () => {
    const emoji = '\u{1F600}'
    const base = { source_type: 'smtp', target: 'ops@example.com' }
    expect((await create({ ...base, name: emoji.repeat(255) })).status).toBe(201)
    expect(expectProblem(await create({ ...base, name: emoji.repeat(256) }), 'validation_failed')).toEqual(['body /name too_long'])
    const maximal = await create({ ...base, name: 'a', message_template: emoji.repeat(100_000) })
    expect([maximal.status, maximal.json.message_template.length]).toEqual([201, 200_000])
    const tooLong = await create({ ...base, name: 'a', message_template: emoji.repeat(100_001) })
    expect(expectProblem(tooLong, 'validation_failed')).toEqual(['body /message_template too_long'])
    expect(expectProblem(await create({ ...base, name: 'a', message_template: '' }), 'validation_failed')).toEqual([
      'body /message_template too_short',
    ])
  })

  it.each(['name', 'source_type', 'target', 'message_template', 'message_template_type'])(
    'is rejected with U+0000 or a lone surrogate in %s',
    async (field) => {
      for (const text of ['a\u0000', 'a\ud800']) {
        const response = await create({ ...allFlowFields, [field]: text })
        expect(expectProblem(response, 'validation_failed'), field).toEqual([`body /${field} invalid_text`])
      }
    },
  )

  it('is created with control characters and line breaks in the template', async () => {
    const template = 'a\r\n\tb\u0007 {{message}}  '
    expect((await create({ ...allFlowFields, message_template: template })).json.message_template).toBe(template)
  })

  it('is created with warnings about a suspicious template', async () => {
    const warningsOf = async (fields: object) =>
      (await create({ ...allFlowFields, ...fields })).json.warnings.map(
        ({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`,
      )
    expect(await warningsOf({ message_template: 'Something happened.' })).toEqual(['no_placeholder /message_template'])
    expect(await warningsOf({ message_template: '{{messge}} {{message}}' })).toEqual(['unknown_placeholder /message_template'])
    expect(await warningsOf({ message_template_type: 'text/html' })).toEqual([expect.stringContaining('html_on_chat')])
    expect(await warningsOf({ message_template: '{{message}}' })).toEqual([expect.stringContaining('unescaped_message')])
    expect(await warningsOf({})).toEqual([])
  })
})

describe('a flow of another project', () => {
  it('returns 404 for every method under this project', async () => {
    const flow = (await create(allFlowFields)).json
    const wrongPath = flowPath({ ...flow, project_id: otherProject })
    expectProblem(await server.request('GET', wrongPath), 'not_found')
    expectProblem(await server.request('PUT', wrongPath, { json: allFlowFields }), 'not_found')
    expectProblem(await server.request('PATCH', wrongPath, { json: { active: true } }), 'not_found')
    expectProblem(await server.request('DELETE', wrongPath), 'not_found')
    expectProblem(await server.request('POST', `${wrongPath}/check`), 'not_found')
    expect((await server.request('GET', flowsPath(otherProject))).json.data).toEqual([])
    expect((await server.request('GET', flowPath(flow))).json).toEqual(flow)
  })
})

describe('pending deliveries of a flow', () => {
  it('are canceled when it is deleted', async () => {
    const id = await createProject(server, 'to be emptied')
    const [deleted, remaining] = [await addFlow(server, id), await addFlow(server, id, { target: 'remaining@example.com' })]
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const notification = await send(server, id, { send_at: later })
    expect((await server.request('DELETE', flowPath(deleted))).status).toBe(204)
    expectProblem(await server.request('DELETE', flowPath(deleted)), 'not_found')
    const { json } = await server.request('GET', `/v1/notifications/${notification.id}`)
    const statuses = new Map(json.deliveries.map((delivery: { flow_id: string; status: string }) => [delivery.flow_id, delivery.status]))
    expect([statuses.get(deleted.id), statuses.get(remaining.id)]).toEqual(['canceled', 'queued'])
  })

  it('stay queued when it is paused, while new sends return 409', async () => {
    const id = await createProject(server, 'to be paused')
    const flow = await addFlow(server, id)
    const notification = await send(server, id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
    await server.request('PATCH', flowPath(flow), { json: { active: false } })
    const response = await server.request('POST', '/v1/notifications', { json: { project_id: id, subject: 'a', message: 'b' } })
    expectProblem(response, 'no_active_flows')
    expect((await server.request('GET', `/v1/notifications/${notification.id}`)).json.status).toBe('queued')
  })
})
