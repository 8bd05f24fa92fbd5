import { isIPv4 } from 'node:net'

const hostForm = /^(?<name>\[::1\]|[a-z0-9.-]{1,253})(?::\d{1,5})?$/i

/**
 * Whether a `Host` header names this machine by a loopback name: `localhost`, a name under it, an address
 * of 127.0.0.0/8 or `[::1]`, with any port. A page that had its own name rebound to 127.0.0.1 still sends
 * its own name here. Source: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
 */
export const isLoopbackHost = (host: string): boolean => {
  const name = hostForm.exec(host)?.groups?.['name']?.toLowerCase()
  if (name === undefined) return false
  return name === '[::1]' || name === 'localhost' || /^(?:[a-z0-9-]+\.)+localhost$/.test(name) || isLoopbackAddress(name)
}

/** Whether the address of a socket is a loopback address, an IPv4 one mapped into IPv6 included. */
export const isLoopbackAddress = (address: string): boolean => {
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}
