import { DeliveryError } from '../delivery-error.ts'
import { type HttpRequest, type HttpResponse, type SendRequestOptions, sendRequest } from '../network/http.ts'
import type { ProviderContext } from '../provider.ts'

/**
 * Returns the URL with the given name from a credential's `urls`.
 *
 * @throws DeliveryError of kind `target` when the credential has no URL with this name.
 */
export function getNamedUrl(urls: Readonly<Record<string, string>>, name: string): string {
  const url = Object.hasOwn(urls, name) ? urls[name] : undefined
  if (url !== undefined) return url
  throw new DeliveryError({ kind: 'target', code: 'name_unknown', detail: `The integration has no URL named ${name}.` })
}

/**
 * Sends a request to a credential's URL through `context.egress`, which blocks private networks for tenants. With a tenant's
 * credential, calls `markSendStarted` only when the connection is open. An earlier timeout therefore does not count as
 * `ambiguous`.
 */
export function sendThroughEgress(
  context: Pick<ProviderContext<unknown, unknown, unknown>, 'egress' | 'signal' | 'clock'> & { readonly markSendStarted?: () => void },
  url: string,
  request: HttpRequest<string>,
  options?: SendRequestOptions,
): Promise<HttpResponse> {
  const { egress, markSendStarted } = context
  if (!markSendStarted) return sendRequest({ ...context, fetch: egress.fetch }, url, request, options)
  const fetch: typeof egress.fetch = (address, init) => egress.fetch(address, { ...init, onConnected: markSendStarted })
  return sendRequest({ ...context, fetch, markSendStarted: () => {} }, url, request, options)
}
