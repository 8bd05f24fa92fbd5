import { DeliveryError } from '../delivery-error.ts'
import type { SendRequestOptions } from '../network/http.ts'

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
 * The options for a provider that needs only the status of a response. The size of the body is limited to save memory: the
 * body is used only to explain an error, and at most 1,000 characters of it are stored.
 */
export const needsOnlyStatus = { statusSuffices: true, maxBodyBytes: 65_536 } as const satisfies SendRequestOptions
