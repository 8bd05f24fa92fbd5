import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { signEvent } from '@flowpost/client/events'
import { createFlowpostMock, type FlowpostMock } from '@flowpost/testing'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { app as expressApp } from './express.ts'
import { app as fastifyApp } from './fastify.ts'
import { followEvents } from './follow.ts'
import { app as honoApp } from './hono.ts'
import worker from './worker.ts'

const secret = `whsec_${'A'.repeat(43)}=`
const otherSecret = `whsec_${'B'.repeat(43)}=`
const page = readFileSync(resolve(import.meta.dirname, '../../docs/events.md'), 'utf8')

const expressServer = expressApp.listen(0, '127.0.0.1')
await once(expressServer, 'listening')
const expressUrl = `http://127.0.0.1:${(expressServer.address() as AddressInfo).port}`
const fastifyUrl = await fastifyApp.listen({ port: 0, host: '127.0.0.1' })
afterAll(async () => {
  expressServer.close()
  await fastifyApp.close()
})

const forwardTo = (origin: string) => async (request: Request) =>
  fetch(origin + new URL(request.url).pathname, { method: 'POST', headers: request.headers, body: await request.text() })

const receivers: [string, (request: Request) => Response | Promise<Response>][] = [
  ['express.ts', forwardTo(expressUrl)],
  ['fastify.ts', forwardTo(fastifyUrl)],
  ['hono.ts', (request) => honoApp.fetch(request)],
  ['worker.ts', (request) => worker.fetch(request, { FLOWPOST_EVENT_SECRET: secret })],
]

let log: ReturnType<typeof vi.fn>
beforeEach(() => {
  vi.stubEnv('FLOWPOST_EVENT_SECRETS', `${otherSecret} ${secret}`)
  log = vi.spyOn(console, 'log').mockReturnValue() as never
})

const seed = (mock: FlowpostMock, target: string) => {
  const flow = mock.seed.flow({ target })
  const url = 'https://billing.example.com/flowpost-events'
  mock.seed.eventEndpoint({ project_id: flow.project_id, url, secret })
  mock.faults.deliveriesTo(target, 'bounce')
  const message = { project_id: flow.project_id, subject: 'Invoice', message: 'It is ready.', reference: target }
  return () => mock.client().notifications.send(message)
}

describe.each(receivers)('the receiver in %s', (name, receive) => {
  it('handles each event once', async () => {
    const mock = createFlowpostMock({ now: Date.now(), seed: name.length })
    const send = seed(mock, `${name}@example.com`)
    mock.events.deliverTo(receive)
    await send()
    await mock.events.delivered()
    const [endpoint] = mock.requests.length > 0 ? (await mock.client().projects.list()).data : []
    const { data } = await mock.client().eventEndpoints.list(endpoint?.id ?? '')
    expect(data[0]?.health).toMatchObject({ status: 'healthy' })
    await mock.client().eventEndpoints.replay(endpoint?.id ?? '', data[0]?.id ?? '', { after: null })
    await mock.events.delivered()
    expect(log.mock.calls.flat()).toEqual([`${name}@example.com: ${name}@example.com failed with 5.1.1`, `${name}@example.com: failed`])
  })

  it('responds with 400 to a forged request', async () => {
    const url = 'https://billing.example.com/flowpost-events'
    const body = '{"id":"evt_1","type":"test.ping","data":{}}'
    const signed = await signEvent(body, { id: 'evt_1', secret })
    const respond = async (changed: string, headers: Record<string, string>) => {
      const response = await receive(new Request(url, { method: 'POST', headers, body: changed }))
      return [response.status, await response.text()]
    }
    expect(await respond(body, signed)).toEqual([204, ''])
    expect(await respond(`${body} `, signed)).toEqual([400, expect.stringContaining('No signature matches.')])
    const { 'webhook-id': _, ...unsigned } = signed
    expect(await respond(body, { ...unsigned, 'content-type': 'text/plain' })).toEqual([
      400,
      expect.stringContaining('webhook-id is missing'),
    ])
  })

  // The runtime of worker.ts limits bodies.
  it.skipIf(name === 'worker.ts')('responds with 413 to a body of more than 5 MB', async () => {
    const body = 'x'.repeat(5_500_000)
    expect((await receive(new Request('https://billing.example.com/flowpost-events', { method: 'POST', body }))).status).toBe(413)
  })

  it('is in the documentation', () => {
    expect(page).toContain(`<!-- ${name} -->\n\`\`\`ts\n${readFileSync(resolve(import.meta.dirname, name), 'utf8')}\`\`\`\n`)
  })
})

describe('follow.ts', () => {
  it('continues after a restart with the next event', async () => {
    const mock = createFlowpostMock({ seed: 99 })
    const send = seed(mock, 'follow@example.com')
    let stored: string | undefined
    const run = async (count: number) => {
      const controller = new AbortController()
      let saved = 0
      const save = async (cursor: string | undefined) => {
        stored = cursor
        saved += 1
        if (saved === count) controller.abort()
      }
      await followEvents(mock.client(), { load: async () => stored, save }, controller.signal)
    }
    await send()
    await send()
    await run(1)
    expect(log.mock.calls).toHaveLength(1)
    await run(3)
    expect(log.mock.calls.flat()).toEqual(
      Array(2).fill(['follow@example.com: follow@example.com failed with 5.1.1', 'follow@example.com: failed']).flat(),
    )
  })
})

describe('the event documentation', () => {
  it.each(['handle-event.ts', 'follow.ts', 'receiver.test.ts'])('contains %s', (name) => {
    expect(page).toContain(`<!-- ${name} -->\n\`\`\`ts\n${readFileSync(resolve(import.meta.dirname, name), 'utf8')}\`\`\`\n`)
  })
})
