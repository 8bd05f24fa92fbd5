import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Listening, listen } from './listen.ts'
import { maxWaiting } from './pipelining.ts'

const largeBytes = 16 * 1_048_576
let server: Listening
let client: Socket
let received = ''
let started: string[] = []
/** The responses of the requests to `/open`, which the tests end. */
let open: ServerResponse[] = []

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  started.push(request.url ?? '')
  if (request.url === '/open') open.push(response)
  else if (request.url === '/large') response.end(Buffer.alloc(largeBytes))
  else response.end(`<${request.url} ${(await buffer(request)).length}>`)
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const post = (path: string, bytes: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`
const responses = (): string[] => received.match(/<[^>]*>/g) ?? []
/** Waits until the server has had time to start another request. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 100))

beforeEach(async () => {
  received = ''
  started = []
  open = []
  server = await listen(handle, '127.0.0.1', 0)
  client = connect(server.port, '127.0.0.1')
  client.on('error', () => {})
  client.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
})
afterEach(async () => {
  client.destroy()
  await server.close(100)
})

it('handles pipelined requests one at a time, in their order', async () => {
  client.write(get('/open') + post('/a', 5) + get('/open') + get('/b'))
  await expect.poll(() => started).toEqual(['/open'])
  await aMoment()
  expect(started).toEqual(['/open'])
  open[0]?.end('<open>')
  await expect.poll(() => started).toEqual(['/open', '/a', '/open'])
  await aMoment()
  open[1]?.end('<open>')
  await expect.poll(responses).toEqual(['<open>', '</a 5>', '<open>', '</b 0>'])
})

it('starts no request while the client does not read the previous response', async () => {
  client.pause()
  client.write(get('/large') + get('/a'))
  await expect.poll(() => started).toEqual(['/large'])
  await aMoment()
  expect(started).toEqual(['/large'])
  client.resume()
  await expect.poll(responses).toEqual(['</a 0>'])
})

it('receives a large body that arrived while its request waited', async () => {
  client.write(get('/open') + post('/a', 1_000_000) + get('/b'))
  await expect.poll(() => started).toEqual(['/open'])
  await aMoment()
  open[0]?.end()
  await expect.poll(responses).toEqual(['</a 1000000>', '</b 0>'])
})

it('accepts as many waiting requests as the limit, repeatedly', async () => {
  for (let round = 1; round <= 3; round += 1) {
    client.write(get('/a').repeat(maxWaiting + 1))
    await expect.poll(() => responses().length).toBe(round * (maxWaiting + 1))
  }
})

it('closes a connection with more waiting requests, and handles none of them', async () => {
  client.write(get('/open') + get('/a').repeat(2_000))
  await once(client, 'close')
  open[0]?.end()
  await aMoment()
  expect([started, received]).toEqual([['/open'], ''])
})

it('handles no waiting request after a response that closes the connection', async () => {
  client.write(get('/open') + post('/a', 5))
  await expect.poll(() => open.length).toBe(1)
  open[0]?.setHeader('Connection', 'close').end('<open>')
  await once(client, 'close')
  expect([started, responses()]).toEqual([['/open'], ['<open>']])
})

it('handles no waiting request of a client that has disconnected', async () => {
  client.write(get('/open') + post('/a', 5))
  await expect.poll(() => open.length).toBe(1)
  const closed = once(open[0] as ServerResponse, 'close')
  client.resetAndDestroy()
  await closed
  open[0]?.end()
  await aMoment()
  expect(started).toEqual(['/open'])
})

it('handles waiting requests of a client that has closed its side of the connection', async () => {
  client.pause()
  client.write(get('/large') + post('/a', 5))
  client.end()
  await expect.poll(() => started).toEqual(['/large'])
  client.resume()
  await once(client, 'close')
  expect(responses()).toEqual(['</a 5>'])
})

it('handles no waiting request after a CONNECT request, which ends the connection', async () => {
  client.pause()
  client.write(`${get('/large')}${post('/a', 5)}CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n`)
  await expect.poll(() => started).toEqual(['/large'])
  client.resume()
  await once(client, 'close')
  expect(started).toEqual(['/large'])
})

it('handles waiting requests before the server closes', async () => {
  client.write(get('/open') + get('/a'))
  await expect.poll(() => open.length).toBe(1)
  const closed = server.close(5_000)
  open[0]?.end('<open>')
  await closed
  await expect.poll(responses).toEqual(['<open>', '</a 0>'])
})

it('does not send the response to a malformed request in place of that to an earlier one', async () => {
  client.write(get('/open'))
  await expect.poll(() => started).toEqual(['/open'])
  client.write('malformed\r\n\r\n')
  await once(client, 'close')
  expect(received).toBe('')
})
