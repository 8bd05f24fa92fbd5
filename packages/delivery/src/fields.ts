import { isIP } from 'node:net'
import { z } from 'zod'

const hostPattern = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i

/** A field for a host name in ASCII (RFC 1123 section 2.1). */
export const hostName = z.string().regex(hostPattern, 'Give a host name, as in mail.example.com.')

/** A field for a host name or an IP address. */
export const hostOrAddress = z.string().refine((host) => hostPattern.test(host) || isIP(host) > 0, 'Give a host name or an IP address.')

/** A field for a secret that travels in an HTTP header: visible ASCII (RFC 9110 section 5.5), so that it cannot add one. */
export const headerSecret = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\u0021-\u007e]+$/, 'Only visible ASCII characters, without blanks.')

/** True for a name or address that never leaves the machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1'
}

/**
 * Reads the address of an API that a deployment sets: HTTPS, or HTTP to the same machine.
 *
 * @returns It with a slash at its end, so that paths are appended.
 * @throws TypeError when it is neither.
 */
export function apiBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const host = parsed?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  if (!parsed || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopbackHost(host)))) {
    throw new TypeError('An API URL must be HTTPS, or HTTP to the same machine.')
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new TypeError('An API URL has no user, password, query or fragment.')
  }
  return parsed.href.endsWith('/') ? parsed.href : `${parsed.href}/`
}
