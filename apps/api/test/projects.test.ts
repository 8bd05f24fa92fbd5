import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/settings/projects'
const create = (name: unknown, key?: string) => server.request('POST', path, { json: { name }, ...(key === undefined ? {} : { key }) })
const createAccepted = async (name: string) => {
  const response = await create(name)
  expect(response.status, response.text).toBe(201)
  return response.json as { id: string; name: string; created_at: string; updated_at: string }
}
const rename = (id: string, name: unknown) => server.request('PUT', `${path}/${id}`, { json: { name } })
const statusesOf = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).sort()

describe('projects', () => {
  it('can be created, read, listed, renamed and deleted', async () => {
    const created = await create('first')
    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      id: expect.stringMatching(/^prj_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      name: 'first',
      key: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: created.json.created_at,
    })
    const projectPath = `${path}/${created.json.id}`
    expect(created.headers.get('location')).toBe(projectPath)

    const read = await server.request('GET', projectPath)
    expect([read.status, read.json]).toEqual([200, created.json])
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'))

    const second = await createAccepted('second')
    const listed = await server.request('GET', path)
    expect(listed.json).toEqual({ data: [created.json, second], next_cursor: null })

    const renamed = await rename(created.json.id, 'first, renamed')
    expect(renamed.status).toBe(200)
    expect(renamed.json).toEqual({ ...created.json, name: 'first, renamed', updated_at: renamed.json.updated_at })
    expect(renamed.headers.get('etag')).not.toBe(created.headers.get('etag'))
    expect((await server.request('GET', projectPath)).json).toEqual(renamed.json)

    const deleted = await server.request('DELETE', projectPath)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) expectProblem(await server.request(method, projectPath), 'not_found')
    expectProblem(await rename(created.json.id, 'x'), 'not_found')
  })

  it('accepts an update with an unchanged name', async () => {
    const project = await createAccepted('same')
    expect((await rename(project.id, 'same')).status).toBe(200)
  })
})

describe('project name validation', () => {
  it('accepts up to 255 characters, counted as code points', async () => {
    const longest = '\u{1F600}'.repeat(255)
    expect((await createAccepted(longest)).name).toBe(longest)
    expect(expectProblem(await create('\u{1F600}'.repeat(256)), 'validation_failed')).toEqual(['body /name too_long'])
    expect((await createAccepted('a'.repeat(255))).name).toHaveLength(255)
    expect(expectProblem(await create('a'.repeat(256)), 'validation_failed')).toEqual(['body /name too_long'])
  })

  it('counts characters after trimming and Unicode composition', async () => {
    const decomposed = 'e\u0301'.repeat(255)
    expect((await createAccepted(`  ${decomposed}\n`)).name).toBe('\u00e9'.repeat(255))
  })

  it('compares names after trimming and Unicode composition', async () => {
    await createAccepted('  Caf\u00e9 ')
    expectProblem(await create('Cafe\u0301'), 'project_name_taken')
    expect((await createAccepted('caf\u00e9')).name).toBe('caf\u00e9')
  })

  it.each([
    ['is missing', {}, ['body /name required']],
    ['is null', { name: null }, ['body /name invalid_type']],
    ['is a number', { name: 7 }, ['body /name invalid_type']],
    ['is an array', { name: ['a'] }, ['body /name invalid_type']],
    ['is empty', { name: '' }, ['body /name too_short']],
    ['is blank', { name: ' \t\u00a0 ' }, ['body /name too_short']],
    ['contains a bell character', { name: 'a\u0007b' }, ['body /name invalid_text']],
    ['contains a line break', { name: 'a\nb' }, ['body /name invalid_text']],
    ['contains a C1 control character', { name: 'a\u0085b' }, ['body /name invalid_text']],
    ['contains a delete character', { name: 'a\u007f' }, ['body /name invalid_text']],
    ['contains U+0000', { name: 'a\u0000b' }, ['body /name invalid_text']],
    ['comes with unknown fields', { name: 'a', color: 'red', id: 'prj_x' }, ['body /color unknown_field', 'body /id unknown_field']],
    ['is misspelled', { nmae: 'a' }, ['body /name required', 'body /nmae unknown_field']],
  ])('returns 422 when the name %s', async (_, json, errors) => {
    expect(expectProblem(await server.request('POST', path, { json }), 'validation_failed').sort()).toEqual(errors)
  })

  it('returns 422 when the name contains a lone surrogate escaped in JSON', async () => {
    for (const text of ['"\\ud800"', '"a\\udc00b"', '"\\udc00\\ud800"']) {
      const response = await server.request('POST', path, { body: `{"name":${text}}`, headers: { 'Content-Type': 'application/json' } })
      expect(expectProblem(response, 'validation_failed')).toEqual(['body /name invalid_text'])
    }
    const pair = await server.request('POST', path, { body: '{"name":"\\ud83d\\ude00"}', headers: { 'Content-Type': 'application/json' } })
    expect([pair.status, pair.json.name]).toEqual([201, '\u{1F600}'])
  })

  it('allows a name once per user, and again after a deletion', async () => {
    const project = await createAccepted('shared')
    const taken = await create('shared')
    expect(expectProblem(taken, 'project_name_taken')).toEqual(['body /name invalid_value'])
    expect((await create('shared', server.keys.bob)).status).toBe(201)
    await server.request('DELETE', `${path}/${project.id}`)
    expect((await create('shared')).status).toBe(201)
  })

  it('accepts one of 50 simultaneous creations with the same name', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => create('wanted')))
    expect(statusesOf(responses)).toEqual([201, ...Array.from({ length: 49 }, () => 409)])
    const { json } = await server.request('GET', `${path}?limit=1000`)
    expect(json.data.filter(({ name }: { name: string }) => name === 'wanted')).toHaveLength(1)
  })

  it('accepts one of 12 simultaneous renames to the same name', async () => {
    const projects = await Promise.all(Array.from({ length: 12 }, (_, index) => createAccepted(`rival ${index}`)))
    const responses = await Promise.all(projects.map(({ id }) => rename(id, 'wanted by all')))
    expect(statusesOf(responses)).toEqual([200, ...Array.from({ length: 11 }, () => 409)])
    const [one, two] = projects
    const swapped = await Promise.all([rename(one?.id ?? '', 'rival 1'), rename(two?.id ?? '', 'rival 0')])
    // One of these renames may succeed, because the name of the project that won the race above is free. Either way, names
    // must stay unique.
    for (const { status } of swapped) expect([200, 409]).toContain(status)
    const { json } = await server.request('GET', `${path}?limit=1000`)
    const names = json.data.map(({ name }: { name: string }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('project deletion', () => {
  it('accepts the id in the query', async () => {
    const project = await createAccepted('by query')
    const deleted = await server.request('DELETE', `${path}?project_id=${project.id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expectProblem(await server.request('GET', `${path}/${project.id}`), 'not_found')
    expectProblem(await server.request('DELETE', `${path}?project_id=${project.id}`), 'not_found')
  })

  it('deletes no project when the query parameter is missing, empty, repeated or accompanied by an unknown one', async () => {
    const project = await createAccepted('survivor')
    const before = (await server.request('GET', `${path}?limit=1000`)).json.data.length
    expect(expectProblem(await server.request('DELETE', path), 'validation_failed')).toEqual(['query /project_id required'])
    expect(expectProblem(await server.request('DELETE', path, { json: { project_id: project.id } }), 'validation_failed')).toEqual([
      'query /project_id required',
    ])
    expectProblem(await server.request('DELETE', `${path}?project_id=`), 'not_found')
    const repeated = await server.request('DELETE', `${path}?project_id=${project.id}&project_id=${project.id}`)
    expect(expectProblem(repeated, 'validation_failed')).toEqual(['query /project_id invalid_type'])
    const unknown = await server.request('DELETE', `${path}?project_id=${project.id}&force=true`)
    expect(expectProblem(unknown, 'validation_failed')).toEqual(['query /force unknown_field'])
    expectProblem(await server.request('DELETE', `${path}?project_id=${project.id}`, { key: server.keys.bob }), 'not_found')
    expect((await server.request('GET', `${path}?limit=1000`)).json.data).toHaveLength(before)
  })

  it('deletes flows and integrations, cancels queued messages, and leaves the log readable', async () => {
    const project = await createAccepted('with everything')
    const flow = await addFlow(server, project.id)
    const integration = `${path}/${project.id}/integrations/slack`
    expect((await server.request('PUT', integration, { json: { settings: {}, secrets: { token: 'xoxb-1-2-abc' } } })).status).toBe(200)
    const notification = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect((await server.request('DELETE', `${path}/${project.id}`)).status).toBe(204)

    expectProblem(await server.request('GET', `${path}/${project.id}/flows/${flow.id}`), 'not_found')
    expectProblem(await server.request('GET', `${path}/${project.id}/flows`), 'not_found')
    expectProblem(await server.request('GET', integration), 'not_found')
    const rejected = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } })
    expectProblem(rejected, 'not_found')
    const log = await server.request('GET', `/v1/notifications/${notification.id}`)
    expect(log.json).toMatchObject({ status: 'canceled', deliveries: [{ flow_id: flow.id, status: 'canceled' }] })
  })
})
