import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let project: string
let otherProject: string

const projects = '/v1/settings/projects'
const createProject = async (name: string): Promise<string> => (await server.request('POST', projects, { json: { name } })).json.id
const flowsOf = (id: string) => `${projects}/${id}/flows`
const create = (json: object) => server.request('POST', flowsOf(project), { json })
const at = (flow: { id: string; project_id: string }) => `${flowsOf(flow.project_id)}/${flow.id}`

const seven = {
  name: 'Operations',
  active: false,
  source_type: 'slack',
  target: 'C024BE91L',
  override_target: true,
  message_template: '*{{subject}}*\\n{{message}}',
  message_template_type: 'text/plain',
}

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  project = await createProject('flows')
  otherProject = await createProject('elsewhere')
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a flow', () => {
  it('is made with defaults for what is left out', async () => {
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
    expect(created.headers.get('location')).toBe(at(created.json))
    const read = await server.request('GET', at(created.json))
    expect([read.status, read.json, read.headers.get('etag')]).toEqual([200, created.json, created.headers.get('etag')])
  })

  it('keeps all seven fields as they were given', async () => {
    const created = await create(seven)
    expect([created.status, created.json]).toEqual([201, expect.objectContaining(seven)])
    expect((await server.request('GET', at(created.json))).json).toMatchObject(seven)
  })

  it('need not have a name of its own', async () => {
    const [first, second] = [await addFlow(server, project), await addFlow(server, project)]
    expect(first.name).toBe(second.name)
    expect(first.id).not.toBe(second.id)
  })

  it('is refused with every fault at once, the check of its target included', async () => {
    const faults = expectProblem(
      await create({ source_type: 'smtp', target: 'not an address', active: 'yes', message_template_type: 'text/markdown', colour: 1 }),
      'validation_failed',
    )
    expect(faults.sort()).toEqual([
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
  ])('of %s with the target %j: accepted %s', async (sourceType, target, accepted) => {
    const response = await create({ name: 'a', source_type: sourceType, target })
    if (accepted) expect(response.status).toBe(201)
    else expect(expectProblem(response, 'validation_failed')).toEqual([expect.stringMatching(/^body \/(target|source_type) /)])
  })

  it('counts name and template in code points', async () => {
    const emoji = '\u{1F600}'
    const base = { source_type: 'smtp', target: 'ops@example.com' }
    expect((await create({ ...base, name: emoji.repeat(255) })).status).toBe(201)
    expect(expectProblem(await create({ ...base, name: emoji.repeat(256) }), 'validation_failed')).toEqual(['body /name too_long'])
    const longest = await create({ ...base, name: 'a', message_template: emoji.repeat(100_000) })
    expect([longest.status, longest.json.message_template.length]).toEqual([201, 200_000])
    const longer = await create({ ...base, name: 'a', message_template: emoji.repeat(100_001) })
    expect(expectProblem(longer, 'validation_failed')).toEqual(['body /message_template too_long'])
    expect(expectProblem(await create({ ...base, name: 'a', message_template: '' }), 'validation_failed')).toEqual([
      'body /message_template too_short',
    ])
  })

  it.each(['name', 'source_type', 'target', 'message_template', 'message_template_type'])(
    'refuses U+0000 and a lone surrogate in %s',
    async (field) => {
      for (const text of ['a\u0000', 'a\ud800']) {
        const response = await create({ ...seven, [field]: text })
        expect(expectProblem(response, 'validation_failed'), field).toEqual([`body /${field} invalid_text`])
      }
    },
  )

  it('keeps control characters and line breaks of a template', async () => {
    const template = 'a\r\n\tb\u0007 {{message}}  '
    expect((await create({ ...seven, message_template: template })).json.message_template).toBe(template)
  })

  it('says what looks wrong and accepts it', async () => {
    const warningsOf = async (fields: object) =>
      (await create({ ...seven, ...fields })).json.warnings.map(
        ({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`,
      )
    expect(await warningsOf({ message_template: 'Something happened.' })).toEqual(['no_placeholder /message_template'])
    expect(await warningsOf({ message_template: '{{messge}} {{message}}' })).toEqual(['unknown_placeholder /message_template'])
    expect(await warningsOf({ message_template_type: 'text/html' })).toEqual([expect.stringContaining('html_on_chat')])
    expect(await warningsOf({ message_template: '{{message}}' })).toEqual([expect.stringContaining('unescaped_message')])
    expect(await warningsOf({})).toEqual([])
  })
})

describe('an update with PUT', () => {
  it('needs all seven fields, and changes nothing without them', async () => {
    const flow = (await create(seven)).json
    for (const field of Object.keys(seven)) {
      const { [field as keyof typeof seven]: _, ...six } = seven
      const response = await server.request('PUT', at(flow), { json: { ...six, ...(field === 'name' ? {} : { name: 'changed' }) } })
      expect(expectProblem(response, 'validation_failed')).toEqual([`body /${field} required`])
    }
    expect((await server.request('GET', at(flow))).json).toEqual(flow)
  })

  it('replaces them all and leaves the rest', async () => {
    const flow = (await create(seven)).json
    const byMail = { source_type: 'mailgun', target: 'ops@example.com', message_template_type: 'text/html' }
    const fields = { name: 'By mail', active: true, override_target: false, message_template: '<p>{{message}}</p>', ...byMail }
    const updated = await server.request('PUT', at(flow), { json: fields })
    expect([updated.status, updated.json]).toEqual([200, expect.objectContaining({ ...fields, id: flow.id, created_at: flow.created_at })])
    expect((await server.request('GET', at(flow))).json).toMatchObject(fields)
  })

  it('refuses what an answer has beside the seven', async () => {
    const flow = (await create(seven)).json
    const faults = expectProblem(await server.request('PUT', at(flow), { json: flow }), 'validation_failed')
    expect(faults).toEqual(
      expect.arrayContaining(['body /id unknown_field', 'body /warnings unknown_field', 'body /created_at unknown_field']),
    )
  })
})

describe('an update with PATCH', () => {
  it('changes the given fields alone', async () => {
    const flow = (await create(seven)).json
    const changed = await server.request('PATCH', at(flow), { json: { active: true } })
    expect([changed.status, changed.json]).toEqual([200, { ...flow, active: true, updated_at: changed.json.updated_at }])
    const nothing = await server.request('PATCH', at(flow), { json: {} })
    expect([nothing.status, nothing.json]).toEqual([200, { ...changed.json, updated_at: nothing.json.updated_at }])
  })

  it('checks the half of provider and target that is given against the half that is stored', async () => {
    const flow = (await create(seven)).json
    expect(expectProblem(await server.request('PATCH', at(flow), { json: { source_type: 'smtp' } }), 'validation_failed')).toEqual([
      'body /target invalid_target',
    ])
    expect(
      expectProblem(await server.request('PATCH', at(flow), { json: { target: 'ops@example.com', name: '' } }), 'validation_failed').sort(),
    ).toEqual(['body /name too_short', 'body /target invalid_target'])
    const both = await server.request('PATCH', at(flow), { json: { source_type: 'smtp', target: 'ops@example.com' } })
    expect(both.status).toBe(200)
  })

  it('refuses null, which is no value of any field', async () => {
    const flow = (await create(seven)).json
    for (const field of Object.keys(seven))
      expect(expectProblem(await server.request('PATCH', at(flow), { json: { [field]: null } }), 'validation_failed'), field).toEqual([
        expect.stringMatching(new RegExp(`^body /${field} invalid_(type|value)$`)),
      ])
  })

  it('keeps changes of different fields that are made at once', async () => {
    const flow = (await create(seven)).json
    await Promise.all([
      server.request('PATCH', at(flow), { json: { name: 'renamed' } }),
      server.request('PATCH', at(flow), { json: { active: true } }),
      server.request('PATCH', at(flow), { json: { message_template: 'new {{message}}' } }),
    ])
    expect((await server.request('GET', at(flow))).json).toMatchObject({
      name: 'renamed',
      active: true,
      message_template: 'new {{message}}',
    })
  })
})

describe('a flow of another project', () => {
  it('is not found below this one', async () => {
    const flow = (await create(seven)).json
    const astray = at({ ...flow, project_id: otherProject })
    expectProblem(await server.request('GET', astray), 'not_found')
    expectProblem(await server.request('PUT', astray, { json: seven }), 'not_found')
    expectProblem(await server.request('PATCH', astray, { json: { active: true } }), 'not_found')
    expectProblem(await server.request('DELETE', astray), 'not_found')
    expectProblem(await server.request('POST', `${astray}/check`), 'not_found')
    expect((await server.request('GET', flowsOf(otherProject))).json.data).toEqual([])
    expect((await server.request('GET', at(flow))).json).toEqual(flow)
  })
})

describe('a flow that is deleted or paused', () => {
  it('cancels what is queued for it when it is deleted', async () => {
    const id = await createProject('to be emptied')
    const [gone, kept] = [await addFlow(server, id), await addFlow(server, id, { target: 'kept@example.com' })]
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const notification = await send(server, id, { send_at: later })
    expect((await server.request('DELETE', at(gone))).status).toBe(204)
    expectProblem(await server.request('DELETE', at(gone)), 'not_found')
    const { json } = await server.request('GET', `/v1/notifications/${notification.id}`)
    const byFlow = new Map(json.deliveries.map((each: { flow_id: string; status: string }) => [each.flow_id, each.status]))
    expect([byFlow.get(gone.id), byFlow.get(kept.id)]).toEqual(['canceled', 'queued'])
  })

  it('stops only new sends when it is paused', async () => {
    const id = await createProject('to be paused')
    const flow = await addFlow(server, id)
    const notification = await send(server, id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
    await server.request('PATCH', at(flow), { json: { active: false } })
    const response = await server.request('POST', '/v1/notifications', { json: { project_id: id, subject: 'a', message: 'b' } })
    expectProblem(response, 'no_active_flows')
    expect((await server.request('GET', `/v1/notifications/${notification.id}`)).json.status).toBe('queued')
  })
})
