import { Agent, request as httpRequest } from 'node:http'
import type { OpenApiDocument } from '@flowpost/contract'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createRequests, type FuzzRequest, type Ids } from './api-requests.ts'
import { createRandom, type Random } from './random.ts'
import { createResponseCheck, type FuzzResponse } from './response-check.ts'

/** The options of {@link fuzzApi}. */
export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** The number of requests in flight. With 1, the seed alone determines the run. */
  readonly concurrency: number
  /** Called after every 1,000 requests. */
  readonly onThousand?: () => void
}

/** The result of {@link fuzzApi}. */
export interface FuzzResult {
  /** The violations, each with its request. */
  readonly failures: readonly string[]
  /** The number of responses, keyed by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** The methods of successful requests. */
  readonly succeeded: ReadonlySet<string>
}

const timeoutMs = 15_000
const maxResources = 100

/** Starts a server whose provider URLs point to a closed port on this machine, so that it sends nothing to other hosts. */
export const startFuzzServer = (): Promise<TestServer> =>
  startTestServer({
    env: {
      LOG_LEVEL: 'error',
      FLOWPOST_RATE_LIMIT: 'off',
      FLOWPOST_CAPTURE: 'on',
      FLOWPOST_SLACK_API_URL: 'http://127.0.0.1:1/',
      FLOWPOST_MAILGUN_API_URL: 'http://127.0.0.1:1/',
      FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    },
  })

const sendRequest = (url: string, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const { hostname, port } = new URL(url)
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const request = httpRequest(
      { hostname, port, agent, method, path, headers: { ...headers, ...length }, timeout: timeoutMs },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            durationMs: performance.now() - startedMs,
          }),
        )
      },
    )
    request.on('timeout', () => request.destroy(new Error(`No response within ${timeoutMs} ms.`)))
    request.on('error', reject)
    request.end(body)
  })

const fieldOf: Readonly<Record<string, string>> = { prj: 'project_id', flw: 'flow_id', ntf: 'notification_id', key: 'key_id' }

/** Returns the ids of every resource in a response body. */
const resourcesIn = (value: unknown): Ids[] => {
  if (value === null || typeof value !== 'object') return []
  const { id, project_id: project } = value as { id?: unknown; project_id?: unknown }
  const field = typeof id === 'string' ? fieldOf[id.slice(0, 3)] : undefined
  const ids = field === undefined ? [] : [{ [field]: String(id), ...(typeof project === 'string' ? { project_id: project } : {}) }]
  return [...ids, ...Object.values(value).flatMap(resourcesIn)]
}

/** Updates the list of existing resources after a response, so that later requests can refer to them. */
const updateResources = (
  resources: Ids[],
  excludedIds: ReadonlySet<string>,
  random: Random,
  request: FuzzRequest,
  { status, body, headers }: FuzzResponse,
): void => {
  if (request.method === 'DELETE' && status === 204) {
    const [deletedId] = /(prj|flw|key)_\w{26}(?=$|\?|&)/.exec(request.path) ?? []
    const remaining = resources.filter((ids) => !Object.values(ids).includes(deletedId ?? ''))
    resources.splice(0, resources.length, ...remaining)
  }
  if (status >= 300 || body === '' || !String(headers['content-type']).includes('json')) return
  for (const ids of resourcesIn(JSON.parse(body))) {
    if (Object.values(ids).some((id) => excludedIds.has(id))) continue
    if (resources.length < maxResources) resources.push(ids)
    else resources[random.below(maxResources)] = ids
  }
}

/** Sends a corrupted request, which the server may reject or drop. Returns a message if the response is a server error. */
const sendCorrupted = async (server: TestServer, random: Random): Promise<string | undefined> => {
  const bytes = Buffer.from(
    `GET /v1/settings/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.keys.bob}\r\nConnection: close\r\n\r\n`,
  )
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) bytes[random.below(bytes.length)] = random.below(256)
  const { status } = await sendRaw(server.url, bytes.subarray(0, 1 + random.below(bytes.length)), 50)
  return status >= 500 ? `The response to a corrupted request is ${status}.` : undefined
}

/** Sends random requests to a server and checks every response against the OpenAPI document. */
export const fuzzApi = async (server: TestServer, document: OpenApiDocument, options: FuzzOptions): Promise<FuzzResult> => {
  const random = createRandom(options.seed)
  const resources: Ids[] = []
  // The run must not revoke the keys that it uses.
  const usedKeyIds = new Set<string>((await server.request('GET', '/v1/settings/api-keys')).json.data.map(({ id }: { id: string }) => id))
  const nextRequest = createRequests(document, random, [...Array.from({ length: 9 }, () => server.keys.alice), server.keys.bob], resources)
  const checkResponse = createResponseCheck(document)
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency })
  const failures: string[] = []
  const statuses = new Map<number, number>()
  const succeeded = new Set<string>()
  let count = 0

  const sendNext = async (): Promise<void> => {
    if (random.chance(0.02)) {
      const failure = await sendCorrupted(server, random)
      if (failure) failures.push(failure)
      return
    }
    const request = nextRequest()
    const line = `${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers).slice(0, 500)} ${String(request.body).slice(0, 500)}`
    try {
      const response = await sendRequest(server.url, agent, request)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.status < 300) succeeded.add(request.method)
      const failure = checkResponse(request, response)
      if (failure) failures.push(`${failure}\n  ${line}\n  ${response.status} ${response.body.slice(0, 500)}`)
      updateResources(resources, usedKeyIds, random, request, response)
    } catch (error) {
      failures.push(`${(error as Error).message}\n  ${line}`)
    }
  }
  const work = async (): Promise<void> => {
    while (count < options.requests) {
      count += 1
      await sendNext()
      if (count % 1_000 === 0) options.onThousand?.()
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  agent.destroy()
  return { failures, statuses, succeeded }
}
