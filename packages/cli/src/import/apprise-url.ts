/** The decoded parts of an Apprise URL. */
export interface AppriseUrl {
  readonly schema: string
  readonly user: string | undefined
  readonly password: string | undefined
  /** The host, in its original case. If the service has no host, its URL has another value here, such as a token. */
  readonly host: string
  readonly port: number | undefined
  /** The non-empty path segments. */
  readonly path: readonly string[]
  /** The parameters, keyed by name. Names are in lower case, except for those with a prefix such as `+`. */
  readonly params: ReadonlyMap<string, string>
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const parseParams = (query: string): Map<string, string> => {
  const params = new Map<string, string>()
  for (const part of query.split('&')) {
    if (part === '') continue
    const [name = '', ...value] = part.split('=')
    const decoded = decode(name)
    params.set(/^[+:-]/.test(decoded) ? decoded : decoded.toLowerCase(), decode(value.join('=').replaceAll('+', ' ')))
  }
  return params
}

/**
 * Parses an Apprise URL. Returns `undefined` if the text is not a URL. The class `URL` cannot parse all Apprise URLs. It treats
 * `#channel` in `slack://token/#channel` as a fragment. It rejects `tgram://123:abc/`, because `abc` is not a port.
 */
export const parseAppriseUrl = (text: string): AppriseUrl | undefined => {
  const [, schema, rest] = /^\s*([a-z][a-z0-9]{0,31}):\/{2,3}(\S[^\n]*?)\s*$/i.exec(text) ?? []
  if (schema === undefined || rest === undefined) return undefined
  const queryAt = rest.indexOf('?')
  const [place, query] = queryAt < 0 ? [rest, ''] : [rest.slice(0, queryAt), rest.slice(queryAt + 1)]
  const [authority = '', ...path] = place.split('/')
  const at = authority.lastIndexOf('@')
  const credentials = at < 0 ? undefined : authority.slice(0, at)
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(authority.slice(at + 1)) ?? []
  if (host === '' || Number(port ?? 1) > 65_535 || Number(port ?? 1) < 1) return undefined
  const colon = credentials?.indexOf(':') ?? -1
  return {
    schema: schema.toLowerCase(),
    user: credentials ? decode(colon < 0 ? credentials : credentials.slice(0, colon)) || undefined : undefined,
    password: credentials && colon >= 0 ? decode(credentials.slice(colon + 1)) || undefined : undefined,
    host: decode(host),
    port: port === undefined ? undefined : Number(port),
    path: path.filter((segment) => segment !== '').map(decode),
    params: parseParams(query),
  }
}
