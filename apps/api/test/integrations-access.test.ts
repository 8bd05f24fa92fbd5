import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
const body = { settings: {}, secrets: { token: 'xoxb-1' } }

let server: TestServer
let project: string

const everyVerb = (projectId: string, key: string) => {
  const base = `/v1/settings/projects/${projectId}/integrations`
  return Promise.all([
    server.request('GET', base, { key }),
    server.request('GET', `${base}/slack`, { key }),
    server.request('PUT', `${base}/slack`, { key, json: body }),
    server.request('PUT', `${base}/slack`, { key, json: { settings: { typo: 1 } } }),
    server.request('DELETE', `${base}/slack`, { key }),
  ])
}

beforeAll(async () => {
  server = await startTestServer({ env: encryption })
  project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'mine' } })).json.id
  expect((await server.request('PUT', `/v1/settings/projects/${project}/integrations/slack`, { json: body })).status).toBe(200)
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the integrations of a project', () => {
  it('are not found by another user, in any verb, and stay as they are', async () => {
    const answers = await everyVerb(project, server.keys.bob)
    expect(answers.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(5).fill('404 not_found'))
    const unknown = await everyVerb('prj_01jdv3k2m8f6wbn0q4z5t7x9ya', server.keys.bob)
    expect(unknown.map(({ json }) => json.detail)).toEqual(answers.map(({ json }) => json.detail))
    const read = await server.request('GET', `/v1/settings/projects/${project}/integrations/slack`)
    expect(read.json.secrets).toEqual({ token: { set: true } })
  })

  it('are not found by a key of another project', async () => {
    const other = (await server.request('POST', '/v1/settings/projects', { json: { name: 'other' } })).json.id
    const { json } = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'bound', project_id: other } })
    expect((await everyVerb(project, json.key)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await everyVerb(other, json.key)).map(({ status }) => status)).toEqual([200, expect.any(Number), 200, 422, expect.any(Number)])
  })

  it('need settings:read to be read and settings:write to be written', async () => {
    const { json } = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'reader', scopes: ['settings:read'] } })
    expect((await everyVerb(project, json.key)).map(({ status }) => status)).toEqual([200, 200, 403, 403, 403])
  })
})
