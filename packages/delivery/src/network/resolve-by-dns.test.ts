import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { resolveByDns } from './resolve-by-dns.ts'

/** Starts a DNS server that answers queries for IPv4 addresses, and never answers others. Returns a resolver that uses it. */
const startResolver = async (): Promise<Resolver> => {
  const server = createSocket('udp4')
  onTestFinished(() => void server.close())
  server.on('message', (query, { port, address }) => {
    // A query has a header of 12 bytes, the name as labels that end with 0, the type and the class (RFC 1035 section 4.1).
    let end = 12
    while (query[end] !== 0) end += (query[end] ?? 0) + 1
    if (query.readUInt16BE(end + 1) !== 1) return
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(1, 6)
    header.writeUInt32BE(0, 8)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
    server.send(Buffer.concat([header, query.subarray(12, end + 5), answer]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  // Without an answer, this resolver would give up after the test's timeout.
  const resolver = new Resolver({ timeout: 120_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return resolver
}

it('returns the IPv4 addresses of a host whose name server never answers queries for IPv6 addresses', async () => {
  expect(await resolveByDns('mail.example.com', await startResolver())).toEqual(['192.0.2.1'])
})
