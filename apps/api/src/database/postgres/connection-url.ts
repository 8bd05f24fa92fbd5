import { Client } from 'pg'

const needsProxy =
  'Flowpost connects to one address. Use a proxy or address that follows the primary, such as HAProxy, a virtual IP address or the endpoint of a managed service (docs/operations.md)'

// Values of `target_session_attrs` that Flowpost can ignore, because it requires a writable server anyway.
const writableAttributes = new Set(['any', 'read-write', 'primary'])

/** Returns whether `pg` can decode the escapes in a connection string, such as `%2F`. */
const canDecode = (value: string): boolean => {
  try {
    return new Client(value) instanceof Client
  } catch (error) {
    return !(error instanceof URIError)
  }
}

const noSchema =
  'must not contain the parameter "schema". To use a schema other than public, set search_path, for example with `alter role flowpost set search_path = flowpost` (docs/operations.md)'

const mustBeEncoded = 'Percent-encode the special characters of the password, such as / (%2F), or set PGPASSWORD instead'

/**
 * Returns the problem with a connection string, or `undefined` if there is none. Rejects several hosts, because `pg` reads them
 * as one name that contains commas. Rejects a `target_session_attrs` that may select a standby, because `pg` ignores it. Rejects
 * `schema`, because MikroORM would use it, but not the migrations and the statements in plain SQL. Rejects escapes that are not
 * UTF-8, because `pg` would throw a `URIError`.
 */
export const connectionUrlIssue = (value: string): string | undefined => {
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(value) ?? []
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  if (hosts.includes(',') || /[?&]host=[^&]*(?:,|%2c)/i.test(value)) return `must name one host, not several. ${needsProxy}`
  if (!/^postgres(?:ql)?:\/\//i.test(value)) return 'must be a URL that starts with postgres:// or postgresql://'
  // An unencoded `/` or `#` in the password ends the URL's authority, so the `@` ends up in the path or the fragment.
  if (!URL.canParse(value) || (!authority.includes('@') && /^[^?]*@/.test(value))) return `must be a valid URL. ${mustBeEncoded}`
  // In an unencoded password, a `%` before two hexadecimal digits looks like an escape.
  if (!canDecode(value)) return `must be a valid URL. ${mustBeEncoded}`
  const { searchParams } = new URL(value)
  if (searchParams.has('schema')) return noSchema
  const attributes = searchParams.get('target_session_attrs')
  if (attributes !== null && !writableAttributes.has(attributes))
    return `must name a writable server: target_session_attrs is not supported, and ${JSON.stringify(attributes)} may select a standby. ${needsProxy}`
  return undefined
}
