import { z } from 'zod'

const hostPattern = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i
const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const ipv6Zone = /%[0-9a-z.:-]+$/i

const isIpv6 = (text: string): boolean => {
  const address = text.replace(ipv6Zone, '')
  return /^[0-9a-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`)
}

/**
 * Returns whether a string is an IP address (RFC 3986, section 3.2.2, and RFC 4291). An IPv6 address can have a zone, as in
 * `fe80::1%eth0` (RFC 4007).
 */
export const isIpAddress = (text: string): boolean => ipv4Pattern.test(text) || isIpv6(text)

/** The schema for an ASCII host name (RFC 1123, section 2.1). */
export const hostName = z.string().regex(hostPattern, 'Must be a host name, such as mail.example.com.')

/** The schema for a host name or an IP address, without a port. */
export const hostOrAddress = z
  .string()
  .refine((host) => hostPattern.test(host) || isIpAddress(host), 'Must be a host name or an IP address.')

/**
 * The schema for a secret that is sent in an HTTP header. It allows only visible ASCII (RFC 9110, section 5.5), so the
 * secret cannot inject another header.
 */
export const headerSecret = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\u0021-\u007e]+$/, 'Must contain only visible ASCII characters, without spaces.')

/** Returns whether a host is the local machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3). */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return ipv4Pattern.test(host) ? host.startsWith('127.') : host === '::1'
}

/** The prefix of a signing secret. The rest of the secret is the base64-encoded key. */
export const signingSecretPrefix = 'whsec_'

const countKeyBytes = (secret: string): number => Math.floor((secret.slice(signingSecretPrefix.length).replace(/=+$/, '').length * 3) / 4)

/** The schema for a signing secret as defined by Standard Webhooks: `whsec_` and a base64-encoded key of 24 to 64 bytes. */
export const signingSecretField = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'Must be whsec_ followed by a key in base64.')
  .refine((text) => countKeyBytes(text) >= 24 && countKeyBytes(text) <= 64, 'The key must be 24 to 64 bytes long.')
