import { type CallContext, createAbortFailure, createFailure } from '../calls/call-context.ts'
import { type AttemptRecord, FlowpostError } from '../errors.ts'
import type { WithResponse } from '../results.ts'
import { toText } from '../to-text.ts'
import { redact, redactValue } from './redact.ts'
import { prepareRequest, type RequestInput, randomId, serverWaitMs } from './request.ts'
import { parseResponse, readText } from './response.ts'
import { backoffMs, isRetryable } from './retry.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Sends a request and retries it within the call's deadline and `maxRetries`. Fails immediately with the last error
 * when the next delay would exceed the deadline.
 */
export const send = async (context: CallContext, input: RequestInput): Promise<WithResponse<unknown>> => {
  const { config, telemetry, operation, options, deadline, attempts } = context
  const { route } = input
  const { method = 'GET', path } = route
  const { url, headers, body, project } = prepareRequest(context, input)
  const waitMs = serverWaitMs(input)
  const attemptTimeout = options.attemptTimeout ?? Math.max(config.attemptTimeout, waitMs && waitMs + 5_000)

  for (let retry = 0, delayMs = 0; ; retry++) {
    deadline.throwIfAborted()
    const record: Writable<AttemptRecord> = { status: undefined, delayMs, requestId: undefined }
    attempts.push(record)
    const event = { operation, method, path, attempt: retry + 1 }
    const startedAt = config.clock.now()
    let token: string | undefined

    const exchange = async (signal: AbortSignal) => {
      let requestHeaders = { ...headers }
      // The request id identifies the attempt in the server's log even if there is no response. Browsers send no
      // request id, because CORS would require the server to allow one more header.
      if (config.userAgent) requestHeaders['x-request-id'] ??= randomId()
      if (config.hooks) {
        const eventHeaders = new Headers(requestHeaders)
        telemetry.request({ ...event, headers: eventHeaders })
        // The credential is added to a copy of the headers, because a hook may have stored a reference to `eventHeaders`.
        requestHeaders = Object.fromEntries(eventHeaders)
      }
      record.requestId = requestHeaders['x-request-id']
      token = await config.credential()
      signal.throwIfAborted()
      requestHeaders['authorization'] = `Bearer ${token}`
      // The global `fetch` is looked up for each attempt, so that a later replacement takes effect.
      const fetch = config.fetch ?? globalThis.fetch
      // Following a redirect would lose the body or the credential.
      const request = async (redirect: 'error' | 'manual') => fetch(url, { method, body, headers: requestHeaders, signal, redirect })
      // In Node, `redirect: 'error'` saves CPU time, because `fetch` then does not copy the request. However, if the server
      // responds with a redirect or a 421, `fetch` can reject with an error that hides the status. To get the response, the
      // client sends the request again with `manual`. Other platforms may not support `error`
      // (docs/decisions/0042-sdk-cpu.md).
      const response = await request(/Node.js\/\d/.test(`${!config.fetch && config.userAgent}`) ? 'error' : 'manual').catch((error) => {
        if (/unexpected redirect|match content-length/.test(error?.cause)) return request('manual')
        throw error
      })
      signal.throwIfAborted()
      record.status = response.status
      record.requestId = redact(response.headers.get('x-request-id') ?? record.requestId ?? '', token) || undefined
      const text = await readText(response)
      signal.throwIfAborted()
      telemetry.headers(response.headers, operation, project)
      const data = parseResponse(context, response, text, route, 'if-none-match' in requestHeaders, token)
      return data instanceof FlowpostError ? data : { data, response, requestId: record.requestId }
    }
    const outcome = await deadline.run(attemptTimeout, exchange).catch((thrown: unknown) => {
      if (deadline.aborted()) return createAbortFailure(context)
      const cause = redactValue(thrown, token)
      return token === undefined
        ? createFailure(context, 'credential_failed', `apiKey returned no valid token: ${describe(cause)}`, { cause })
        : createFailure(context, 'connection_failed', `the connection failed: ${describe(cause)}`, { cause })
    })

    const error = outcome instanceof FlowpostError ? outcome : undefined
    if (error) delayMs = Math.max(error.retryAfterMs ?? 0, backoffMs(retry, config.random()))
    const willRetry =
      error &&
      !deadline.aborted() &&
      !(retry >= ((options.maxRetries ?? config.maxRetries) as number)) &&
      isRetryable(error.status, error.code, route) &&
      delayMs < deadline.remainingMs()
    telemetry.result({
      ...event,
      ...record,
      durationMs: Math.round(config.clock.now() - startedAt),
      error,
      retryInMs: willRetry ? delayMs : undefined,
    })
    if (!error) return outcome as WithResponse<unknown>
    if (!willRetry) {
      deadline.throwIfAborted()
      throw error
    }
    await deadline.sleep(delayMs)
  }
}

/**
 * Describes an error by the message or code of its cause, if any, because the message of a failed `fetch` is only
 * `fetch failed`.
 */
const describe = (error: unknown): string => {
  const { cause, message } = Object(error) as Error
  const { message: reason, code } = Object(cause) as Error & { code?: unknown }
  return toText(reason || code || message || error)
}
