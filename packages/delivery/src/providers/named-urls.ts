import { DeliveryError } from '../delivery-error.ts'

/**
 * The URL with this name.
 *
 * @throws DeliveryError of kind `target` when there is none.
 */
export function urlNamed(urls: Readonly<Record<string, string>>, name: string): string {
  const url = Object.hasOwn(urls, name) ? urls[name] : undefined
  if (url !== undefined) return url
  throw new DeliveryError({ kind: 'target', code: 'name_unknown', detail: `The integration has no URL with the name ${name}.` })
}
