import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Pool, type QueryConfig } from 'pg'
import { listenOnLoopback } from '../processes/listen-on-loopback.ts'
import { expose } from '../processes/rpc.ts'

/** The database that a baseline's server uses; see {@link serveBaseline}. */
export interface BaselineStart {
  readonly databaseUrl: string
  /** The number of connections to the database. */
  readonly poolSize: number
}

/** An HTTP request to a baseline's server. */
export interface BaselineRequest {
  readonly path: string
  readonly body: string
  /** Returns the SHA-256 of the bearer token. The database stores this hash instead of the token. */
  tokenHash(): Buffer
}

/**
 * How a baseline handles a request: `statement` creates an SQL statement, and `respond` converts the resulting rows to the
 * response.
 */
export interface BaselineHandler {
  statement(request: BaselineRequest): QueryConfig
  respond(rows: readonly object[]): { status: number; body: string }
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  if (request.method === 'GET') return ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => resolve(Buffer.concat(chunks).toString()))
  request.on('error', reject)
  return promise
}

const tokenHash = (request: IncomingMessage) => () =>
  createHash('sha256')
    .update((request.headers.authorization ?? '').slice('Bearer '.length))
    .digest()

const program = (handler: BaselineHandler) => ({
  /** Starts the server. Returns its port. */
  start: async ({ databaseUrl, poolSize }: BaselineStart) => {
    const pool = new Pool({ connectionString: databaseUrl, max: poolSize })
    const server = createServer((request, response) => {
      const handle = async () => {
        const body = await readBody(request)
        const { rows } = await pool.query<object>(handler.statement({ path: request.url ?? '', body, tokenHash: tokenHash(request) }))
        const { status, body: responseBody } = handler.respond(rows)
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(responseBody) }
        response.writeHead(status, headers).end(responseBody)
      }
      handle().catch((error: unknown) => {
        console.error(error)
        response.writeHead(500, { 'Content-Length': 0 }).end()
      })
    })
    return listenOnLoopback(server)
  },
})

/** The functions that a baseline process exposes. */
export type Baseline = ReturnType<typeof program>

/** Runs this process as a baseline: a `node:http` server that runs one prepared statement per request. */
export const serveBaseline = (handler: BaselineHandler): void => expose(program(handler))
