import { DeliveryError } from '../delivery-error.ts'

/** Matches error codes of failed DNS lookups. */
const lookupFailure = /^(?:ENOTFOUND|EAI_AGAIN|ENODATA|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME|EFORMERR|EBADRESP|ENOTIMP)$/

/**
 * Matches error codes that suggest that the connection was not opened. The codes of TLS errors match too, because most TLS
 * errors occur during the handshake, before the request is written.
 */
const connectFailure = /^(?:ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|EPROTO)$|CERT|_TLS_|_SSL_|^UNABLE_TO_/

interface RequestHead {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
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

/** Returns the error for a request that `fetch` rejects because its URL, method or a header is invalid; otherwise `undefined`. */
export function findRequestError(url: string, { method = 'GET', headers = {} }: RequestHead): DeliveryError | undefined {
  try {
    new Request(url, { method, headers })
    return undefined
  } catch (error) {
    const detail = 'The provider created an invalid request, which was not sent.'
    return new DeliveryError({ kind: 'provider', code: 'provider_fault', detail, providerResponse: String(error) })
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
