import { isIPv4, isIPv6 } from 'node:net'

// Some proxies append the client's port to the address in X-Forwarded-For, and enclose an IPv6 address in brackets.
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/
const ipv4Mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** Returns the /64 network of an IPv6 address: the first four of its eight groups. */
const network = (address: string): string => {
  const [head = '', tail] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    // An IPv4 address at the end counts as two groups.
    const missing = 8 - groups.length - after.length - (tail.includes('.') ? 1 : 0)
    groups.push(...Array.from({ length: missing }, () => '0'), ...after)
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Returns the key for limits per client address. It is the IPv4 address, or the /64 network of the IPv6 address: one
 * subscriber has all addresses of at least a /64 (RFC 6177).
 * @param ip Express's `request.ip`, which respects `trust proxy`.
 */
export const clientAddress = (ip: string | undefined): string => {
  const match = withPort.exec(ip ?? '')
  const [plain = ''] = (match?.[1] ?? match?.[2] ?? ip ?? '').split('%', 1)
  const v4 = ipv4Mapped.exec(plain)?.[1] ?? plain
  if (isIPv4(v4)) return v4
  return isIPv6(plain) ? `${network(plain)}::/64` : 'unknown'
}
