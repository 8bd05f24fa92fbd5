import { type CallContext, createFailure } from '../calls/call-context.ts'
import type { FieldError } from '../generated/types.ts'
import type { Route } from '../route.ts'
import { retryAfterMs } from './retry.ts'

const maxSnippetLength = 500

/** Maximum number of characters read from an error body. The largest valid problem is smaller. */
const maxErrorLength = 1_000_000

const redacted = '[redacted]'

/** Replaces the credential, and anything that looks like an API key, in text from an untrusted source. */
export const redact = (text: string, secret: string): string => text.replaceAll(secret, redacted).replace(/\bfp_[\w-]+/g, redacted)

/** Returns an error unchanged, or a redacted copy when the error or one of its causes contains a secret. */
export const redactError = (error: unknown, secret: string): unknown => {
  if (typeof error === 'string') return redact(error, secret)
  if (!(error instanceof Error)) return error
  const copy = new Error()
  let isSafe = true
  for (const name of ['name', 'message', 'stack', 'cause', ...Object.keys(error)] as 'cause'[]) {
    copy[name] = redactError(error[name], secret)
    isSafe &&= copy[name] === error[name]
  }
  return isSafe ? error : copy
}

/** Reads a response body. An error body is truncated, because its sender may be untrusted. */
export const readText = async (response: Response): Promise<string> => {
  if (response.ok || !response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  for (let text = ''; ; ) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (done || text.length > maxErrorLength) return reader.cancel().then(() => text)
  }
}

/**
 * Returns the data of a response, or a `FlowpostError` when the response is an error or does not come from Flowpost.
 *
 * @param isConditional Whether the request sent `If-None-Match`, which makes a 304 a valid response.
 * @param secret The credential, which no error may contain.
 */
export const parseResponse = (
  context: CallContext,
  { status, headers, ok }: Response,
  text: string,
  route: Route,
  isConditional: boolean,
  secret: string,
): unknown => {
  // An empty body is valid only where the caller expects one; other callers would read fields of `undefined`.
  if ((status === 204 && route.method === 'DELETE') || (status === 304 && isConditional)) return
  // A proxy may echo the request in its error page. Redaction runs on the parsed values, because JSON can escape a key in many ways.
  const json = parseJson(text, ok ? undefined : (_, value) => (typeof value === 'string' ? redact(value, secret) : value))
  if (ok && json instanceof Object && !Array.isArray(json) && (!route.page || isPage(json))) return json
  const code = status >= 400 && typeof json?.code === 'string' && json.code
  // Browsers report a redirect as status 0.
  const isRedirect = !ok && status < 400 && status !== 304
  return createFailure(
    context,
    code || 'unexpected_response',
    code
      ? `${code} (${status}): ${json?.detail ?? json?.title ?? 'no detail'}`
      : `the response (${status}) is ${isRedirect ? 'a redirect, which the client does not follow' : 'not from Flowpost'}; is the base URL right?`,
    {
      errors: validIssues(json?.errors),
      retryAfterMs: retryAfterMs(headers, Date.now()),
      snippet: code ? undefined : redact(json === undefined ? text : JSON.stringify(json), secret).slice(0, maxSnippetLength),
    },
  )
}

const isPage = ({ data, next_cursor }: Json): boolean => Array.isArray(data) && typeof (next_cursor ?? '') === 'string'

const validIssues = (errors: unknown): FieldError[] => (Array.isArray(errors) ? errors.filter((issue) => issue?.code) : [])

type Json = Readonly<Record<string, unknown>>

const parseJson = (text: string, revive: Parameters<typeof JSON.parse>[1]): Json | undefined => {
  try {
    return JSON.parse(text, revive)
  } catch {
    return undefined
  }
}
