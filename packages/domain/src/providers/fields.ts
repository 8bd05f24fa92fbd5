import { z } from 'zod'

const hostPattern = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i
const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const ipv6Zone = /%[0-9a-z.:-]+$/i

const isIpv6 = (text: string): boolean => {
  const address = text.replace(ipv6Zone, '')
  return /^[0-9a-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`)
}

/** Whether a text is an IP address (RFC 4632, RFC 4291), an IPv6 address with its zone included (RFC 4007). */
export const isIpAddress = (text: string): boolean => ipv4Pattern.test(text) || isIpv6(text)

/** A field for a host name in ASCII (RFC 1123 section 2.1). */
export const hostName = z.string().regex(hostPattern, 'Give a host name, as in mail.example.com.')

/** A field for a host name or an IP address. */
export const hostOrAddress = z.string().refine((host) => hostPattern.test(host) || isIpAddress(host), 'Give a host name or an IP address.')

/** A field for a secret that travels in an HTTP header: visible ASCII (RFC 9110 section 5.5), so that it cannot add one. */
export const headerSecret = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\u0021-\u007e]+$/, 'Only visible ASCII characters, without blanks.')

/** True for a name or address that never leaves the machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return ipv4Pattern.test(host) ? host.startsWith('127.') : host === '::1'
}
