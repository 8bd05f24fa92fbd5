import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { holdRequests } from './hold-until-ready.ts'

const serve = async () => {
  const held = holdRequests((_request, response) => response.end('served'))
  const server = createServer(held.listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { held, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()

test('serves requests that arrived before the release, and later ones', async () => {
  const { held, server, url } = await serve()
  const early = textOf(url)
  await once(server, 'request')
  held.release()

  expect([await early, await textOf(url)]).toEqual(['served', 'served'])
})

test('closes the connections of waiting requests', async () => {
  const { held, server, url } = await serve()
  const early = textOf(url)
  await once(server, 'request')
  held.drop()

  await expect(early).rejects.toThrow('fetch failed')
})
