import { createServer, type Server } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { certificate, certificateKey } from '../../test/tls-fixture.ts'
import { startMockServer } from '../conformance/http-case.ts'
import { createRestrictedEgress, type EgressPolicy } from './egress.ts'

const signal = new AbortController().signal
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** Creates an egress that resolves every name to the given addresses and allows any port and scheme. */
const createEgress = (addresses: readonly string[], policy: EgressPolicy = {}) =>
  createRestrictedEgress({ resolve: async () => addresses, httpPorts: 'any', smtpPorts: 'any', plainHttp: true, ...policy })

async function listen(): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

describe('connect', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '169.254.169.254', '10.0.0.1'])(
    'rejects the literal address %s',
    async (host) => {
      const { port, connections } = await listen()
      await expect(createEgress([]).connect({ host, port, timeoutMs: 500 }, signal)).rejects.toMatchObject({
        kind: 'credential',
        code: 'address_not_allowed',
      })
      expect(connections()).toBe(0)
    },
  )

  it.each([['127.0.0.1'], ['::1'], ['::ffff:7f00:1'], ['64:ff9b::7f00:1']])(
    'rejects a name that resolves to %s without revealing the address',
    async (address) => {
      const { port, connections } = await listen()
      const attempt = createEgress([address]).connect({ host: 'inside.example', port, timeoutMs: 500 }, signal)
      await expect(attempt).rejects.toMatchObject({ code: 'address_not_allowed', message: 'inside.example is not on the public internet.' })
      expect(connections()).toBe(0)
    },
  )

  it('connects only to the allowed addresses of a host with several addresses', async () => {
    const { port, connections } = await listen()
    const egress = createEgress(['10.9.9.9', '127.0.0.1'], { allowedNetworks: ['127.0.0.0/8'] })
    const socket = await egress.connect({ host: 'mixed.example', port, timeoutMs: 500 }, signal)
    expect(socket.remoteAddress).toBe('127.0.0.1')
    expect(connections()).toBe(1)
    socket.destroy()
  })

  it('connects to the checked address without a second lookup', async () => {
    const { port } = await listen()
    const resolutions = [['127.0.0.2'], ['127.0.0.1']]
    let lookups = 0
    const egress = createEgress([], {
      allowedNetworks: ['127.0.0.0/8'],
      resolve: async () => {
        lookups += 1
        return resolutions.shift() ?? []
      },
    })
    await egress.connect({ host: 'rebinding.example', port, timeoutMs: 500 }, signal).then(
      (socket) => socket.destroy(),
      () => {},
    )
    expect(lookups).toBe(1)
  })

  it('rejects ports that are not allowed for SMTP', async () => {
    const egress = createRestrictedEgress()
    await expect(egress.connect({ host: '1.1.1.1', port: 22, timeoutMs: 500 }, signal)).rejects.toMatchObject({ code: 'port_not_allowed' })
  })

  it('allows any port only for addresses in listed networks', async () => {
    const { port, connections } = await listen()
    const listed = { allowedNetworks: ['127.0.0.0/8'] }
    const createListedEgress = (addresses: readonly string[]) => createRestrictedEgress({ ...listed, resolve: async () => addresses })
    for (const host of ['127.0.0.1', 'relay.example']) {
      const socket = await createListedEgress(['1.1.1.1', '127.0.0.1']).connect({ host, port, timeoutMs: 500 }, signal)
      expect(socket.remoteAddress).toBe('127.0.0.1')
      socket.destroy()
    }
    for (const host of ['1.1.1.1', 'outside.example']) {
      const attempt = createListedEgress(['1.1.1.1', '10.0.0.1']).connect({ host, port: 22, timeoutMs: 500 }, signal)
      await expect(attempt).rejects.toMatchObject({ code: 'port_not_allowed' })
    }
    const inside = createListedEgress(['10.0.0.1']).connect({ host: 'inside.example', port: 22, timeoutMs: 500 }, signal)
    await expect(inside).rejects.toMatchObject({ code: 'address_not_allowed' })
    expect(connections()).toBe(2)
  })

  it.each(['169.254.169.254', '168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', 'fd00:ec2::254'])(
    'rejects the metadata address %s even in a listed network',
    async (address) => {
      const egress = createEgress([address], { allowedNetworks: ['0.0.0.0/0', '::/0', address] })
      for (const host of [address, 'metadata.example']) {
        await expect(egress.connect({ host, port: 80, timeoutMs: 500 }, signal)).rejects.toMatchObject({ code: 'address_not_allowed' })
        const url = `http://${host.includes(':') ? `[${host}]` : host}/`
        await expect(egress.fetch(url, { signal: AbortSignal.timeout(500) })).rejects.toMatchObject({ code: 'address_not_allowed' })
      }
    },
  )

  it("rejects with the lookup's error", async () => {
    const egress = createEgress([], { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) })
    await expect(egress.connect({ host: 'nowhere.example', port: 25, timeoutMs: 500 }, signal)).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  it('rejects when the signal aborts', async () => {
    const controller = new AbortController()
    const attempt = createEgress([], { resolve: () => new Promise(() => {}) }).connect(
      { host: 'slow.example', port: 25, timeoutMs: 60_000 },
      controller.signal,
    )
    controller.abort(new Error('canceled'))
    await expect(attempt).rejects.toThrow('canceled')
  })

  it('rejects after the time limit', async () => {
    const attempt = createEgress([], { resolve: () => new Promise(() => {}) }).connect(
      { host: 'slow.example', port: 25, timeoutMs: 50 },
      signal,
    )
    await expect(attempt).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  })
})

describe('fetch', () => {
  it.each(['http://127.0.0.1', 'http://[::1]', 'http://2130706433', 'http://0x7f.1', 'http://localhost', 'http://127.1'])(
    'rejects %s',
    async (base) => {
      const server = await startMockServer(() => ({ status: 200 }))
      cleanups.push(server.close)
      const attempt = createEgress(['127.0.0.1']).fetch(`${base}:${server.port}/`, { signal })
      await expect(attempt).rejects.toMatchObject({ code: 'address_not_allowed' })
      expect(server.requests).toEqual([])
    },
  )

  it('does not follow a redirect to an internal address', async () => {
    const inside = await startMockServer(() => ({ status: 200 }))
    const outside = await startMockServer(() => ({ status: 302, headers: { location: inside.url } }))
    cleanups.push(inside.close, outside.close)
    const response = await createEgress(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] }).fetch(
      `http://outside.example:${outside.port}/`,
      {
        signal,
      },
    )
    expect(response.status).toBe(302)
    expect(inside.requests).toEqual([])
  })

  it('sends method, headers and body, and returns the response', async () => {
    const server = await startMockServer(() => ({ status: 201, body: 'Ü', headers: { 'x-response': '1' } }))
    cleanups.push(server.close)
    const egress = createEgress(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] })
    const response = await egress.fetch(`http://hooks.example:${server.port}/a?b=c`, {
      method: 'POST',
      headers: { 'x-request': '2' },
      body: 'é',
      signal,
    })
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/a?b=c',
      body: 'é',
      headers: { 'x-request': '2', host: `hooks.example:${server.port}`, 'content-length': '2' },
    })
    expect([response.status, response.headers.get('x-response'), await response.text()]).toEqual([201, '1', 'Ü'])
  })

  it('requires TLS and port 443 by default', async () => {
    const egress = createRestrictedEgress({ resolve: async () => ['1.1.1.1'] })
    await expect(egress.fetch('http://example.com/', { signal })).rejects.toMatchObject({ code: 'https_required' })
    await expect(egress.fetch('https://example.com:8443/', { signal })).rejects.toMatchObject({ code: 'port_not_allowed' })
  })

  it('allows other ports and plain HTTP only for addresses in listed networks', async () => {
    const server = await startMockServer(() => ({ status: 200 }))
    cleanups.push(server.close)
    const listed = { allowedNetworks: ['127.0.0.0/8'] }
    const inside = createRestrictedEgress({ ...listed, resolve: async () => ['1.1.1.1', '127.0.0.1'] })
    for (const host of ['127.0.0.1', 'hooks.example'])
      expect((await inside.fetch(`http://${host}:${server.port}/`, { signal })).status).toBe(200)
    const outside = createRestrictedEgress({ ...listed, resolve: async () => ['1.1.1.1'] })
    for (const host of ['1.1.1.1', 'outside.example']) {
      await expect(outside.fetch(`http://${host}/`, { signal })).rejects.toMatchObject({ code: 'https_required' })
      await expect(outside.fetch(`https://${host}:8443/`, { signal })).rejects.toMatchObject({ code: 'port_not_allowed' })
    }
    expect(server.requests).toHaveLength(2)
  })

  it('rejects schemes other than HTTP', async () => {
    const egress = createEgress(['127.0.0.1'], { allowedNetworks: ['127.0.0.0/8'] })
    for (const url of ['ftp://hooks.example/', 'gopher://hooks.example:80/', 'file:///etc/passwd'])
      await expect(egress.fetch(url, { signal })).rejects.toMatchObject({ code: 'https_required' })
  })

  it('verifies the certificate against the host name', async () => {
    const server: Server = createServer({ key: certificateKey, cert: certificate }, (_, response) => response.end('secret'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const egress = createEgress(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] })
    await expect(egress.fetch(`https://hooks.example:${port}/`, { signal })).rejects.toThrow(/certificate/i)
  })

  it('rejects when the signal aborts', async () => {
    const server = await startMockServer(() => () => {})
    cleanups.push(server.close)
    const controller = new AbortController()
    const attempt = createEgress(['127.0.0.1'], { allowedNetworks: ['127.0.0.1'] }).fetch(`http://hooks.example:${server.port}/`, {
      signal: controller.signal,
    })
    setTimeout(() => controller.abort(new Error('canceled')), 20)
    await expect(attempt).rejects.toMatchObject({ name: 'AbortError' })
  })
})

it('rejects a policy with an invalid range', () => {
  expect(() => createRestrictedEgress({ allowedNetworks: ['10.0.0.0/99'] })).toThrow(/10\.0\.0\.0\/99/)
})
