import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const projects = '/v1/settings/projects'
const unknownId = 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya'

describe('HTTP methods', () => {
  it.each([
    [projects, 'POST, GET, HEAD, DELETE, OPTIONS'],
    [`${projects}/${unknownId}`, 'GET, HEAD, PUT, DELETE, OPTIONS'],
    [`${projects}/${unknownId}/flows`, 'POST, GET, HEAD, OPTIONS'],
    [`${projects}/${unknownId}/flows/flw_x`, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    [`${projects}/${unknownId}/flows/flw_x/check`, 'POST, OPTIONS'],
    ['/v1/notifications', 'POST, GET, HEAD, OPTIONS'],
    ['/livez', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
    ['/metrics', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
    ['/v1/inbound/mailgun/x', 'POST, OPTIONS'],
  ])('lists the methods of %s in the Allow header of OPTIONS and 405 responses', async (path, allow) => {
    const options = await server.request('OPTIONS', path, { key: null })
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, allow, ''])
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'PROPFIND'].filter((candidate) => !allow.includes(candidate))) {
      const response = await server.request(method, path)
      expectProblem(response, 'method_not_allowed')
      expect(response.headers.get('allow')).toBe(allow)
    }
  })

  it('returns 404 for an unknown path with every method', async () => {
    for (const method of ['GET', 'OPTIONS', 'DELETE'])
      for (const path of ['/v1', '/v2/notifications', `${projects}/${unknownId}/nothing`, '/v1/settings', '/favicon.ico'])
        expectProblem(await server.request(method, path), 'not_found')
  })

  it('responds to HEAD as to GET, without the body', async () => {
    const { project, flow } = await createFlow(server)
    for (const path of [projects, `${projects}/${project.id}`, `${projects}/${project.id}/flows/${flow.id}`, '/livez', '/openapi.json']) {
      const [get, head] = [await server.request('GET', path), await server.request('HEAD', path)]
      expect([head.status, head.text]).toEqual([200, ''])
      for (const header of ['content-type', 'etag']) expect(head.headers.get(header), `${path} ${header}`).toBe(get.headers.get(header))
    }
    expect((await server.request('HEAD', `${projects}/${unknownId}`)).status).toBe(404)
    expect((await server.request('HEAD', projects, { key: null })).status).toBe(401)
  })
})
