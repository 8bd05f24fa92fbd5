import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool, type QueryConfig } from 'pg'
import { offer } from '../processes/calls.ts'

/** What a baseline is started with. */
export interface BaselineStart {
  readonly databaseUrl: string
  /** Connections to the database. */
  readonly poolSize: number
}

/** A request as a baseline sees it. */
export interface BaselineRequest {
  readonly path: string
  readonly body: string
  /** SHA-256 of the bearer token, as the server stores it. */
  tokenHash(): Buffer
}

/** The one statement that answers a request, and what is made of its rows. */
export interface BaselineWork {
  statement(request: BaselineRequest): QueryConfig
  answer(rows: readonly object[]): { status: number; body: string }
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

const program = (work: BaselineWork) => ({
  /** @returns the port that it listens on. */
  start: async ({ databaseUrl, poolSize }: BaselineStart) => {
    const pool = new Pool({ connectionString: databaseUrl, max: poolSize })
    const server = createServer((request, response) => {
      const handle = async () => {
        const body = await readBody(request)
        const { rows } = await pool.query<object>(work.statement({ path: request.url ?? '', body, tokenHash: tokenHash(request) }))
        const answer = work.answer(rows)
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer.body) }
        response.writeHead(answer.status, headers).end(answer.body)
      }
      handle().catch((error: unknown) => {
        console.error(error)
        response.writeHead(500, { 'Content-Length': 0 }).end()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
})

/** What a baseline offers. */
export type Baseline = ReturnType<typeof program>

/** Makes this process a baseline: bare node:http and one prepared statement a request. */
export const offerBaseline = (work: BaselineWork): void => offer(program(work))
