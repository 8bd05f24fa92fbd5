import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { startDeadline, systemClock } from '../clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import { addressAttemptTimeoutMs, createPinnedFetch, type PinnedFetch } from './pinned-fetch.ts'
import { extractIpv4, isMetadataAddress, isPublicAddress, parseAddressRanges } from './public-address.ts'
import { resolveByDns } from './resolve-by-dns.ts'

/**
 * The rules for the addresses that may be reached with tenants' credentials. The deployment's own credentials are not
 * restricted.
 */
export interface EgressPolicy {
  /**
   * Networks that may be reached in addition to the public internet, in CIDR notation, such as `10.20.0.0/16`. Their
   * addresses may be reached on any port and over plain HTTP. Addresses of cloud metadata services stay blocked even
   * within these networks.
   * @default none
   */
  readonly allowedNetworks?: readonly string[]
  /** The ports that are allowed for HTTP outside `allowedNetworks`. @default 443 */
  readonly httpPorts?: readonly number[] | 'any'
  /** Whether HTTP without TLS is allowed outside `allowedNetworks`. @default false */
  readonly plainHttp?: boolean
  /** The ports that are allowed for SMTP outside `allowedNetworks`. @default 25, 465, 587 and 2525 */
  readonly smtpPorts?: readonly number[] | 'any'
  /** Resolves a host name to addresses. @default DNS, without the hosts file */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

/** Outgoing network access. Providers use it to connect to addresses that come from settings or secrets. */
export interface Egress {
  /**
   * Opens a TCP connection for SMTP. Rejects with a `DeliveryError`, for example with the code `address_not_allowed`, or with
   * a system error. If `signal` aborts, rejects with the abort reason.
   */
  readonly connect: (destination: Destination, signal: AbortSignal) => Promise<Socket>
  /** Makes an HTTP request. Does not follow redirects. */
  readonly fetch: PinnedFetch
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

interface Destination {
  readonly host: string
  readonly port: number
  /** Time limit for connecting, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Creates the egress for tenants' connections. It protects against server-side request forgery (SSRF): it resolves a host
 * name, checks the resolved addresses, and connects only to an address that passed the check. This also prevents DNS
 * rebinding.
 *
 * @throws TypeError when `allowedNetworks` contains an invalid range.
 */
export function createRestrictedEgress(policy: EgressPolicy = {}): Egress {
  const { httpPorts = [443], plainHttp = false, smtpPorts = [25, 465, 587, 2525], resolve = resolveByDns } = policy
  const networks = policy.allowedNetworks ?? []
  const allowedRanges = parseAddressRanges(networks)
  const isAllowed = (address: string) => !isMetadataAddress(address) && allowedRanges.includes(extractIpv4(address) ?? address)

  /**
   * Returns the error for an address, or undefined if the address may be reached. `publicRejection` is the error for public
   * addresses outside the allowed networks, or undefined if public addresses may be reached.
   */
  const getRejection = (address: string, host: string, publicRejection: DeliveryError | undefined): DeliveryError | undefined => {
    if (isAllowed(address)) return undefined
    return isPublicAddress(address) ? publicRejection : createAddressError(host)
  }

  /**
   * Creates a DNS lookup function for the host. It returns only addresses that may be reached.
   *
   * @param publicRejection The error if public addresses may not be reached with this port or scheme; otherwise undefined.
   * @throws DeliveryError when the host can be rejected without a DNS lookup.
   */
  const createLookup = (host: string, publicRejection: DeliveryError | undefined): LookupFunction => {
    if (publicRejection && networks.length === 0) throw publicRejection
    // Node does not call the lookup function if the host is an IP address, so the address is checked here.
    const addressRejection = isIP(host) > 0 ? getRejection(host, host, publicRejection) : undefined
    if (addressRejection) throw addressRejection
    return (_, options, callback) => {
      resolve(host).then(
        (addresses) => {
          const reachable = addresses.filter((address) => !getRejection(address, host, publicRejection))
          const [first] = reachable
          // If a public address is rejected, the reason is always the port or the scheme. `publicRejection` tells the tenant
          // which of the two to correct.
          if (!first) callback(addresses.some(isPublicAddress) && publicRejection ? publicRejection : createAddressError(host), '')
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
      return connectSocket(destination, signal, createLookup(host, getPortRejection(port, smtpPorts)))
    },
    fetch: createPinnedFetch((url) => {
      if (!Object.hasOwn(defaultPorts, url.protocol)) throw createHttpsError()
      const port = Number(url.port === '' ? defaultPorts[url.protocol] : url.port)
      const publicRejection = url.protocol === 'https:' || plainHttp ? getPortRejection(port, httpPorts) : createHttpsError()
      return createLookup(url.hostname.replace(/^\[(.*)\]$/, '$1'), publicRejection)
    }),
  }
}

/** Creates the egress for the deployment's own credentials. */
export function createUnrestrictedEgress(fetch: PinnedFetch): Egress {
  return {
    connect: (destination, signal) => connectSocket(destination, signal),
    fetch: (url, { onConnected, ...init }) => {
      // The global `fetch` does not report when the connection is open, so `onConnected` is called before the request.
      onConnected?.('unknown')
      return fetch(url, init)
    },
  }
}

const withFamily = (address: string) => ({ address, family: isIP(address) })

function createHttpsError(): DeliveryError {
  return new DeliveryError({ kind: 'credential', code: 'https_required', detail: 'The URL must use HTTPS.' })
}

function getPortRejection(port: number, allowedPorts: readonly number[] | 'any'): DeliveryError | undefined {
  if (allowedPorts === 'any' || allowedPorts.includes(port)) return undefined
  const detail = `Port ${port} is not allowed. Allowed ports: ${allowedPorts.join(', ')}.`
  return new DeliveryError({ kind: 'credential', code: 'port_not_allowed', detail })
}

/**
 * Creates the error for a host whose address is not allowed. The error does not contain the resolved address, which would
 * reveal the internal network to a tenant.
 */
function createAddressError(host: string): DeliveryError {
  return new DeliveryError({ kind: 'credential', code: 'address_not_allowed', detail: `${host} is not on the public internet.` })
}

async function connectSocket({ host, port, timeoutMs }: Destination, signal: AbortSignal, lookup?: LookupFunction): Promise<Socket> {
  signal.throwIfAborted()
  const socket = openSocket({
    host,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.min(addressAttemptTimeoutMs, timeoutMs),
    ...(lookup ? { lookup } : {}),
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = () => reject(signal.reason)
  const onTimeout = () => reject(Object.assign(new Error('Connecting timed out.'), { code: 'ETIMEDOUT' }))
  signal.addEventListener('abort', onAbort, { once: true })
  const cancelDeadline = startDeadline(systemClock, timeoutMs, onTimeout)
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
    signal.removeEventListener('abort', onAbort)
    cancelDeadline()
    socket.off('error', reject)
  }
}
