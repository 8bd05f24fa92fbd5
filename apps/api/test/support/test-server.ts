import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { createFlowpost } from '@flowpost/client'
import { type App, type AppOptions, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/log.ts'
import { acquireDatabase } from './pooled-database.ts'
import type { TestDatabase } from './test-database.ts'

/** A server for a single test. */
export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly database: TestDatabase
  /** The lines of the server's log. */
  readonly logged: readonly string[]
  /** The API keys of the users `alice` and `bob`, with all scopes. */
  readonly keys: { readonly alice: string; readonly bob: string }
  /** The key of the user `local`, if the server has created one. */
  readonly firstKey: string | undefined
  /** Sends a request, with the key of `alice` unless `options.key` is set. */
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  /** Requests a page below `/outbox`, signed in with the link that the server prints. */
  openOutbox(path: string): Promise<TestResponse>
  /** The token in the outbox link that the server prints. */
  readonly outboxToken: string | undefined
  /** Returns an SDK client for `alice`. */
  client(): ReturnType<typeof createFlowpost>
  /** Stops the server without deleting its database. */
  stop(): Promise<void>
  /** Starts another server on the same database. */
  restart(options?: TestServerOptions): Promise<TestServer>
}

/** The options of {@link TestServer.request}. */
export interface RequestOptions {
  readonly json?: unknown
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The API key to send. `null` sends no credential. @default the key of `alice` */
  readonly key?: string | null
}

/** A response with its body. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any JSON response.
  readonly json: any
}

/** The options of {@link startTestServer}. */
export interface TestServerOptions extends Partial<Omit<AppOptions, 'config' | 'log'>> {
  readonly env?: Readonly<Record<string, string>>
  readonly database?: TestDatabase
  readonly keys?: TestServer['keys']
}

const createKey = (): string => `fp_${randomBytes(24).toString('base64url')}`

/** Starts a server on a free port, on a pooled database unless another one is given. */
export const startTestServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { env = {}, database = await acquireDatabase(), keys = { alice: createKey(), bob: createKey() }, ...rest } = options
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
  const app: App = await startApp({
    startThread: database.startThread,
    ...rest,
    config,
    log: createLog({ level: config.logLevel, destination }),
  })
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
    if (opened.status !== 303) throw new Error(`The link to the outbox returned ${opened.status}.`)
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
    restart: async (changes = {}) => startTestServer({ ...rest, env, database, keys, ...changes }),
    [Symbol.asyncDispose]: async () => {
      await stop()
      await database.remove()
    },
  }
}
