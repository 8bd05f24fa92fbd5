import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { systemClock } from './clock.ts'
import { startDeadline } from './deadline.ts'
import { DeliveryError } from './delivery-error.ts'
import { attemptTimeoutMs, createPinnedFetch, type PinnedFetch } from './pinned-fetch.ts'
import { addressRanges, embeddedIpv4, isMetadataAddress, isPublicAddress } from './public-address.ts'

/** What credentials of tenants may reach. The deployment's own may reach anything. */
export interface EgressPolicy {
  /**
   * Ranges besides the public internet, in CIDR notation, as in `10.20.0.0/16`. Their addresses may be reached on any port
   * and by HTTP without TLS. The metadata addresses of cloud providers are never reached, even when a range has them.
   * @default none
   */
  readonly allowedNetworks?: readonly string[]
  /** Ports for HTTP outside of `allowedNetworks`. Default: 443. */
  readonly httpPorts?: readonly number[] | 'any'
  /** Whether HTTP may do without TLS outside of `allowedNetworks`. Default: false. */
  readonly plainHttp?: boolean
  /** Ports for SMTP outside of `allowedNetworks`. Default: 25, 465, 587 and 2525. */
  readonly smtpPorts?: readonly number[] | 'any'
  /** How a name becomes addresses. Default: DNS, without the hosts file. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

/** Ways to the network for addresses that someone else chose. */
export interface Egress {
  /** Opens a TCP connection for SMTP. Rejects with a DeliveryError such as `address_not_allowed`, or with the error of the system. */
  readonly connect: (destination: Destination, signal: AbortSignal) => Promise<Socket>
  /** Makes an HTTP request. Does not follow redirects. */
  readonly fetch: PinnedFetch
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

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
  const networks = policy.allowedNetworks ?? []
  const allowed = addressRanges(networks)
  const isListed = (address: string) => !isMetadataAddress(address) && allowed.includes(embeddedIpv4(address) ?? address)

  /** Why an address may not be reached; `undefined` when it may. Port and scheme are free only where the address is listed. */
  const objection = (address: string, host: string, onPublic: DeliveryError | undefined): DeliveryError | undefined => {
    if (isListed(address)) return undefined
    return isPublicAddress(address) ? onPublic : notAllowed(host)
  }

  /**
   * How a host becomes the addresses that may be reached.
   * @param onPublic Why no public address may be reached, as the port or the scheme is not allowed there.
   * @throws DeliveryError when it is clear without resolving the host that nothing may be reached.
   */
  const lookupFor = (host: string, onPublic: DeliveryError | undefined): LookupFunction => {
    if (onPublic && networks.length === 0) throw onPublic
    // A literal address is never looked up.
    const literal = isIP(host) > 0 ? objection(host, host, onPublic) : undefined
    if (literal) throw literal
    return (_, options, callback) => {
      resolve(host).then(
        (addresses) => {
          const reachable = addresses.filter((address) => !objection(address, host, onPublic))
          const [first] = reachable
          // The port or the scheme is what the tenant can change, so it is told before the address.
          if (!first) callback(addresses.some(isPublicAddress) && onPublic ? onPublic : notAllowed(host), '')
          else if (options.all) callback(null, reachable.map(withFamily))
          else callback(null, first, isIP(first))
        },
        (error) => callback(error, ''),
      )
    }
  }

  return {
    async connect(destination, signal) {
      const { host, port } = destination
      return connectSocket(destination, signal, lookupFor(host, portObjection(port, smtpPorts)))
    },
    fetch: createPinnedFetch((url) => {
      if (!Object.hasOwn(defaultPorts, url.protocol)) throw httpsRequired()
      const port = Number(url.port === '' ? defaultPorts[url.protocol] : url.port)
      const onPublic = url.protocol === 'https:' || plainHttp ? portObjection(port, httpPorts) : httpsRequired()
      return lookupFor(url.hostname.replace(/^\[(.*)\]$/, '$1'), onPublic)
    }),
  }
}

const withFamily = (address: string) => ({ address, family: isIP(address) })

const httpsRequired = (): DeliveryError =>
  new DeliveryError({ kind: 'credential', code: 'https_required', detail: 'The URL must be HTTPS.' })

function portObjection(port: number, ports: readonly number[] | 'any'): DeliveryError | undefined {
  if (ports === 'any' || ports.includes(port)) return undefined
  const detail = `Port ${port} may not be reached; allowed: ${ports.join(', ')}.`
  return new DeliveryError({ kind: 'credential', code: 'port_not_allowed', detail })
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
  const cancelDeadline = startDeadline(systemClock, timeoutMs, tooLate)
  socket.once('connect', resolve)
  socket.once('error', reject)
  try {
    await promise
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
    cancelDeadline()
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
