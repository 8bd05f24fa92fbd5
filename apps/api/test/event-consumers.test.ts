import { createFlowpost } from '@flowpost/client'
import { verifyEvent } from '@flowpost/client/events'
import { expect, it, onTestFinished } from 'vitest'
import { createEndpoint, endpointPath, eventEnv } from './support/event-endpoints.ts'
import { startEventReceiver } from './support/event-receiver.ts'
import { untilHealth } from './support/pushed-endpoints.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { loopbackEgress } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const options = {
  env: { ...eventEnv, FLOWPOST_CAPTURE: 'on' },
  egress: loopbackEgress,
  retryPolicy: { initialWaitMs: 1, maxWaitMs: 20, budgetMs: 60_000 },
}

const start = async (): Promise<TestServer> => {
  const server = await startTestServer(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

it('sends requests that `verifyEvent` accepts with the current secret and, after a rotation, with the previous one', async () => {
  const server = await start()
  const receiver = await startEventReceiver()
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  const { project } = await createFlow(server)
  const endpoint = await createEndpoint(server, project.id, { url: `${receiver.url}/`, events: ['delivery.sent'] })
  const { id } = await readCompleted(server, (await send(server, project.id)).id)
  await receiver.waitFor(({ length }) => length === 1)
  // If the secret were rotated before the response is recorded, the server would send the event again.
  await untilHealth(server, endpoint, 'healthy')
  const { json: rotated } = await server.request('POST', `${endpointPath(endpoint)}/rotate-secret`)
  await server.request('POST', `${endpointPath(endpoint)}/test`)
  await receiver.waitFor(({ length }) => length === 2)

  const [sent, ping] = receiver.received
  if (!sent || !ping) throw new Error('The receiver has received nothing.')
  const event = await verifyEvent(sent.body, sent.headers, endpoint.secret)
  expect(event.type === 'delivery.sent' && event.data.notification_id).toBe(id)
  await expect(verifyEvent(`${sent.body} `, sent.headers, endpoint.secret)).rejects.toMatchObject({ code: 'no_matching_signature' })
  await expect(verifyEvent(sent.body, sent.headers, rotated.secret)).rejects.toMatchObject({ code: 'no_matching_signature' })
  for (const secret of [endpoint.secret, rotated.secret])
    expect(await verifyEvent(ping.body, ping.headers, secret)).toMatchObject({ type: 'test.ping', data: { endpoint_id: endpoint.id } })
})

it('lets `follow` continue after restarts of the server, without a gap or a repetition', async () => {
  let server = await start()
  const { project } = await createFlow(server)
  await createEndpoint(server, project.id, { events: ['notification.settled'] })
  // The port changes with each restart, so the client uses a fixed URL that `fetch` replaces.
  const fetch = (url: string, init: RequestInit) => globalThis.fetch(url.replace('http://flowpost.test', server.url), init)
  const flowpost = createFlowpost({ baseUrl: 'http://flowpost.test', apiKey: server.keys.alice, fetch, random: () => 0.1 })
  onTestFinished(() => flowpost[Symbol.dispose]())
  const followed: string[] = []
  const stream = flowpost.events.follow({ project_id: project.id, limit: 3 })
  const loop = async (count: number) => {
    for await (const event of stream) {
      if (event.type === 'notification.settled') followed.push(event.data.id)
      if (followed.length === count) return
    }
  }
  const sent: string[] = []
  const done = loop(12)
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 4; count += 1) sent.push((await readCompleted(server, (await send(server, project.id)).id)).id)
    if (round === 2) break
    await server.stop()
    server = await server.restart()
    onTestFinished(() => server.stop())
  }
  await done
  expect(followed).toEqual(sent)
  const resumed = flowpost.events.follow({ project_id: project.id, cursor: stream.cursor })
  const later = await readCompleted(server, (await send(server, project.id)).id)
  for await (const event of resumed) {
    expect(event).toMatchObject({ type: 'notification.settled', data: { id: later.id } })
    break
  }
})
