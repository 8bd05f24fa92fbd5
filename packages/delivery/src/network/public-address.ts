import { BlockList, isIP } from 'node:net'

/**
 * IPv4 ranges that are not publicly routable: all ranges in the IANA IPv4 Special-Purpose Address Registry (RFC 6890) that
 * are not globally reachable, and multicast (RFC 5771).
 */
const reservedIpv4Ranges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The global unicast range of IPv6 (RFC 4291 section 2.5.4). Every other range is reserved. */
const globalIpv6Ranges = ['2000::/3']

/**
 * The reserved ranges within the global range: protocol assignments (including Teredo), documentation, 6to4, and a
 * second range for documentation (RFC 9637).
 */
const reservedIpv6Ranges = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** IPv6 ranges that embed an IPv4 address in their last 32 bits: IPv4-mapped (RFC 4291) and NAT64 (RFC 6052). */
const ipv4EmbeddingRanges = ['::ffff:0:0/96', '64:ff9b::/96']

/** A set of IP address ranges. */
export interface AddressRanges {
  readonly includes: (address: string) => boolean
}

/**
 * Parses ranges in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. An address without a prefix length is a range of one
 * address.
 *
 * @throws TypeError when a range is invalid. The error message contains that range.
 */
export function parseAddressRanges(ranges: readonly string[]): AddressRanges {
  const blockLists = { 4: new BlockList(), 6: new BlockList() } as const
  for (const range of ranges) {
    const [address = '', length, ...rest] = range.split('/')
    const family = isIP(address)
    const bits = family === 4 ? 32 : 128
    const prefix = length === undefined ? bits : Number(length)
    if ((family !== 4 && family !== 6) || rest.length > 0 || !/^\d+$/.test(length ?? '0') || prefix > bits) {
      throw new TypeError(`${JSON.stringify(range)} is not an address range. Use CIDR notation, as in 10.0.0.0/8 or fd00::/8.`)
    }
    blockLists[family].addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    includes(address) {
      const family = isIP(address)
      return (family === 4 && blockLists[4].check(address, 'ipv4')) || (family === 6 && blockLists[6].check(address, 'ipv6'))
    },
  }
}

/**
 * The addresses of cloud metadata services, which hand out a machine's credentials. All link-local addresses are included,
 * because most cloud providers use one of them: 169.254.169.254 (AWS, Azure, Google, Oracle and others), 169.254.170.2 and
 * 169.254.170.23 (AWS containers), 169.254.0.23 (Tencent) and 169.254.42.42 (Scaleway).
 */
const metadataServiceRanges = [
  '169.254.0.0/16',
  'fe80::/10',
  // A public address of Azure's platform: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16',
  // The IPv4 metadata addresses of Alibaba Cloud, Volcano Engine and Oracle Cloud (classic), in this order.
  '100.100.100.200',
  '100.96.0.96',
  '192.0.0.192',
  // The IPv6 metadata addresses of AWS, Google Cloud, Scaleway, Oracle Cloud and Linode, in this order.
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fd00:a9fe:a9fe::1',
]

const reservedIpv4 = parseAddressRanges(reservedIpv4Ranges)
const globalIpv6 = parseAddressRanges(globalIpv6Ranges)
const reservedIpv6 = parseAddressRanges(reservedIpv6Ranges)
const ipv4Embedding = parseAddressRanges(ipv4EmbeddingRanges)
const metadataServices = parseAddressRanges(metadataServiceRanges)

/** Returns whether an address belongs to the metadata service of a cloud provider. */
export function isMetadataAddress(address: string): boolean {
  return metadataServices.includes(extractIpv4(address) ?? address)
}

/**
 * Returns whether an address is on the public internet. Returns false for private, local, shared, reserved, multicast and
 * metadata addresses, and for text that is not an IP address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (isMetadataAddress(address)) return false
  if (family === 4) return !reservedIpv4.includes(address)
  if (family !== 6 || address.includes('%')) return false
  const embedded = extractIpv4(address)
  return embedded === undefined ? globalIpv6.includes(address) && !reservedIpv6.includes(address) : isPublicAddress(embedded)
}

/** Returns the IPv4 address that an IPv6 address embeds, or undefined. Ignores the zone of the address, such as `%eth0`. */
export function extractIpv4(addressWithZone: string): string | undefined {
  const [address = ''] = addressWithZone.split('%', 1)
  if (isIP(address) !== 6 || !ipv4Embedding.includes(address)) return undefined
  // The URL parser normalizes IPv6 addresses: the last 32 bits become two hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  const bits = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join('.')
}
