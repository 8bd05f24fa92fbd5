import type { FailureDetails } from './errors.ts'
import type { FieldError } from './generated/types.ts'
import type { Route } from './route.ts'

/** What an answer says: its data, or what went wrong. */
export type Reading =
  | { readonly data: unknown }
  | { readonly message: string; readonly failure: Pick<FailureDetails, 'code' | 'errors' | 'snippet'> }

const snippetLength = 500

/**
 * Reads the body of an answer, which may not be Flowpost's at all. `secret` is struck from whatever an error quotes.
 *
 * @param conditional Whether the request asked for the resource only if it has changed.
 */
export const readAnswer = (status: number, text: string, route: Route, conditional: boolean, secret: string): Reading => {
  // Nothing is an answer only to who asked for it; anybody else would read fields of it.
  if ((status === 204 && route.method === 'DELETE') || (status === 304 && conditional)) return { data: undefined }
  const ok = status >= 200 && status < 300
  // A proxy may echo the request into its error page.
  const shown = ok ? text : redact(text, secret)
  const json = parseObject(shown)
  if (ok && json && (!route.page || Array.isArray(json.data))) return { data: json }
  if (!ok && typeof json?.code === 'string')
    return {
      message: `${json.code} (${status}): ${json.detail ?? json.title ?? 'no detail'}`,
      failure: { code: json.code, errors: faults(json.errors) },
    }
  return {
    message: `the answer (${status}) is not Flowpost's; is the base URL right?`,
    failure: { code: 'unexpected_response', snippet: redact(shown, secret).slice(0, snippetLength) },
  }
}

const faults = (errors: unknown): FieldError[] => (Array.isArray(errors) ? errors.filter((fault) => fault?.code) : [])

// The key of the caller, and keys that the answer brought.
const redact = (text: string, secret: string): string => text.replaceAll(secret, '[redacted]').replace(/\bfp_[\w-]+/g, '[redacted]')

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return value instanceof Object && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
