import { isLoopbackHost } from '@flowpost/domain'

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
