import { lookup } from 'node:dns/promises'
import { isIP, isIPv4, Socket } from 'node:net'

/*
 * Refuses connections of tests to other machines before a packet leaves. Tests of the egress rules name public addresses and
 * those of cloud metadata: if a rule breaks, such a test must fail and reach nobody.
 */

const databaseUrl = process.env['TEST_DATABASE_URL']
const databaseAddresses = databaseUrl ? await lookup(new URL(databaseUrl).hostname, { all: true }).catch(() => []) : []
const allowed = new Set(['::1', '::', '0.0.0.0', ...databaseAddresses.map(({ address }) => address)])

/** Whether a test may connect to an address: to this machine and the server of `TEST_DATABASE_URL`. */
const isAllowed = (address: string): boolean => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return (isIPv4(plain) && plain.startsWith('127.')) || allowed.has(plain)
}

/** Returns the host of what `connect` is called with: options, or an array that begins with them, or a port and a host. */
const hostOf = ([first, second]: readonly unknown[]): unknown => {
  const options = Array.isArray(first) ? first[0] : first
  return typeof options === 'object' && options !== null && 'host' in options ? options.host : second
}

const connect = Socket.prototype.connect as (...values: unknown[]) => Socket

Socket.prototype.connect = function (this: Socket, ...values: unknown[]): Socket {
  const host = hostOf(values)
  if (typeof host === 'string' && isIP(host) > 0 && !isAllowed(host)) throw new Error(`A test may not connect to ${host}.`)
  // Node asks it about each address that a name resolves to, right before connecting.
  Object.assign(this, { blockList: { check: (address: string) => !isAllowed(address) } })
  return connect.apply(this, values)
}
