import { type Receipt, withoutTexts } from '../receipts/receipt.ts'
import type { AddressRedactor } from './redact-address.ts'

/** A delivery in a stored response, with the fields that erasing a recipient needs. */
interface StoredDelivery {
  readonly id?: string
  /** The id of the delivery's notification. Only deliveries in events have it. */
  readonly notification_id?: string
  readonly source_type: string
  readonly target: string
  readonly attempts?: readonly object[]
  readonly receipt?: Receipt | null
}

/**
 * Returns whether an object in a stored response has a recipient. Such an object is a delivery, a flow, or a suppression for
 * one provider.
 */
const hasRecipient = (value: object): value is Recipient =>
  typeof (value as Partial<StoredDelivery>).target === 'string' && typeof (value as Partial<StoredDelivery>).source_type === 'string'

// The field `attempt_count` distinguishes a delivery from a flow and a suppression.
const isDelivery = (value: unknown): value is StoredDelivery =>
  typeof value === 'object' && value !== null && 'attempt_count' in value && hasRecipient(value)

type Recipient = Pick<StoredDelivery, 'source_type' | 'target'>

/** The recipient to erase. */
export interface ErasedRecipient {
  /** Returns whether a delivery goes to the recipient, through a provider that the erasure covers. */
  isErased(delivery: Recipient): boolean
  /** Returns whether a delivery goes to the recipient, but through a provider that the erasure does not cover. */
  isOfOtherProvider(delivery: Recipient): boolean
  /**
   * Returns whether the erasure does not cover a notification because of the time at which it was accepted.
   * @param id the id of the notification, or of one of its deliveries, in the API's format.
   * @default the erasure covers all notifications
   */
  isLater?(id: string): boolean
  /** The text that replaces the recipient's address. */
  readonly replacement: string
  readonly redactor: AddressRedactor
}

const isNotification = (value: object): value is { readonly id?: string; readonly deliveries: readonly unknown[] } =>
  Array.isArray((value as { deliveries?: unknown }).deliveries)

/** Returns the id of the notification or delivery in a stored response; `undefined` if the object is neither. */
const notificationIdOf = (value: object): string | undefined => {
  if (isDelivery(value)) return value.notification_id ?? value.id
  return isNotification(value) ? value.id : undefined
}

const eraseDelivery = <T extends StoredDelivery>(delivery: T, target: string): T => ({
  ...delivery,
  target,
  provider_message_id: null,
  failure: null,
  ...(delivery.attempts && { attempts: delivery.attempts.map((attempt) => ({ ...attempt, provider_response: null })) }),
  ...(delivery.receipt && { receipt: withoutTexts(delivery.receipt) }),
})

/**
 * Returns a copy of a stored response with a recipient erased. Always replaces the address if it is the `target` of a
 * delivery, of a flow, or of a suppression whose `source_type` is not `null`, except if the erasure does not cover that
 * provider. Also replaces it in all texts and names, unless it may be a common word such as `ops`. The recipient's
 * deliveries also lose their `provider_message_id`, `failure`, provider responses and receipt texts. If all of a
 * notification's deliveries go to the recipient, the notification loses its `subject`. Leaves notifications and
 * deliveries unchanged if they are later than the erasure.
 */
export const eraseFromResponse = (body: unknown, recipient: ErasedRecipient): unknown => {
  const { isErased, isOfOtherProvider, isLater, replacement, redactor } = recipient
  if (Array.isArray(body)) return body.map((item: unknown) => eraseFromResponse(item, recipient))
  if (typeof body !== 'object' || body === null) return redactor.redactJson(body)
  const id = notificationIdOf(body)
  if (id !== undefined && isLater?.(id)) return body
  if (isDelivery(body) && isErased(body)) return eraseDelivery(redactor.redactJson(body), replacement)
  // A notification's id decides about its deliveries too.
  const inner = id === undefined ? recipient : { ...recipient, isLater: () => false }
  const erased = Object.fromEntries(
    Object.entries(redactor.redactNames(body)).map(([name, value]: [string, unknown]) => [name, eraseFromResponse(value, inner)]),
  )
  if (hasRecipient(body) && isErased(body)) return { ...erased, target: replacement }
  if (hasRecipient(body) && isOfOtherProvider(body)) return { ...erased, target: body.target }
  const deliveries = isNotification(body) ? body.deliveries : []
  const isWhollyErased = deliveries.length > 0 && deliveries.every((each) => isDelivery(each) && isErased(each))
  return isWhollyErased && 'subject' in erased ? { ...erased, subject: null } : erased
}
