import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { DeliveryError } from './delivery-error.ts'
import { attemptTimeoutMs, createPinnedFetch, type PinnedFetch } from './pinned-fetch.ts'
import { addressRanges, embeddedIpv4, isPublicAddress } from './public-address.ts'

/** What credentials of tenants may reach. The deployment's own may reach anything. */
export interface EgressPolicy {
  /** Ranges besides the public internet, in CIDR notation, as in `10.20.0.0/16`. Default: none. */
  readonly allowedNetworks?: readonly string[]
  /** Ports for HTTP. Default: 443. */
  readonly httpPorts?: readonly number[] | 'any'
  /** Whether HTTP may do without TLS. Default: false. */
  readonly plainHttp?: boolean
  /** Ports for SMTP. Default: 25, 465, 587 and 2525. */
  readonly smtpPorts?: readonly number[] | 'any'
  /** How a name becomes addresses. Default: DNS, without the hosts file. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

/** Ways to the network for addresses that someone else chose. */
export interface Egress {
  /** Opens a TCP connection for SMTP. Rejects with a DeliveryError `address_not_allowed`, or with the error of the system. */
  readonly connect: (destination: Destination, signal: AbortSignal) => Promise<Socket>
  /** Makes an HTTP request. Does not follow redirects. */
  readonly fetch: PinnedFetch
}

const defaultPorts = { 'http:': 80, 'https:': 443 }

interface Destination {
  readonly host: string
  readonly port: number
  /** How long connecting may take, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Makes an egress for credentials of tenants: only public addresses, checked after the name was resolved, and
 * the connection goes to the very address that was checked, so that a name that changes in between gains nothing.
 */
export function createEgressGuard(policy: EgressPolicy = {}): Egress {
  const { httpPorts = [443], plainHttp = false, smtpPorts = [25, 465, 587, 2525], resolve = resolveByDns } = policy
  const extra = addressRanges(policy.allowedNetworks ?? [])
  const isAllowed = (address: string) => isPublicAddress(address) || extra.includes(embeddedIpv4(address) ?? address)

  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const allowed = addresses.filter(isAllowed).map((address) => ({ address, family: isIP(address) }))
        const [first] = allowed
        if (!first) callback(notAllowed(host), '')
        else if (options.all) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, ''),
    )
  }

  function checkDestination(host: string, port: number, ports: readonly number[] | 'any'): void {
    if (ports !== 'any' && !ports.includes(port)) {
      throw new DeliveryError({
        kind: 'credential',
        code: 'port_not_allowed',
        detail: `Port ${port} may not be reached; allowed: ${ports.join(', ')}.`,
      })
    }
    // A literal address is never looked up.
    if (isIP(host) > 0 && !isAllowed(host)) throw notAllowed(host)
  }

  const pinned = createPinnedFetch({
    lookup,
    check(url) {
      if (url.protocol !== 'https:' && !(plainHttp && url.protocol === 'http:')) {
        throw new DeliveryError({ kind: 'credential', code: 'https_required', detail: 'The URL must be HTTPS.' })
      }
      const port = url.port === '' ? defaultPorts[url.protocol] : Number(url.port)
      checkDestination(url.hostname.replace(/^\[(.*)\]$/, '$1'), port, httpPorts)
    },
  })
  return {
    async connect(destination, signal) {
      checkDestination(destination.host, destination.port, smtpPorts)
      return connectSocket(destination, signal, lookup)
    },
    fetch: pinned,
  }
}

/** Makes an egress without limits, for the deployment's own credentials. */
export function createOpenEgress(fetch: PinnedFetch): Egress {
  return { connect: (destination, signal) => connectSocket(destination, signal), fetch }
}

async function connectSocket({ host, port, timeoutMs }: Destination, signal: AbortSignal, lookup?: LookupFunction): Promise<Socket> {
  signal.throwIfAborted()
  const socket = openSocket({
    host,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.min(attemptTimeoutMs, timeoutMs),
    ...(lookup ? { lookup } : {}),
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abort = () => reject(signal.reason)
  const tooLate = () => reject(Object.assign(new Error('The connection was not made in time.'), { code: 'ETIMEDOUT' }))
  signal.addEventListener('abort', abort, { once: true })
  socket.setTimeout(timeoutMs, tooLate)
  socket.once('connect', resolve)
  socket.once('error', reject)
  try {
    await promise
    socket.setTimeout(0)
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
    socket.off('timeout', tooLate)
    socket.off('error', reject)
  }
}

/** The resolved address is not repeated: it would tell a tenant about the network inside. */
function notAllowed(host: string): DeliveryError {
  return new DeliveryError({ kind: 'credential', code: 'address_not_allowed', detail: `${host} is not on the public internet.` })
}

/** Asks DNS directly: the system's look-up would keep one of few threads busy for each slow name. */
async function resolveByDns(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  const [ipv6, ipv4] = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)])
  const addresses = [...(ipv6.status === 'fulfilled' ? ipv6.value : []), ...(ipv4.status === 'fulfilled' ? ipv4.value : [])]
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason
  return addresses
}
