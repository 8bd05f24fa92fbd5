const needsProxy =
  'Flowpost connects to one address. Put what follows the primary in front of the servers, such as HAProxy, a virtual IP address or the endpoint of a managed service (docs/operations.md)'

// What Flowpost does anyway: it takes no server that cannot be written to.
const writableAttributes = new Set(['any', 'read-write', 'primary'])

/**
 * Returns what is wrong with a connection string, or `undefined`. `pg` has neither several hosts nor `target_session_attrs`:
 * it looks for a host with a comma in its name, and ignores the second.
 */
export const connectionUrlIssue = (value: string): string | undefined => {
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(value) ?? []
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  if (hosts.includes(',') || /[?&]host=[^&]*(?:,|%2c)/i.test(value)) return `must name one host, not several. ${needsProxy}`
  if (!URL.canParse(value) || !['postgres:', 'postgresql:'].includes(new URL(value).protocol))
    return 'must be a URL that starts with postgres:// or postgresql://'
  const attributes = new URL(value).searchParams.get('target_session_attrs')
  if (attributes !== null && !writableAttributes.has(attributes))
    return `must lead to a server that can be written to: target_session_attrs is not supported, and ${JSON.stringify(attributes)} may lead to a standby. ${needsProxy}`
  return undefined
}
