import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
const body = { settings: {}, secrets: { token: 'xoxb-1' } }

let server: TestServer
let project: string

const requestEveryMethod = (projectId: string, key: string) => {
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
  project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'first' } })).json.id
  expect((await server.request('PUT', `/v1/settings/projects/${project}/integrations/slack`, { json: body })).status).toBe(200)
})
afterAll(() => server[Symbol.asyncDispose]())

describe('access to integrations', () => {
  it('returns 404 to another user for every method, and changes no integration', async () => {
    const responses = await requestEveryMethod(project, server.keys.bob)
    expect(responses.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(5).fill('404 not_found'))
    const unknown = await requestEveryMethod('prj_01jdv3k2m8f6wbn0q4z5t7x9ya', server.keys.bob)
    expect(unknown.map(({ json }) => json.detail)).toEqual(responses.map(({ json }) => json.detail))
    const read = await server.request('GET', `/v1/settings/projects/${project}/integrations/slack`)
    expect(read.json.secrets).toEqual({ token: { set: true } })
  })

  it('returns 404 to a key of another project', async () => {
    const otherProject = (await server.request('POST', '/v1/settings/projects', { json: { name: 'other' } })).json.id
    const { json } = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'bound', project_id: otherProject } })
    expect((await requestEveryMethod(project, json.key)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await requestEveryMethod(otherProject, json.key)).map(({ status }) => status)).toEqual([
      200,
      expect.any(Number),
      200,
      422,
      expect.any(Number),
    ])
  })

  it('requires settings:read for reading and settings:write for writing', async () => {
    const { json } = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'reader', scopes: ['settings:read'] } })
    expect((await requestEveryMethod(project, json.key)).map(({ status }) => status)).toEqual([200, 200, 403, 403, 403])
  })
})
