import { Resolver } from 'node:dns/promises'
import { startDeadline, systemClock } from '../clock.ts'

// Some name servers never answer queries for IPv6 addresses (RFC 4074). Once the host has addresses of one family, the other
// family may take this long. RFC 8305 suggests 50 ms, but an address that arrives later is not used here at all.
const otherFamilyMs = 500

/**
 * Returns the addresses of a host. Queries DNS directly, because the system's resolver would block one of the few threads in
 * Node's thread pool while it resolves a slow name.
 * @throws the error of the query for IPv4 addresses, if the host has no address.
 */
export async function resolveByDns(host: string, resolver = new Resolver({ timeout: 3000, tries: 2 })): Promise<string[]> {
  const queries = [resolver.resolve6(host), resolver.resolve4(host)] as const
  const results = Promise.allSettled(queries)
  const limitOtherFamily = async () => {
    await Promise.any(queries)
    const cancelDeadline = startDeadline(systemClock, otherFamilyMs, () => resolver.cancel())
    await results
    cancelDeadline()
  }
  limitOtherFamily().catch(() => {})
  const [ipv6, ipv4] = await results
  const addresses = [...(ipv6.status === 'fulfilled' ? ipv6.value : []), ...(ipv4.status === 'fulfilled' ? ipv4.value : [])]
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason
  return addresses
}
