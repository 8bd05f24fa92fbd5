import type { PlainResponse } from '../http.ts'

/**
 * Makes responses from different servers comparable. Replaces each server-specific value, such as an id, with a
 * placeholder.
 */
export interface Normalizer {
  normalize(answer: PlainResponse): unknown
  /** Makes `<name>` the placeholder for a timestamp from a request. All other timestamps become `<time>`. */
  nameTime(timestamp: string, name: string): void
}

const ids = /\b(prj|flw|ntf|dlv|att|key|sup|ers|evp|evt|act|his)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const inboundTokens = /fpi_[A-Za-z0-9_-]{32}/g
const instants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** Replacements for fields that differ between servers or between requests. */
const normalizers: Readonly<Record<string, (value: unknown) => unknown>> = {
  request_id: () => '<request id>',
  next_cursor: (value) => (value === null ? null : '<cursor>'),
  cursor: () => '<cursor>',
  secret: () => '<secret>',
  // Replaces an API key's token, but not a project's or flow's key.
  key: (value) => (typeof value === 'string' && value.startsWith('fp_') ? '<key>' : value),
  digest: () => '<digest>',
  provider_message_id: (value) => (value === null ? null : '<text>'),
  provider_response: (value) => (value === null ? null : '<text>'),
  duration_ms: (value) => (value === null ? null : '<ms>'),
  // The server does not update this field for every request.
  last_used_at: () => '<time>',
}

const comparedHeaders = ['allow', 'content-type', 'idempotency-replayed', 'location', 'retry-after', 'www-authenticate']

/**
 * Returns whether an object, such as a delivery's failure or a flow's health, has a `code` and a `detail` that may come
 * from a provider. An object that also has a `title` is an error response, and contains only text from the server.
 */
const isProviderText = (value: object): value is { code: unknown; detail: unknown } =>
  'code' in value && 'detail' in value && !('title' in value)

/**
 * Creates a normalizer for the responses of one server. Each id or entity tag gets its own placeholder, which is the same in
 * every response.
 */
export const createNormalizer = (): Normalizer => {
  const names = new Map<string, string>()
  const times = new Map<string, string>()
  const counts = new Map<string, number>()
  const nameOf = (kind: string, value: string): string => {
    const existing = names.get(value)
    if (existing) return existing
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const name = `${kind}#${count}`
    names.set(value, name)
    return name
  }
  const text = (value: string): string =>
    value
      .replace(inboundTokens, '<token>')
      .replace(ids, (id, kind: string) => nameOf(kind, id))
      .replace(instants, (instant) => times.get(instant) ?? '<time>')

  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(walk)
    if (value === null || typeof value !== 'object') return value
    const isFromProvider = isProviderText(value) && value.code !== 'integration_missing'
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => {
          if (isFromProvider && (key === 'code' || key === 'detail') && typeof inner === 'string') return [key, '<text>']
          const show = normalizers[key]
          return [key, show && (inner === null || typeof inner !== 'object') ? show(inner) : walk(inner)]
        }),
    )
  }

  return {
    nameTime: (timestamp, name) => void times.set(timestamp, `<${name}>`),
    normalize: ({ status, headers, json }) => {
      const etag = headers.get('etag')
      return {
        status,
        headers: {
          ...Object.fromEntries(comparedHeaders.flatMap((name) => (headers.has(name) ? [[name, text(headers.get(name) ?? '')]] : []))),
          ...(etag === null ? {} : { etag: nameOf('etag', etag) }),
        },
        body: walk(json),
      }
    },
  }
}
