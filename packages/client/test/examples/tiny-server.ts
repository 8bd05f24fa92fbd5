import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

type Fields = Record<string, unknown>

interface ServerResult {
  readonly status: number
  readonly body?: unknown
  readonly etag?: string
}

/** An in-memory server with the features that the documentation examples need. */
export interface TinyServer extends AsyncDisposable {
  readonly baseUrl: string
  /** `METHOD /path` of all requests so far. */
  readonly requests: readonly string[]
}

const at = '2026-11-21T09:30:00.000Z'
const problem = (status: number, code: string): ServerResult => ({
  status,
  body: { type: 'about:blank', title: code, status, detail: code, code, request_id: 'req' },
})

/** Starts the server on a free port of 127.0.0.1. */
export const startTinyServer = async (): Promise<TinyServer> => {
  const store = new Map<string, Fields>()
  const replays = new Map<string, ServerResult>()
  const requests: string[] = []
  let count = 0

  const revision = (fields: Fields) => `"${fields['revision']}"`
  const save = (prefix: string, fields: Fields) => {
    const id = (fields['id'] as string | undefined) ?? `${prefix}_${String(++count).padStart(26, '0')}`
    const saved = { ...fields, id, revision: ++count, created_at: at, updated_at: at }
    store.set(id, saved)
    return saved
  }
  const all = (prefix: string, match: Fields = {}) =>
    [...store.values()].filter(
      (fields) => String(fields['id']).startsWith(prefix) && Object.entries(match).every(([key, value]) => fields[key] === value),
    )
  const page = (items: Fields[], query: URLSearchParams): ServerResult => {
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit') ?? 100)
    return { status: 200, body: { data: items.slice(from, to), next_cursor: to < items.length ? String(to) : null } }
  }
  const one = (fields: Fields, status = 200): ServerResult => ({ status, body: fields, etag: revision(fields) })

  const complete = (fields: Fields): Fields => ({
    ...fields,
    status: 'sent',
    deliveries: (fields['deliveries'] as Fields[]).map((delivery) => ({ ...delivery, status: 'sent', sent_at: at, attempts: [] })),
  })

  const create = (path: string, body: Fields): ServerResult => {
    const inProject = /^\/v1\/settings\/projects\/(\w+)\/flows$/.exec(path)
    if (inProject) return one(save('flw', { active: true, warnings: [], ...body, project_id: inProject[1] }), 201)
    if (path === '/v1/settings/projects')
      return all('prj', { name: body['name'] }).length > 0 ? problem(409, 'project_name_taken') : one(save('prj', body), 201)
    if (path === '/v1/bulk-actions') {
      if (body['dry_run']) return { status: 200, body: { matched: 0, is_complete: true, counts: [] } }
      return { status: 202, body: save('act', { ...body, status: 'done', matched: 0, done: 0, skipped: 0 }) }
    }
    if (path === '/v1/notifications/batch')
      return {
        status: 200,
        body: {
          results: (body['notifications'] as Fields[]).map((item) => {
            const { status, body: result } = create('/v1/notifications', item)
            return status === 202 ? { status, notification: result } : { status, problem: result }
          }),
        },
      }
    if (path.endsWith('/suppressions')) return one(save('sup', body), 201)
    if (path === '/v1/erasures') return { status: 202, body: save('ers', { ...body, status: 'running' }) }
    if (path !== '/v1/notifications') return problem(404, 'not_found')
    const flows = all('flw', { project_id: body['project_id'], active: true })
    if (flows.length === 0) return problem(409, 'no_active_flows')
    const deliveries = flows.map(({ id, target, source_type }) => ({
      id: `dlv_${++count}`,
      flow_id: id,
      target,
      source_type,
      status: 'queued',
      failure: null,
    }))
    return { status: 202, body: save('ntf', { ...body, status: 'queued', deliveries }) }
  }

  const read = (path: string, query: URLSearchParams, headers: IncomingMessage['headers']): ServerResult => {
    if (path === '/v1/notifications') return page(all('ntf').map(complete), query)
    if (path === '/v1/settings/history') return page(all('his'), query)
    if (path.endsWith('/explanation')) return { status: 200, body: { flows: [], unknown: null } }
    if (path.endsWith('/flows')) return page(all('flw', { project_id: path.split('/')[4] }), query)
    const resource = store.get(path.split('/').at(-1) ?? '')
    if (!resource) return problem(404, 'not_found')
    if (headers['if-none-match'] === revision(resource)) return { status: 304, etag: revision(resource) }
    return one(path.startsWith('/v1/notifications') ? complete(resource) : resource)
  }

  const write = (path: string, body: Fields, headers: IncomingMessage['headers']): ServerResult => {
    const resource = store.get(path.split('/').at(-1) ?? '')
    if (!resource) return problem(404, 'not_found')
    if (headers['if-match'] && headers['if-match'] !== revision(resource)) return problem(412, 'etag_mismatch')
    return one(save('', { ...resource, ...body }))
  }

  const handle = async (request: IncomingMessage): Promise<ServerResult> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    const { method = '', headers } = request
    requests.push(`${method} ${pathname}`)
    if (headers.authorization !== 'Bearer fp_example') return problem(401, 'unauthenticated')
    if (method === 'GET') return read(pathname, searchParams, headers)
    const body = JSON.parse((await readText(request)) || '{}') as Fields
    if (method !== 'POST') return write(pathname, body, headers)
    const key = `${pathname} ${headers['idempotency-key']}`
    const result = replays.get(key) ?? create(pathname, body)
    if (result.status < 300) replays.set(key, result)
    return result
  }

  const server = createServer(async (request, response: ServerResponse) => {
    const { status, body, etag } = await handle(request)
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...(etag && { etag }) })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
