import { Resolver } from 'node:dns/promises'
import { startDeadline, systemClock } from '../clock.ts'

// The maximum wait for the IPv6 addresses after the IPv4 addresses have arrived. The wait is limited, because some name servers
// never answer queries for IPv6 addresses (RFC 4074). RFC 8305 suggests 50 ms. The value here is higher, because IPv6 addresses
// that arrive later are not used at all.
const ipv6DelayMs = 500

/**
 * Returns the addresses of a host. Queries DNS directly, because the system's resolver would block one of the few threads in
 * Node's thread pool while it resolves a slow name.
 * @throws the error of the query for IPv4 addresses, if the host has no address.
 */
export async function resolveByDns(host: string, resolver = new Resolver({ timeout: 3000, tries: 2 })): Promise<string[]> {
  const ipv4Query = resolver.resolve4(host)
  const results = Promise.allSettled([resolver.resolve6(host), ipv4Query])
  const limitIpv6 = async () => {
    await ipv4Query
    const cancelDeadline = startDeadline(systemClock, ipv6DelayMs, () => resolver.cancel())
    await results
    cancelDeadline()
  }
  limitIpv6().catch(() => {})
  const [ipv6, ipv4] = await results
  const addresses = [...(ipv6.status === 'fulfilled' ? ipv6.value : []), ...(ipv4.status === 'fulfilled' ? ipv4.value : [])]
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason
  return addresses
}
