import { createOpenApiDocument } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { expectProblem, withoutRequestId } from './support/expect-problem.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let aliceIds: Record<string, string>

beforeAll(async () => {
  const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off', ...encryption } })
  const { project, flow } = await createFlow(server)
  await server.request('PUT', `/v1/settings/projects/${project.id}/integrations/slack`, {
    json: { settings: {}, secrets: { token: 'xoxb-1-2-hush' } },
  })
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const notification = await send(server, project.id, { send_at: later })
  const key = await createKey(server)
  const create = async (path: string, json: object) => (await server.request('POST', path, { json })).json.id as string
  aliceIds = {
    project_id: project.id,
    flow_id: flow.id,
    notification_id: notification.id,
    delivery_id: notification.deliveries[0].id,
    key_id: key.id,
    suppression_id: await create(`/v1/settings/projects/${project.id}/suppressions`, { target: 'gone@example.com' }),
    endpoint_id: await create(`/v1/settings/projects/${project.id}/event-endpoints`, { url: null, events: ['delivery.sent'] }),
    action_id: await create('/v1/bulk-actions', { action: 'retry', filter: { project_id: project.id, created_after: project.created_at } }),
    erasure_id: await create('/v1/erasures', { target: 'nobody@example.com' }),
    source_type: 'slack',
  }
})
afterAll(() => server[Symbol.asyncDispose]())

const uuidPart = '01jdv3k2m8f6wbn0q4z5t7x9ya'
const unusedIds: Record<string, string> = {
  project_id: `prj_${uuidPart}`,
  flow_id: `flw_${uuidPart}`,
  notification_id: `ntf_${uuidPart}`,
  delivery_id: `dlv_${uuidPart}`,
  suppression_id: `sup_${uuidPart}`,
  endpoint_id: `evp_${uuidPart}`,
  action_id: `act_${uuidPart}`,
  erasure_id: `ers_${uuidPart}`,
  key_id: `key_${uuidPart}`,
  source_type: 'slack',
}

/** Ids that are malformed in different ways. */
const malformedIds = [
  'x',
  'prj_',
  `${uuidPart}`,
  `prj_8${uuidPart.slice(1)}`,
  `PRJ_${uuidPart.toUpperCase()}`,
  `prj_${uuidPart}0`,
  '0',
  '-1',
  "'",
  '%00',
  '%F0%9F%98%80',
  '..',
  '*',
]

const flow = {
  name: 'a',
  active: true,
  source_type: 'smtp',
  target: 'stolen@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
}
const endpoint = { url: null, events: ['delivery.failed'], active: true, description: 'stolen' }
const message = { subject: 'a', message: 'b' }

/** A valid body for each operation that has one. */
const bodies: Record<string, (ids: Record<string, string>) => object> = {
  'projects.create': () => ({ name: 'created by bob' }),
  'projects.update': () => ({ name: 'stolen' }),
  'flows.create': () => flow,
  'flows.update': () => flow,
  'flows.patch': () => ({ target: 'stolen@example.com' }),
  'integrations.put': () => ({ settings: {}, secrets: { token: 'xoxb-1-2-stolen' } }),
  'suppressions.create': () => ({ target: 'bob@example.com' }),
  'erasures.create': () => ({ target: 'nobody@example.com' }),
  'eventEndpoints.create': () => endpoint,
  'eventEndpoints.update': () => endpoint,
  'eventEndpoints.replay': () => ({ after: null }),
  'deliveries.recordReceipt': () => ({ status: 'delivered' }),
  'apiKeys.create': ({ project_id }) => ({ name: 'a', project_id }),
  'notifications.send': ({ project_id }) => ({ project_id, ...message }),
  'notifications.preview': ({ project_id }) => ({ project_id, ...message }),
}

const operations = Object.entries(createOpenApiDocument({ version: '1' }).paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, parameters, requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    operationId,
    pathParameters: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    queryParameters: parameters.filter((parameter) => parameter.in === 'query' && parameter.name.endsWith('_id')).map(({ name }) => name),
    hasBody: requestBody !== undefined,
  })),
)
type Operation = (typeof operations)[number]
const hasIds = ({ operationId, pathParameters, queryParameters }: Operation) =>
  pathParameters.length + queryParameters.length > 0 || 'project_id' in (bodies[operationId]?.(unusedIds) ?? {})

const call = (operation: Operation, ids: Record<string, string>, key = server.keys.bob) => {
  const { method, path, operationId, queryParameters, hasBody } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)
  const query = queryParameters.map((name) => `${name}=${ids[name]}`).join('&')
  const body = bodies[operationId]
  if (hasBody && !body) throw new Error(`Add a body for ${operationId} to \`bodies\`.`)
  return server.request(method, query === '' ? filled : `${filled}?${query}`, { key, ...(hasBody ? { json: body?.(ids) } : {}) })
}

/** Returns the resources of `alice` as JSON, without the times at which keys were used. */
const readResources = async () => {
  const projectPath = `/v1/settings/projects/${aliceIds['project_id']}`
  const lists = ['flows', 'integrations', 'suppressions', 'event-endpoints'].map((list) => `${projectPath}/${list}`)
  const paths = [projectPath, ...lists, '/v1/notifications', '/v1/bulk-actions', '/v1/settings/api-keys']
  const responses = await Promise.all(paths.map((path) => server.request('GET', path)))
  return responses.map(({ json }) => JSON.stringify(json).replace(/"last_used_at":("[^"]*"|null)/g, ''))
}

describe("another user's resource", () => {
  for (const operation of operations.filter(hasIds))
    it(`gets the same 404 from ${operation.operationId} as a resource that does not exist`, async () => {
      const before = await readResources()
      const unknown = await call(operation, unusedIds)
      expectProblem(unknown, 'not_found')
      const response = await call(operation, aliceIds)
      expect(response.status).toBe(404)
      expect(withoutRequestId(response)).toEqual(withoutRequestId(unknown))
      // In each call, only one id in the path exists.
      for (const name of operation.pathParameters.slice(1))
        expect(withoutRequestId(await call(operation, { ...unusedIds, [name]: aliceIds[name] ?? '' }))).toEqual(withoutRequestId(unknown))
      expect(await readResources()).toEqual(before)
    })

  it('is in no list', async () => {
    for (const operation of operations.filter(({ method, pathParameters }) => method === 'GET' && pathParameters.length === 0)) {
      const { status, text } = await server.request('GET', operation.path, { key: server.keys.bob })
      expect(status).toBe(200)
      for (const [name, id] of Object.entries(aliceIds)) if (name !== 'source_type') expect(text).not.toContain(id)
    }
  })
})

describe('a malformed id', () => {
  for (const operation of operations.filter(({ pathParameters }) => pathParameters.length > 0))
    it(`gets the same 404 from ${operation.operationId} as an unused id`, async () => {
      const unknown = withoutRequestId(await call(operation, unusedIds, server.keys.alice))
      for (const id of malformedIds) {
        // The client removes dot segments, which results in another path.
        if (id === '..') continue
        const last = operation.pathParameters.at(-1) ?? ''
        expect(withoutRequestId(await call(operation, { ...aliceIds, [last]: id }, server.keys.alice)), id).toEqual(unknown)
      }
    })
})

describe('a key for one project', () => {
  it('has no access to another project of its user in any operation', async () => {
    const { project } = await createFlow(server)
    const projectKey = await createKey(server, { project_id: project.id })
    for (const operation of operations.filter(hasIds)) {
      const isForbidden = ['projects.delete', 'projects.deleteByQuery', 'erasures.get'].includes(operation.operationId)
      if (operation.operationId === 'apiKeys.delete') continue
      const response = await call(operation, aliceIds, projectKey.key)
      if (isForbidden) expectProblem(response, 'scope_missing')
      else expectProblem(response, 'not_found')
    }
    expectProblem(await server.request('POST', '/v1/settings/projects', { json: { name: 'more' }, key: projectKey.key }), 'scope_missing')
    const listed = await server.request('GET', '/v1/settings/projects', { key: projectKey.key })
    expect(listed.json.data.map(({ id }: { id: string }) => id)).toEqual([project.id])
  })
})
