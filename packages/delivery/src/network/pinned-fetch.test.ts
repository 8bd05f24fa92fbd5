import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRestrictedEgress } from './egress.ts'

const { signal } = new AbortController()
const { fetch } = createRestrictedEgress({ allowedNetworks: ['127.0.0.0/8'] })

interface ReplyingServer {
  readonly url: string
  /** Resolves when the client has closed a connection. */
  readonly closed: Promise<void>
  readonly requests: readonly string[]
}

/** Starts a server that sends a reply to the first request of each connection and leaves the connection open. */
const startReplyingServer = async (reply: string): Promise<ReplyingServer> => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    socket.on('close', () => resolve())
    socket.once('data', (data) => {
      requests.push(data.toString())
      socket.write(reply)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed, requests }
}

it('accepts a response with headers of up to 64 KiB', async () => {
  const { url } = await startReplyingServer(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Large: ${'x'.repeat(60_000)}\r\n\r\n`)
  expect((await fetch(url, { signal })).status).toBe(200)
})

describe('closes the connection', () => {
  it('after a response with an invalid status', async () => {
    // The response announces 100 bytes, but the server sends only one.
    const { url, closed } = await startReplyingServer('HTTP/1.1 999 Invalid\r\nContent-Length: 100\r\n\r\nx')
    await expect(fetch(url, { signal })).rejects.toThrow(RangeError)
    await closed
  })

  it.each([204, 205, 304])('after the status %i, even if the server sends a body that does not end', async (status) => {
    const { url, closed } = await startReplyingServer(`HTTP/1.1 ${status} Test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`)
    const response = await fetch(url, { signal })
    expect([response.status, await response.text()]).toEqual([status, ''])
    await closed
  })
})

it('declines compressed responses, which it does not decompress, unless the request accepts them', async () => {
  const { url, requests } = await startReplyingServer('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  await fetch(url, { signal })
  await fetch(url, { signal, headers: { 'Accept-Encoding': 'br' } })
  expect(requests.map((request) => /^accept-encoding: .*$/im.exec(request)?.[0])).toEqual([
    'accept-encoding: identity',
    'Accept-Encoding: br',
  ])
})
