import { type Receipt, withoutTexts } from '../receipts/receipt.ts'
import type { AddressRedactor } from './redact-address.ts'

/** A delivery in a stored response, with the fields that erasing a recipient needs. */
interface StoredDelivery {
  readonly source_type: string
  readonly target: string
  readonly attempts?: readonly object[]
  readonly receipt?: Receipt | null
}

/**
 * Returns whether an object in a stored response has a recipient. Such an object is a delivery, a flow, or a suppression for
 * one provider.
 */
const hasRecipient = (value: object): value is Pick<StoredDelivery, 'source_type' | 'target'> =>
  typeof (value as Partial<StoredDelivery>).target === 'string' && typeof (value as Partial<StoredDelivery>).source_type === 'string'

// The field `attempt_count` distinguishes a delivery from a flow and a suppression.
const isDelivery = (value: unknown): value is StoredDelivery =>
  typeof value === 'object' && value !== null && 'attempt_count' in value && hasRecipient(value)

/** The recipient to erase. */
export interface ErasedRecipient {
  /** Returns whether a delivery goes to the recipient. */
  isErased(delivery: StoredDelivery): boolean
  /** The text that replaces the recipient's address. */
  readonly replacement: string
  readonly redactor: AddressRedactor
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
 * delivery, of a flow, or of a suppression whose `source_type` is not `null`. Also replaces it in all texts and names,
 * unless it may be a common word such as `ops`. The recipient's deliveries also lose their `provider_message_id`,
 * `failure`, provider responses and receipt texts. If all of a notification's deliveries go to the recipient, the
 * notification loses its `subject`.
 */
export const eraseFromResponse = (body: unknown, recipient: ErasedRecipient): unknown => {
  const { isErased, replacement, redactor } = recipient
  if (Array.isArray(body)) return body.map((item: unknown) => eraseFromResponse(item, recipient))
  if (typeof body !== 'object' || body === null) return redactor.redactJson(body)
  if (isDelivery(body) && isErased(body)) return eraseDelivery(redactor.redactJson(body), replacement)
  const erased = Object.fromEntries(
    Object.entries(redactor.redactNames(body)).map(([name, value]: [string, unknown]) => [name, eraseFromResponse(value, recipient)]),
  )
  if (hasRecipient(body) && isErased(body)) return { ...erased, target: replacement }
  const deliveries: unknown = (body as { deliveries?: unknown }).deliveries
  const isWhollyErased =
    Array.isArray(deliveries) && deliveries.length > 0 && deliveries.every((each) => isDelivery(each) && isErased(each))
  return isWhollyErased && 'subject' in erased ? { ...erased, subject: null } : erased
}
