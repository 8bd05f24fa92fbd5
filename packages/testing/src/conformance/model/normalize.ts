import type { HttpAnswer } from '../http.ts'

/** Makes the answers of different servers comparable: what must differ gets a name by the order in which it was first seen. */
export interface Normalizer {
  answer(answer: HttpAnswer): unknown
}

const ids = /\b(prj|flw|ntf|dlv|att|key)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const instants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** Fields that say the same in other words, or that are about the request and not about the state. */
const shown: Readonly<Record<string, (value: unknown) => unknown>> = {
  request_id: () => '<request id>',
  next_cursor: (value) => (value === null ? null : '<cursor>'),
  key: () => '<key>',
  provider_message_id: (value) => (value === null ? null : '<text>'),
  provider_response: (value) => (value === null ? null : '<text>'),
  duration_ms: (value) => (value === null ? null : '<ms>'),
  // Written now and then.
  last_used_at: () => '<time>',
}

const shownHeaders = ['allow', 'idempotency-replayed', 'location', 'retry-after', 'www-authenticate']

/** Whether an object is a failure, or the health of a flow: there providers speak. */
const isProviderSpeech = (value: object): value is { code: unknown; detail: unknown } =>
  'code' in value && 'detail' in value && !('title' in value)

/** Makes a normalizer for one server. It remembers what it has seen. */
export const createNormalizer = (): Normalizer => {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const nameOf = (kind: string, value: string): string => {
    const known = names.get(value)
    if (known) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const name = `${kind}#${count}`
    names.set(value, name)
    return name
  }
  const text = (value: string): string => value.replace(ids, (id, kind: string) => nameOf(kind, id)).replace(instants, '<time>')

  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(walk)
    if (value === null || typeof value !== 'object') return value
    const isSpeech = isProviderSpeech(value) && value.code !== 'integration_missing'
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => {
          if (isSpeech && (key === 'code' || key === 'detail') && typeof inner === 'string') return [key, '<text>']
          const show = shown[key]
          return [key, show && (inner === null || typeof inner !== 'object') ? show(inner) : walk(inner)]
        }),
    )
  }

  return {
    answer: ({ status, headers, json }) => {
      const etag = headers.get('etag')
      return {
        status,
        headers: {
          ...Object.fromEntries(shownHeaders.flatMap((name) => (headers.has(name) ? [[name, text(headers.get(name) ?? '')]] : []))),
          ...(etag === null ? {} : { etag: nameOf('etag', etag) }),
        },
        body: walk(json),
      }
    },
  }
}
