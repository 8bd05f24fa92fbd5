const deepest = 32
const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Most bytes of an empty body: enough for `{}` as anybody writes it. */
export const emptyBodyLimitBytes = 64

/** Whether a `Content-Type` says JSON in UTF-8. */
export const isJsonMediaType = (contentType: string): boolean => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (type.trim() !== 'application/json') return false
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
  })
}

/** Whether a body says nothing. A field of an operation that takes none would be dropped silently. */
export const isEmptyBody = (bytes: Uint8Array): boolean =>
  bytes.length <= emptyBodyLimitBytes && /^\s*(?:\{\s*\})?\s*$/.test(new TextDecoder().decode(bytes))

/** A JSON value, or why there is none. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly detail: string; readonly cause?: unknown }

/** Refuses keys that could reach a prototype, and nesting that no schema of the interface has. */
const dangerIn = (value: unknown, depth: number): string | undefined => {
  if (value === null || typeof value !== 'object') return undefined
  if (depth > deepest) return `The body must not be nested deeper than ${deepest} levels.`
  for (const key of Object.keys(value)) {
    if (dangerousKeys.has(key)) return `The body must not have a key named ${JSON.stringify(key)}.`
    const danger = dangerIn((value as Record<string, unknown>)[key], depth + 1)
    if (danger !== undefined) return danger
  }
  return undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Reads a JSON text in UTF-8, with neither keys that could reach a prototype nor nesting that no schema has. */
export const parseJsonBody = (bytes: Uint8Array): ParsedJson => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    return { ok: false, detail: 'The body is not valid UTF-8.', cause }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\s+/g, ' ').slice(0, 200)
    return { ok: false, detail: `The body is not valid JSON: ${reason}`, cause }
  }
  const danger = dangerIn(value, 1)
  return danger === undefined ? { ok: true, value } : { ok: false, detail: danger }
}
