import { Agent, request as send } from 'node:http'
import type { OpenApiDocument } from '@flowpost/contract'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createAnswerCheck, type FuzzAnswer } from './answers.ts'
import { createRandom, type Random } from './random.ts'
import { createRequests, type FuzzRequest, type Ids } from './requests.ts'

/** What a run is made with. */
export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** How many are on their way at a time; with one, the same seed makes the same run. */
  readonly atOnce: number
  /** Called after every so many requests. */
  readonly each?: { readonly requests: number; readonly call: () => void }
}

/** What a run has found. */
export interface FuzzResult {
  /** What was wrong, with the request that did it. */
  readonly faults: readonly string[]
  readonly statuses: ReadonlyMap<number, number>
  /** The methods that were answered with success. */
  readonly succeeded: ReadonlySet<string>
}

const hangMs = 15_000
const mostKnown = 100

/** A server whose providers can only be reached on this machine, at a port where nobody listens. */
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

const ask = (url: string, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const { hostname, port } = new URL(url)
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const request = send({ hostname, port, agent, method, path, headers: { ...headers, ...length }, timeout: hangMs }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
          tookMs: performance.now() - startedMs,
        }),
      )
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${hangMs} ms`)))
    request.on('error', reject)
    request.end(body)
  })

const fieldOf: Readonly<Record<string, string>> = { prj: 'project_id', flw: 'flow_id', ntf: 'notification_id', key: 'key_id' }

/** Every object with an id in an answer. */
const resourcesIn = (value: unknown): Ids[] => {
  if (value === null || typeof value !== 'object') return []
  const { id, project_id: project } = value as { id?: unknown; project_id?: unknown }
  const field = typeof id === 'string' ? fieldOf[id.slice(0, 3)] : undefined
  const own = field === undefined ? [] : [{ [field]: String(id), ...(typeof project === 'string' ? { project_id: project } : {}) }]
  return [...own, ...Object.values(value).flatMap(resourcesIn)]
}

/** Remembers what an answer tells of, so that later requests are about something that exists. */
const remember = (
  known: Ids[],
  kept: ReadonlySet<string>,
  random: Random,
  request: FuzzRequest,
  { status, body, headers }: FuzzAnswer,
): void => {
  if (request.method === 'DELETE' && status === 204) {
    const [gone] = /(prj|flw|key)_\w{26}(?=$|\?|&)/.exec(request.path) ?? []
    const left = known.filter((ids) => !Object.values(ids).includes(gone ?? ''))
    known.splice(0, known.length, ...left)
  }
  if (status >= 300 || body === '' || !String(headers['content-type']).includes('json')) return
  for (const ids of resourcesIn(JSON.parse(body))) {
    if (Object.values(ids).some((id) => kept.has(id))) continue
    if (known.length < mostKnown) known.push(ids)
    else known[random.below(mostKnown)] = ids
  }
}

/** Bytes that are nearly a request: the server may refuse or drop them, and must go on serving. */
const sendGarbage = async (server: TestServer, random: Random): Promise<string | undefined> => {
  const whole = Buffer.from(
    `GET /v1/settings/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.keys.bob}\r\nConnection: close\r\n\r\n`,
  )
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) whole[random.below(whole.length)] = random.below(256)
  const { status } = await sendRaw(server.url, whole.subarray(0, 1 + random.below(whole.length)), 50)
  return status >= 500 ? `garbage was answered with ${status}` : undefined
}

/** Sends random requests to a server and checks every answer against the document. */
export const fuzz = async (server: TestServer, document: OpenApiDocument, options: FuzzOptions): Promise<FuzzResult> => {
  const random = createRandom(options.seed)
  const known: Ids[] = []
  // The keys that the run itself works with must not be revoked by it.
  const kept = new Set<string>((await server.request('GET', '/v1/settings/api-keys')).json.data.map(({ id }: { id: string }) => id))
  const next = createRequests(document, random, [...Array.from({ length: 9 }, () => server.keys.alice), server.keys.bob], known)
  const check = createAnswerCheck(document)
  const agent = new Agent({ keepAlive: true, maxSockets: options.atOnce })
  const faults: string[] = []
  const statuses = new Map<number, number>()
  const succeeded = new Set<string>()
  let made = 0

  const one = async (): Promise<void> => {
    if (random.chance(0.02)) {
      const fault = await sendGarbage(server, random)
      if (fault) faults.push(fault)
      return
    }
    const request = next()
    const line = `${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers).slice(0, 500)} ${String(request.body).slice(0, 500)}`
    try {
      const answer = await ask(server.url, agent, request)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status < 300) succeeded.add(request.method)
      const fault = check(request, answer)
      if (fault) faults.push(`${fault}\n  ${line}\n  ${answer.status} ${answer.body.slice(0, 500)}`)
      remember(known, kept, random, request, answer)
    } catch (error) {
      faults.push(`${(error as Error).message}\n  ${line}`)
    }
  }
  const work = async (): Promise<void> => {
    while (made < options.requests) {
      made += 1
      await one()
      if (options.each && made % options.each.requests === 0) options.each.call()
    }
  }
  await Promise.all(Array.from({ length: options.atOnce }, work))
  agent.destroy()
  return { faults, statuses, succeeded }
}
