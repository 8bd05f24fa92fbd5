import { isIPv4, isIPv6 } from 'node:net'

const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** The first four of the eight groups of an IPv6 address. */
const network = (address: string): string => {
  const [head = '', tail] = address.split('::', 2)
  const before = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    // An IPv4 address at the end takes the room of two groups.
    const room = 8 - before.length - after.length - (tail.includes('.') ? 1 : 0)
    before.push(...Array.from({ length: room }, () => '0'), ...after)
  }
  return before
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * What requests from one place are counted under: an IPv4 address, or the /64 network of an IPv6 address,
 * because one subscriber has a whole /64 to take addresses from (RFC 6177).
 * @param ip as Express gives it, after `trust proxy`.
 */
export const clientAddress = (ip: string | undefined): string => {
  const [plain = ''] = (ip ?? '').split('%', 1)
  const v4 = mapped.exec(plain)?.[1] ?? plain
  if (isIPv4(v4)) return v4
  return isIPv6(plain) ? `${network(plain)}::/64` : 'unknown'
}
