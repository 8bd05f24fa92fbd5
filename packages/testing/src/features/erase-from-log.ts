import {
  createAddressRedactor,
  type ErasedRecipient,
  erasedFailure,
  eraseFailureText,
  eraseFromResponse,
  isFinal,
  recipientKey,
  withoutTexts,
} from '@flowpost/domain'
import type { CompletionTracker } from '../delivery/completion.ts'
import { channelsOf, type MockContext } from '../state/mock-context.ts'
import type { DeliveryRecord } from '../state/store.ts'

/** The recipient to erase. */
export interface RecipientToErase {
  readonly userId: string
  /** The recipient's key, as `recipientKey` returns it. */
  readonly key: string
  /** The provider whose deliveries are erased, or `undefined` for every provider. */
  readonly sourceType: string | undefined
  /** The text that replaces the address. */
  readonly target: string
}

const eraseDelivery = (delivery: DeliveryRecord, { target, key }: RecipientToErase): void => {
  delivery.target = target
  delivery.erasedKey = key
  delivery.content = null
  delivery.provider_message_id = null
  // A mail server's response text often contains the address.
  if (delivery.receipt) delivery.receipt = withoutTexts(delivery.receipt)
  for (const attempt of delivery.attempts) {
    attempt.provider_response = null
    if (attempt.outcome === 'sending') attempt.outcome = 'ambiguous'
  }
  if (isFinal(delivery.status)) {
    if (delivery.failure) delivery.failure = eraseFailureText(delivery.failure)
    return
  }
  // A message that is being sent cannot be recalled.
  const isSending = delivery.status === 'sending'
  delivery.status = isSending ? 'ambiguous' : 'canceled'
  delivery.failure = isSending ? { ...erasedFailure, kind: 'ambiguous' } : erasedFailure
  delivery.next_attempt_at = null
}

/**
 * Removes a recipient from a user's log, stored responses, flow health, settings history and events. Returns the number
 * of erased deliveries.
 */
export const eraseFromLog = (context: MockContext, completion: CompletionTracker, recipient: RecipientToErase): number => {
  const { store } = context
  const { userId, key, sourceType, target } = recipient
  const channels = channelsOf(context)
  const redactor = createAddressRedactor(key, target)
  const isRecipient: ErasedRecipient['isErased'] = ({ source_type, target: address }) =>
    recipientKey(channels, source_type, address) === key
  const isCovered = (provider: string): boolean => (sourceType ?? provider) === provider
  const erased: ErasedRecipient = {
    isErased: (delivery) => isCovered(delivery.source_type) && isRecipient(delivery),
    isOfOtherProvider: (delivery) => !isCovered(delivery.source_type) && isRecipient(delivery),
    replacement: target,
    redactor,
  }
  const erase = <T>(value: T): T => eraseFromResponse(value, erased) as T

  let count = 0
  for (const notification of store.notifications.values()) {
    if (notification.userId !== userId) continue
    const found = notification.deliveries.filter(erased.isErased)
    for (const delivery of found) eraseDelivery(delivery, recipient)
    for (const delivery of notification.deliveries) {
      delivery.content = redactor.redactMessage(delivery.content)
      delivery.failure = redactor.redactJson(delivery.failure)
      delivery.receipt = redactor.redactJson(delivery.receipt)
      for (const attempt of delivery.attempts) attempt.provider_response = redactor.redactJson(attempt.provider_response)
    }
    const hasContent = notification.deliveries.some(({ content }) => content !== null)
    notification.subject = hasContent ? redactor.redactMessage(notification.subject) : null
    notification.reference = redactor.redactJson(notification.reference)
    notification.metadata = redactor.redactJson(notification.metadata)
    if (found.length > 0) completion.updateStatus(notification)
    count += found.length
  }
  for (const [id, stored] of store.responses) {
    const [owner, , idempotencyKey] = JSON.parse(id) as [string, string, string]
    const text = stored.response?.text
    if (owner !== userId) continue
    if (redactor.isIn(idempotencyKey)) store.responses.delete(id)
    else if (stored.response !== undefined && text !== undefined) {
      const body = JSON.stringify(erase(JSON.parse(text)))
      store.responses.set(id, { ...stored, response: { ...stored.response, text: body } })
    }
  }
  for (const [id, flow] of store.flows) {
    if (store.projects.get(flow.project_id)?.userId !== userId) continue
    store.flows.set(id, { ...flow, condition: { ...flow.condition, detail: redactor.redactJson(flow.condition.detail) } })
  }
  for (const [id, entry] of store.settingsHistory) {
    if (entry.userId !== userId) continue
    const { before, after, request_id } = entry
    const redacted = { before: erase(before), after: erase(after) }
    store.settingsHistory.set(id, { ...entry, ...redacted, request_id: redactor.isIn(request_id) ? target : request_id })
  }
  for (const [id, stored] of store.events) {
    if (stored.userId !== userId) continue
    store.events.set(id, { ...stored, event: { ...stored.event, data: erase(stored.event.data) } as typeof stored.event })
  }
  return count
}
