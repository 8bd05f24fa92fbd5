import type { Egress } from './egress.ts'
import { type HttpContext, type HttpRequest, type HttpResponse, type SendRequestOptions, sendRequest } from './http.ts'

/** The part of a `ProviderContext` that {@link sendThroughEgress} needs. */
export interface EgressContext extends Pick<HttpContext, 'signal' | 'clock' | 'markSendStarted'> {
  readonly egress: Pick<Egress, 'fetch'>
}

/**
 * Sends a request through `context.egress`, which blocks private networks for tenants. Use this function for an address
 * from settings or secrets. With a tenant's credential, `markSendStarted` is called only when the connection is open. A
 * timeout or error before that is not `ambiguous`.
 *
 * @throws DeliveryError in the same cases as {@link sendRequest}, and when the address is not allowed.
 */
export function sendThroughEgress(
  context: EgressContext,
  url: string,
  request: HttpRequest<string>,
  options?: SendRequestOptions,
): Promise<HttpResponse> {
  const { egress, markSendStarted } = context
  if (!markSendStarted) return sendRequest({ ...context, fetch: egress.fetch }, url, request, options)
  let wasConnected: boolean | undefined = false
  const onConnected = (connection: 'open' | 'unknown') => {
    wasConnected = connection === 'open' ? true : undefined
    markSendStarted()
  }
  const fetch: typeof egress.fetch = (address, init) => egress.fetch(address, { ...init, onConnected })
  return sendRequest({ ...context, fetch, markSendStarted: () => {}, wasConnected: () => wasConnected }, url, request, options)
}
