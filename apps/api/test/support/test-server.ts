import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { createFlowpost } from '@flowpost/client'
import { type App, type AppOptions, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/log.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** A server of a test's own, on a real port. */
export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly database: TestDatabase
  /** What the server has logged, a line each. */
  readonly logged: readonly string[]
  /** A key with all scopes of the user `alice`, and one of `bob`. */
  readonly keys: { readonly alice: string; readonly bob: string }
  /** The key of the user `local`, where the server has made one. */
  readonly firstKey: string | undefined
  /** Sends a request as `alice`, unless another key, or none, is given. */
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  /** Reads a page of the outbox, below `/outbox`, with the cookie of the printed link. */
  openOutbox(path: string): Promise<TestResponse>
  /** The token of the printed link to the outbox. */
  readonly outboxToken: string | undefined
  /** The SDK, as `alice`. */
  client(): ReturnType<typeof createFlowpost>
  /** Stops the server and keeps its database. */
  stop(): Promise<void>
  /** Starts another server on the same database. */
  restart(options?: TestServerOptions): Promise<TestServer>
}

/** What a request carries. */
export interface RequestOptions {
  readonly json?: unknown
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | null
}

/** An answer, its body read. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the server answered.
  readonly json: any
}

/** What a test server is made with. */
export interface TestServerOptions extends Partial<Omit<AppOptions, 'config' | 'log'>> {
  readonly env?: Readonly<Record<string, string>>
  readonly database?: TestDatabase
  readonly keys?: TestServer['keys']
}

const createKey = (): string => `fp_${randomBytes(24).toString('base64url')}`

/** Starts a server on a database of its own. */
export const startTestServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { env = {}, database = await createTestDatabase(), keys = { alice: createKey(), bob: createKey() }, ...rest } = options
  const logged: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(String(chunk))
      done()
    },
  })
  const { config } = readConfig({
    PORT: '0',
    FLOWPOST_BOOTSTRAP_KEYS: `alice:${keys.alice},bob:${keys.bob}`,
    ...database.env,
    ...env,
  })
  const app: App = await startApp({ ...rest, config, log: createLog({ level: config.logLevel, destination }) })
  const url = `http://127.0.0.1:${app.port}`
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= app.close())

  const request: TestServer['request'] = async (method, path, { json, body, headers = {}, key = keys.alice } = {}) => {
    const payload = json === undefined ? body : JSON.stringify(json)
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
  }

  const openOutbox = async (path: string): Promise<TestResponse> => {
    const opened = await fetch(`${url}/outbox?token=${app.outboxToken}`, { redirect: 'manual' })
    if (opened.status !== 303) throw new Error(`The link to the outbox was answered with ${opened.status}.`)
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    return request('GET', `/outbox${path}`, { key: null, headers: { cookie } })
  }

  return {
    url,
    database,
    logged,
    keys,
    firstKey: app.firstKey,
    outboxToken: app.outboxToken,
    request,
    openOutbox,
    client: () => createFlowpost({ baseUrl: url, apiKey: keys.alice }),
    stop,
    restart: async (next = {}) => startTestServer({ ...rest, env, database, keys, ...next }),
    [Symbol.asyncDispose]: async () => {
      await stop()
      await database.remove()
    },
  }
}
