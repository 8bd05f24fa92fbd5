import { DeliveryError } from '../delivery-error.ts'

/** Matches error codes of failed DNS lookups. */
const lookupFailure = /^(?:ENOTFOUND|EAI_AGAIN|ENODATA|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME|EFORMERR|EBADRESP|ENOTIMP)$/

/**
 * Matches error codes that suggest that the connection was not opened. The codes of TLS errors match too, because most TLS
 * errors occur during the handshake, before the request is written.
 */
const connectFailure = /^(?:ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|EPROTO)$|CERT|_TLS_|_SSL_|^UNABLE_TO_/

/** Matches the codes and messages of errors with which `fetch` rejects a request before it is sent. */
const rejection = /^(?:UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED|bad port|unknown scheme)$/

interface RequestParts {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Creates the error for a request without a complete response. Returns a `DeliveryError` unchanged.
 *
 * @param carriesMessage Whether the request carried a message. If so, the error is `ambiguous` unless no connection was open.
 * @param wasConnected Whether the connection was opened; `undefined` if the error decides.
 */
export function createNetworkError(error: unknown, carriesMessage: boolean, wasConnected: boolean | undefined): DeliveryError {
  if (error instanceof DeliveryError) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const providerResponse = cause instanceof Error ? cause.message : String(cause)
  const code = getSystemCode(cause)?.toLowerCase() ?? 'connection_lost'
  const mayBeConnected = wasConnected ?? !(cause instanceof Error && isConnectFailure(cause))
  if (!carriesMessage || !mayBeConnected) {
    return new DeliveryError({ kind: 'provider', code, detail: 'The provider could not be reached.', providerResponse })
  }
  const detail = 'The response was lost, so the message may have been accepted.'
  return new DeliveryError({ kind: 'ambiguous', code, detail, providerResponse })
}

/** Returns the error for a request that `fetch` rejected because the request is invalid; otherwise `undefined`. */
export function findRequestError(error: unknown, url: string, request: RequestParts): DeliveryError | undefined {
  const reason = error instanceof TypeError ? findRejection(error, url, request) : undefined
  if (reason === undefined) return undefined
  const detail = 'The provider created an invalid request, which was not sent.'
  return new DeliveryError({ kind: 'provider', code: 'provider_fault', detail, providerResponse: String(reason) })
}

function findRejection({ cause }: TypeError, url: string, { method = 'GET', headers = {}, body }: RequestParts): unknown {
  if (cause instanceof Error && (rejection.test(getSystemCode(cause) ?? '') || rejection.test(cause.message))) return cause
  // After a network error, the request may have been sent: a custom `fetch` may accept requests that `Request` does not.
  if (cause instanceof Error && ('syscall' in cause || getSystemCode(cause)?.startsWith('UND_ERR_'))) return undefined
  try {
    new Request(url, { method, headers, ...(body === undefined || body === null ? {} : { body: '' }) })
    return undefined
  } catch (error) {
    return error
  }
}

/** Returns whether the error suggests that the connection was not opened. */
function isConnectFailure(error: Error): boolean {
  // Node throws an `AggregateError` if it has tried several addresses of a host.
  if (error instanceof AggregateError) return error.errors.every(isConnectFailure)
  // A code such as ETIMEDOUT or EHOSTUNREACH does not show whether the connection was already open. The system call does.
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true
  // Node's error has this message if the server closed the connection (FIN) during the TLS handshake. The error's code is
  // ECONNRESET both during and after the handshake, so the code does not show when the server closed the connection.
  if (error.message.includes('before secure TLS connection was established')) return true
  const systemCode = getSystemCode(error) ?? ''
  // If the server reset the connection (RST), the error does not show whether the handshake had ended. In this case, the result
  // is `false`, because the server may have received the request.
  return lookupFailure.test(systemCode) || connectFailure.test(systemCode)
}

/** Returns an error's code. The property `code` exists but is undefined if the response is not HTTP. */
function getSystemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
