import { isLoopbackHost } from '@flowpost/domain'

/** Returns whether a URL is safe from eavesdropping: it uses TLS or stays on this machine. */
export const isSecureUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1')))
}
