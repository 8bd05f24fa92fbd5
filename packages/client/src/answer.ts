import { type CallContext, failure } from './context.ts'
import type { FieldError } from './generated/types.ts'
import { redact } from './redact.ts'
import { retryAfterMs } from './retry.ts'
import type { Route } from './route.ts'

const snippetLength = 500

/** Characters of an error's body that are read. A problem with the most faults is shorter. */
const maxErrorLength = 1_000_000

/** Reads the body of a response. That of an error is cut off at a limit, because anybody may have written it. */
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
 * Gives the data of an answer, or what is wrong with it: it may not be Flowpost's at all.
 *
 * @param conditional Whether the request asked for the resource only if it has changed.
 * @param secret What an error must not quote.
 */
export const readAnswer = (
  context: CallContext,
  { status, headers, ok }: Response,
  text: string,
  route: Route,
  conditional: boolean,
  secret: string,
): unknown => {
  // Nothing is an answer only to who asked for it; anybody else would read fields of it.
  if ((status === 204 && route.method === 'DELETE') || (status === 304 && conditional)) return
  // A proxy may echo the request into its error page. JSON can spell a key in many ways, so it is replaced in what was parsed.
  const json = parse(text, ok ? undefined : (_, value) => (typeof value === 'string' ? redact(value, secret) : value))
  if (ok && json instanceof Object && !Array.isArray(json) && (!route.page || isPage(json))) return json
  const code = status >= 400 && typeof json?.code === 'string' && json.code
  // Browsers hide a redirect behind the status 0.
  const isRedirect = !ok && status < 400 && status !== 304
  return failure(
    context,
    code || 'unexpected_response',
    code
      ? `${code} (${status}): ${json?.detail ?? json?.title ?? 'no detail'}`
      : `the answer (${status}) is ${isRedirect ? 'a redirect, which is not followed' : "not Flowpost's"}; is the base URL right?`,
    {
      errors: faults(json?.errors),
      retryAfterMs: retryAfterMs(headers, Date.now()),
      snippet: code ? undefined : redact(json === undefined ? text : JSON.stringify(json), secret).slice(0, snippetLength),
    },
  )
}

const isPage = ({ data, next_cursor }: Json): boolean => Array.isArray(data) && typeof (next_cursor ?? '') === 'string'

const faults = (errors: unknown): FieldError[] => (Array.isArray(errors) ? errors.filter((fault) => fault?.code) : [])

type Json = Readonly<Record<string, unknown>>

const parse = (text: string, revive: Parameters<typeof JSON.parse>[1]): Json | undefined => {
  try {
    return JSON.parse(text, revive)
  } catch {
    return undefined
  }
}
