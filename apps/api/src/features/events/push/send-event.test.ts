import { createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProviderClient } from '@flowpost/delivery'
import { expect, it, onTestFinished } from 'vitest'
import { createEncryption } from '../../../shared/encryption.ts'
import { newUuid } from '../../../shared/ids.ts'
import { createSecret, encryptSecrets } from '../endpoint-secrets.ts'
import { createEventSender } from './send-event.ts'

/** Sends an event to an endpoint that returns `status` and a body that does not end. The request has no time limit. */
const sendTo = async (status: number) => {
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    request.resume()
    response.writeHead(status).write('x'.repeat(100_000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const providerClient = createProviderClient({
    egress: { allowedNetworks: ['127.0.0.0/8'] },
    clock: { now: Date.now, setTimer: () => () => {} },
  })
  onTestFinished(async () => {
    await providerClient.close()
    server.close()
    server.closeAllConnections()
  })
  const encryption = createEncryption([{ id: 'key', key: createSecretKey(randomBytes(32)) }])
  const send = createEventSender({ providerClient, encryption, clock: { now: () => new Date() } as never })
  const id = newUuid()
  const { port } = server.address() as AddressInfo
  const secrets = encryptSecrets(encryption, id, { current: createSecret() })
  const result = await send({ id, url: `http://127.0.0.1:${port}/`, secrets }, { id: newUuid(), type: 'test.ping', json: '{}' })
  const [response] = responses
  if (response && !response.closed) await once(response, 'close')
  return result
}

it('reports an event as delivered at the status, without waiting for the body, and closes the connection', {
  timeout: 10_000,
}, async () => {
  expect(await sendTo(200)).toMatchObject({ status: 200, failure: null })
})

it('reports a failure at the status, without waiting for the body, and closes the connection', { timeout: 10_000 }, async () => {
  expect(await sendTo(500)).toMatchObject({ status: 500, failure: { code: 'http_500' } })
})
