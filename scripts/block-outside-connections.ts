import { lookup } from 'node:dns/promises'
import { isIP, isIPv4, Socket } from 'node:net'

/*
 * Blocks connections from tests to other machines. Tests of the egress rules use public addresses and the addresses of cloud
 * metadata services. If a rule is broken, such a test must fail without sending a packet.
 */

const databaseUrl = process.env['TEST_DATABASE_URL']
const databaseAddresses = databaseUrl ? await lookup(new URL(databaseUrl).hostname, { all: true }).catch(() => []) : []
const allowed = new Set(['::1', '::', '0.0.0.0', ...databaseAddresses.map(({ address }) => address)])

/** Returns whether a test may connect to an address. Only this machine and the server of `TEST_DATABASE_URL` are allowed. */
const isAllowed = (address: string): boolean => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return (isIPv4(plain) && plain.startsWith('127.')) || allowed.has(plain)
}

/**
 * Returns the host from the arguments of `connect`. The first argument is an options object, an array that begins with an
 * options object, or a port. After a port, the second argument is the host.
 */
const hostOf = ([first, second]: readonly unknown[]): unknown => {
  const options = Array.isArray(first) ? first[0] : first
  return typeof options === 'object' && options !== null && 'host' in options ? options.host : second
}

const connect = Socket.prototype.connect as (...values: unknown[]) => Socket

Socket.prototype.connect = function (this: Socket, ...values: unknown[]): Socket {
  const host = hostOf(values)
  if (typeof host === 'string' && isIP(host) > 0 && !isAllowed(host))
    throw new Error(`Blocked a connection to ${host}. Tests may connect only to this machine and TEST_DATABASE_URL.`)
  // If the host is a name, Node checks each resolved address against this list before it connects.
  Object.assign(this, { blockList: { check: (address: string) => !isAllowed(address) } })
  return connect.apply(this, values)
}
