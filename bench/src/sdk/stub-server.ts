import { createServer } from 'node:http'
import { listenOnLoopback } from '../processes/listen-on-loopback.ts'
import { expose } from '../processes/rpc.ts'

const createdAt = '2026-11-22T12:00:00.000Z'

/** The id that every response contains, so that a caller can check that the SDK parsed the response. */
const id = 'created_1'

/** The response for each path, in the format that the SDK for this path expects. All responses have a similar size. */
const responses: Readonly<Record<string, object>> = {
  '/v1/notifications': { id, project_id: 'prj_1', status: 'queued', subject: 'Invoice 42', created_at: createdAt, deliveries: [] },
  '/v1/chat/completions': {
    id,
    object: 'chat.completion',
    created: 1_795_348_800,
    model: 'gpt-5',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Thanks.' }, finish_reason: 'stop' }],
  },
  '/v1/customers': { id, object: 'customer', created: 1_795_348_800, name: 'Ada', email: 'ada@example.com', metadata: {} },
  '/emails': { id, object: 'email', from: 'billing@example.com', to: ['ada@example.com'], created_at: createdAt, last_event: 'queued' },
  '/api/v1/app/app_1/msg': { id, eventType: 'invoice.ready', payload: { text: 'Your invoice is ready.' }, timestamp: createdAt },
  '/v1/workflows/invoice-ready/trigger': { workflow_run_id: id, workflow: 'invoice-ready', recipients: ['ada'], created_at: createdAt },
  '/repos/flowpost/flowpost/issues': { node_id: id, number: 42, title: 'Invoice 42', state: 'open', user: null, created_at: createdAt },
}

const bodies = new Map(Object.entries(responses).map(([path, body]) => [path, JSON.stringify(body)]))

const program = {
  /** Starts the server. It accepts one kind of request from each SDK. @returns the port. */
  start: async () => {
    const server = createServer((request, response) => {
      const body = bodies.get(request.url?.replace(/\/?(\?.*)?$/, '') ?? '')
      request.resume()
      response.writeHead(body === undefined || request.method !== 'POST' ? 404 : 201, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body ?? '{}'),
      })
      response.end(body ?? '{}')
    })
    // The timeout is longer than a round, so that no SDK has to reconnect.
    server.keepAliveTimeout = 600_000
    return listenOnLoopback(server)
  },
}

/** A server for all SDKs. It uses almost no CPU time, so that the client is the bottleneck. */
export type StubServer = typeof program

expose(program)
