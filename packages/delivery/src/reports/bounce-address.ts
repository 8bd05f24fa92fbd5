/** The pattern of a delivery id, which is in lower-case base32. The contract package defines the same pattern. */
const deliveryId = 'dlv_[0-7][0-9a-hjkmnp-tv-z]{25}'

// Some mail servers change the case of addresses.
const inAddress = new RegExp(`\\+(${deliveryId})@`, 'i')
const inMessageId = new RegExp(`<(${deliveryId})@`, 'i')

/**
 * Returns a message's envelope sender: the bounce address with the delivery id after a plus sign, such as
 * `bounces+dlv_…@example.com`. Bounces are sent to this address, so the id identifies the message that bounced.
 */
export function toEnvelopeSender(bounceAddress: string, deliveryId: string): string {
  const at = bounceAddress.lastIndexOf('@')
  return `${bounceAddress.slice(0, at)}+${deliveryId}${bounceAddress.slice(at)}`
}

const maxSearched = 10_000

/** Returns the delivery id in an address made by {@link toEnvelopeSender}, or in a header that contains such an address. */
export const findInAddress = (text: string | undefined): string | undefined =>
  inAddress.exec(text?.slice(0, maxSearched) ?? '')?.[1]?.toLowerCase()

/** Returns the delivery id in the `Message-ID` of a message that Flowpost sent. */
export const findInMessageId = (text: string | undefined): string | undefined =>
  inMessageId.exec(text?.slice(0, maxSearched) ?? '')?.[1]?.toLowerCase()
