import { BlockList, isIP } from 'node:net'

/**
 * IPv4 ranges that are not for the public internet: the IANA IPv4 Special-Purpose Address Registry (RFC 6890)
 * without the ranges that are globally reachable, and multicast (RFC 5771).
 */
const specialIpv4 = [
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

/** The part of IPv6 that is given out for the public internet (RFC 4291 section 2.5.4); all else is special. */
const globalIpv6 = ['2000::/3']

/** Exceptions within it: protocol assignments with Teredo, documentation, 6to4, and documentation again (RFC 9637). */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** IPv6 addresses that stand for an IPv4 address in their last 32 bits: mapped (RFC 4291) and NAT64 (RFC 6052). */
const embeddingIpv6 = ['::ffff:0:0/96', '64:ff9b::/96']

/** A set of address ranges. */
export interface AddressRanges {
  readonly includes: (address: string) => boolean
}

/**
 * Reads ranges in CIDR notation, as in `10.0.0.0/8` or `fd00::/8`; a single address stands for itself.
 *
 * @throws TypeError naming the range that cannot be read.
 */
export function addressRanges(ranges: readonly string[]): AddressRanges {
  const lists = { 4: new BlockList(), 6: new BlockList() } as const
  for (const range of ranges) {
    const [address = '', length, ...rest] = range.split('/')
    const family = isIP(address)
    const bits = family === 4 ? 32 : 128
    const prefix = length === undefined ? bits : Number(length)
    if ((family !== 4 && family !== 6) || rest.length > 0 || !/^\d+$/.test(length ?? '0') || prefix > bits) {
      throw new TypeError(`${JSON.stringify(range)} is not an address range, as in 10.0.0.0/8 or fd00::/8.`)
    }
    lists[family].addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    includes(address) {
      const family = isIP(address)
      return (family === 4 && lists[4].check(address, 'ipv4')) || (family === 6 && lists[6].check(address, 'ipv6'))
    },
  }
}

/**
 * Where cloud providers give a machine its own credentials and start-up data: nothing that a tenant may ever reach. All of
 * link-local is among them, because most providers use addresses of it (AWS, Azure, Google, Oracle and others
 * 169.254.169.254; containers of AWS 169.254.170.2 and .23; Tencent 169.254.0.23; Scaleway 169.254.42.42).
 */
const metadataRanges = [
  '169.254.0.0/16',
  'fe80::/10',
  // Azure: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16. An address of the public internet otherwise.
  '168.63.129.16',
  // Alibaba Cloud, Volcano Engine, Oracle Cloud (classic).
  '100.100.100.200',
  '100.96.0.96',
  '192.0.0.192',
  // Over IPv6: AWS, Google Cloud, Scaleway, Oracle Cloud, Linode.
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fd00:a9fe:a9fe::1',
]

const ipv4 = addressRanges(specialIpv4)
const ipv6 = addressRanges(globalIpv6)
const ipv6Exceptions = addressRanges(specialIpv6)
const embedding = addressRanges(embeddingIpv6)
const metadata = addressRanges(metadataRanges)

/** True for an address at which a cloud provider serves credentials or other data of the machine. */
export function isMetadataAddress(address: string): boolean {
  return metadata.includes(embeddedIpv4(address) ?? address)
}

/**
 * True for an address on the public internet. False for what is private, local, shared, reserved, multicast or a cloud
 * provider's metadata, and for what is no IP address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (isMetadataAddress(address)) return false
  if (family === 4) return !ipv4.includes(address)
  if (family !== 6 || address.includes('%')) return false
  const embedded = embeddedIpv4(address)
  return embedded === undefined ? ipv6.includes(address) && !ipv6Exceptions.includes(address) : isPublicAddress(embedded)
}

/** The IPv4 address that an IPv6 address stands for, if it does. */
export function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6 || address.includes('%') || !embedding.includes(address)) return undefined
  // The URL parser writes every IPv6 address in one way, with the last 32 bits as two groups in hexadecimal.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  const bits = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join('.')
}
