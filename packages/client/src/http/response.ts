import { type CallContext, createFailure } from '../calls/call-context.ts'
import type { FieldError } from '../generated/types.ts'
import type { Route } from '../route.ts'
import { toText } from '../to-text.ts'
import { redact, redactValue } from './redact.ts'
import { retryAfterMs } from './retry.ts'

const maxTextLength = 500

/** Maximum number of characters read from an error body. Every valid problem document is shorter. */
const maxErrorLength = 1_000_000

/**
 * Reads a response body. Reads only the start of an error body, and does not read a redirect body, because the sender
 * of an error or a redirect may be untrusted. The `fetch` of node-fetch 2 returns a Node stream, which has no `getReader`.
 * Its body is read completely.
 */
export const readText = async (response: Response): Promise<string> => {
  if (response.ok || !response.body?.getReader) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let isDone = response.status < 400
  while (!isDone && text.length < maxErrorLength) {
    const chunk = await reader.read()
    text += decoder.decode(chunk.value, { stream: true })
    isDone = chunk.done
  }
  // Closes the connection. Nothing depends on the outcome.
  reader.cancel().catch(() => {})
  return text
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
  // Accepts an empty body only for a DELETE or a conditional read. The callers of all other operations need an object.
  if ((status === 204 && route.method === 'DELETE') || (status === 304 && isConditional)) return
  const json = parseJson(text)
  if (
    ok &&
    json instanceof Object &&
    !Array.isArray(json) &&
    (!route.page || (Array.isArray(json['data']) && typeof (json['next_cursor'] ?? '') === 'string'))
  )
    return json
  // A proxy may echo the API key in its error page. Redaction runs on the parsed values, because JSON can escape the key in
  // many ways.
  const safe = redactValue(json || text, secret) as Json
  const code = status >= 400 && typeof safe.code === 'string' && safe.code
  // Browsers report a redirect as status 0 and hide its target. Elsewhere, the error below names the target without its query,
  // which may contain secrets of another system.
  const isRedirect = !ok && status < 400 && status !== 304
  const location = redact(headers.get('location') ?? '', secret)
  return createFailure(
    context,
    code || 'unexpected_response',
    code
      ? `${code} (${status}): ${toText(safe.detail ?? safe.title ?? 'no detail').slice(0, maxTextLength)}`
      : `the response (${status}) is ${isRedirect ? `a redirect${location && ` to ${location.replace(/[?#].*/, '')}`}, which is not followed` : 'not from Flowpost'}; is the base URL right?`,
    {
      errors: [safe.errors].flat().filter((issue) => (issue as FieldError | undefined)?.code) as FieldError[],
      retryAfterMs: retryAfterMs(headers),
      snippet: code ? undefined : toText(json ? JSON.stringify(safe) : safe).slice(0, maxTextLength),
    },
  )
}

type Json = Readonly<Record<string, unknown>>

const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
