import { createServer, type Server } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { certificate, certificateKey } from '../test/tls-fixture.ts'
import { startRecordingServer } from './conformance/http-case.ts'
import { createEgressGuard, type EgressPolicy } from './egress.ts'

const signal = new AbortController().signal
const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A guard that resolves names as a test says and may reach any port. */
const guardWith = (addresses: readonly string[], policy: EgressPolicy = {}) =>
  createEgressGuard({ resolve: async () => addresses, httpPorts: 'any', smtpPorts: 'any', plainHttp: true, ...policy })

async function listen(): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

describe('a guarded connection', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '169.254.169.254', '10.0.0.1'])(
    'is not made to the literal address %s',
    async (host) => {
      const { port, connections } = await listen()
      await expect(guardWith([]).connect({ host, port, timeoutMs: 500 }, signal)).rejects.toMatchObject({
        kind: 'credential',
        code: 'address_not_allowed',
      })
      expect(connections()).toBe(0)
    },
  )

  it.each([['127.0.0.1'], ['::1'], ['::ffff:7f00:1'], ['64:ff9b::7f00:1']])(
    'is not made to a name that resolves to %s, and the address is not told',
    async (address) => {
      const { port, connections } = await listen()
      const attempt = guardWith([address]).connect({ host: 'inside.example', port, timeoutMs: 500 }, signal)
      await expect(attempt).rejects.toMatchObject({ code: 'address_not_allowed', message: 'inside.example is not on the public internet.' })
      expect(connections()).toBe(0)
    },
  )

  it('is made only to the allowed ones of several addresses', async () => {
    const { port, connections } = await listen()
    const guard = guardWith(['10.9.9.9', '127.0.0.1'], { allowedNetworks: ['127.0.0.0/8'] })
    const socket = await guard.connect({ host: 'mixed.example', port, timeoutMs: 500 }, signal)
    expect(socket.remoteAddress).toBe('127.0.0.1')
    expect(connections()).toBe(1)
    socket.destroy()
  })

  it('is made to the address that was checked, with no second look-up', async () => {
    const { port } = await listen()
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    let lookups = 0
    const guard = guardWith([], {
      allowedNetworks: ['127.0.0.0/8'],
      resolve: async () => {
        lookups += 1
        return answers.shift() ?? []
      },
    })
    await guard.connect({ host: 'rebinding.example', port, timeoutMs: 500 }, signal).then(
      (socket) => socket.destroy(),
      () => {},
    )
    expect(lookups).toBe(1)
  })

  it('is not made to a port that is not for SMTP', async () => {
    const guard = createEgressGuard()
    await expect(guard.connect({ host: '1.1.1.1', port: 22, timeoutMs: 500 }, signal)).rejects.toMatchObject({ code: 'port_not_allowed' })
  })

  it('is made on any port where the network is listed, and to nothing else on such a port', async () => {
    const { port, connections } = await listen()
    const listed = { allowedNetworks: ['127.0.0.0/8'] }
    const guardTo = (addresses: readonly string[]) => createEgressGuard({ ...listed, resolve: async () => addresses })
    for (const host of ['127.0.0.1', 'relay.example']) {
      const socket = await guardTo(['1.1.1.1', '127.0.0.1']).connect({ host, port, timeoutMs: 500 }, signal)
      expect(socket.remoteAddress).toBe('127.0.0.1')
      socket.destroy()
    }
    for (const host of ['1.1.1.1', 'outside.example']) {
      const attempt = guardTo(['1.1.1.1', '10.0.0.1']).connect({ host, port: 22, timeoutMs: 500 }, signal)
      await expect(attempt).rejects.toMatchObject({ code: 'port_not_allowed' })
    }
    const inside = guardTo(['10.0.0.1']).connect({ host: 'inside.example', port: 22, timeoutMs: 500 }, signal)
    await expect(inside).rejects.toMatchObject({ code: 'address_not_allowed' })
    expect(connections()).toBe(2)
  })

  it.each(['169.254.169.254', '168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', 'fd00:ec2::254'])(
    'is not made to the metadata address %s, whatever the deployment lists',
    async (address) => {
      const guard = guardWith([address], { allowedNetworks: ['0.0.0.0/0', '::/0', address] })
      for (const host of [address, 'metadata.example']) {
        await expect(guard.connect({ host, port: 80, timeoutMs: 500 }, signal)).rejects.toMatchObject({ code: 'address_not_allowed' })
        const url = `http://${host.includes(':') ? `[${host}]` : host}/`
        await expect(guard.fetch(url, { signal: AbortSignal.timeout(500) })).rejects.toMatchObject({ code: 'address_not_allowed' })
      }
    },
  )

  it('fails with the error of the look-up', async () => {
    const guard = guardWith([], { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) })
    await expect(guard.connect({ host: 'nowhere.example', port: 25, timeoutMs: 500 }, signal)).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  it('ends with the signal', async () => {
    const controller = new AbortController()
    const attempt = guardWith([], { resolve: () => new Promise(() => {}) }).connect(
      { host: 'slow.example', port: 25, timeoutMs: 60_000 },
      controller.signal,
    )
    controller.abort(new Error('enough'))
    await expect(attempt).rejects.toThrow('enough')
  })

  it('is not made for longer than its time', async () => {
    const attempt = guardWith([], { resolve: () => new Promise(() => {}) }).connect(
      { host: 'slow.example', port: 25, timeoutMs: 50 },
      signal,
    )
    await expect(attempt).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  })
})

describe('a guarded request', () => {
  it.each(['http://127.0.0.1', 'http://[::1]', 'http://2130706433', 'http://0x7f.1', 'http://localhost', 'http://127.1'])(
    'is not made to %s',
    async (base) => {
      const server = await startRecordingServer(() => ({ status: 200 }))
      closers.push(server.close)
      const attempt = guardWith(['127.0.0.1']).fetch(`${base}:${server.port}/`, { signal })
      await expect(attempt).rejects.toMatchObject({ code: 'address_not_allowed' })
      expect(server.requests).toEqual([])
    },
  )

  it('does not follow a redirect to the network inside', async () => {
    const inside = await startRecordingServer(() => ({ status: 200 }))
    const outside = await startRecordingServer(() => ({ status: 302, headers: { location: inside.url } }))
    closers.push(inside.close, outside.close)
    const response = await guardWith(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] }).fetch(`http://outside.example:${outside.port}/`, {
      signal,
    })
    expect(response.status).toBe(302)
    expect(inside.requests).toEqual([])
  })

  it('sends method, headers and body, and reads the answer', async () => {
    const server = await startRecordingServer(() => ({ status: 201, body: 'Ü', headers: { 'x-answer': '1' } }))
    closers.push(server.close)
    const guard = guardWith(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] })
    const response = await guard.fetch(`http://hooks.example:${server.port}/a?b=c`, {
      method: 'POST',
      headers: { 'x-ask': '2' },
      body: 'é',
      signal,
    })
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/a?b=c',
      body: 'é',
      headers: { 'x-ask': '2', host: `hooks.example:${server.port}`, 'content-length': '2' },
    })
    expect([response.status, response.headers.get('x-answer'), await response.text()]).toEqual([201, '1', 'Ü'])
  })

  it('needs TLS and port 443 unless the deployment says otherwise', async () => {
    const guard = createEgressGuard({ resolve: async () => ['1.1.1.1'] })
    await expect(guard.fetch('http://example.com/', { signal })).rejects.toMatchObject({ code: 'https_required' })
    await expect(guard.fetch('https://example.com:8443/', { signal })).rejects.toMatchObject({ code: 'port_not_allowed' })
  })

  it('does without TLS and port 443 only where the network is listed', async () => {
    const server = await startRecordingServer(() => ({ status: 200 }))
    closers.push(server.close)
    const listed = { allowedNetworks: ['127.0.0.0/8'] }
    const inside = createEgressGuard({ ...listed, resolve: async () => ['1.1.1.1', '127.0.0.1'] })
    for (const host of ['127.0.0.1', 'hooks.example'])
      expect((await inside.fetch(`http://${host}:${server.port}/`, { signal })).status).toBe(200)
    const outside = createEgressGuard({ ...listed, resolve: async () => ['1.1.1.1'] })
    for (const host of ['1.1.1.1', 'outside.example']) {
      await expect(outside.fetch(`http://${host}/`, { signal })).rejects.toMatchObject({ code: 'https_required' })
      await expect(outside.fetch(`https://${host}:8443/`, { signal })).rejects.toMatchObject({ code: 'port_not_allowed' })
    }
    expect(server.requests).toHaveLength(2)
  })

  it('is made by HTTP and to nothing else', async () => {
    const guard = guardWith(['127.0.0.1'], { allowedNetworks: ['127.0.0.0/8'] })
    for (const url of ['ftp://hooks.example/', 'gopher://hooks.example:80/', 'file:///etc/passwd'])
      await expect(guard.fetch(url, { signal })).rejects.toMatchObject({ code: 'https_required' })
  })

  it('over TLS checks the certificate of the name, not of the address', async () => {
    const server: Server = createServer({ key: certificateKey, cert: certificate }, (_, response) => response.end('secret'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const guard = guardWith(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] })
    await expect(guard.fetch(`https://hooks.example:${port}/`, { signal })).rejects.toThrow(/certificate/i)
  })

  it('ends with the signal', async () => {
    const server = await startRecordingServer(() => () => {})
    closers.push(server.close)
    const controller = new AbortController()
    const attempt = guardWith(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] }).fetch(`http://hooks.example:${server.port}/`, {
      signal: controller.signal,
    })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(attempt).rejects.toMatchObject({ name: 'AbortError' })
  })
})

it('refuses a policy with a range that cannot be read', () => {
  expect(() => createEgressGuard({ allowedNetworks: ['10.0.0.0/99'] })).toThrow(/10\.0\.0\.0\/99/)
})

it('leaves no connection open after an answer with a status that is none', async () => {
  const closed = Promise.withResolvers<void>()
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.on('close', closed.resolve)
    // Says that more comes, and says nothing more.
    socket.once('data', () => socket.write('HTTP/1.1 999 Odd\r\nContent-Length: 100\r\n\r\nx'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo
  const guard = guardWith([], { allowedNetworks: ['127.0.0.0/8'] })
  await expect(guard.fetch(`http://127.0.0.1:${port}/`, { signal })).rejects.toThrow(RangeError)
  await closed.promise
})
