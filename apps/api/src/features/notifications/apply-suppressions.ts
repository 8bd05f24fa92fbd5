import { type Channels, createAddressRedactor, recipientKey, suppressedFailure } from '@flowpost/domain'
import { erasedTarget } from '../delivery/recipients/erased-target.ts'
import type { SuppressionOf } from '../delivery/suppressions/find-suppressed.ts'
import type { PrepareDeps, PreparedDelivery } from './prepare-notification.ts'

/**
 * Marks deliveries to suppressed recipients as failed. For an erased recipient, neither the address nor the message is
 * stored.
 */
export const applySuppressions = (
  { recipients, logContent }: Pick<PrepareDeps, 'recipients' | 'logContent'>,
  userId: string,
  deliveries: readonly PreparedDelivery[],
  suppressionOf: SuppressionOf,
): PreparedDelivery[] =>
  deliveries.map((delivery) => {
    const { source_type, content } = delivery
    const suppression = suppressionOf(delivery)
    if (!suppression) return { ...delivery, identity: recipients.identityOf(userId, source_type, delivery.target) }
    const { digest: identity, isErased } = suppression
    const target = isErased ? erasedTarget(identity) : delivery.target
    return {
      ...delivery,
      target,
      status: 'failed',
      next_attempt_at: null,
      failure: suppressedFailure,
      content: isErased || !logContent ? null : content,
      identity,
      digest: recipients.digestOf({ user_id: userId, source_type, target }),
    }
  })

/** Returns a function that replaces the addresses of erased recipients in a JSON value. */
export const createErasedRedactor = (
  channels: Channels,
  deliveries: readonly PreparedDelivery[],
  suppressionOf: SuppressionOf,
): (<T>(value: T) => T) => {
  const redactors = deliveries.flatMap((delivery) => {
    const suppression = suppressionOf(delivery)
    if (!suppression?.isErased) return []
    return [createAddressRedactor(recipientKey(channels, delivery.source_type, delivery.target), erasedTarget(suppression.digest))]
  })
  return (value) => redactors.reduce((redacted, { redactJson }) => redactJson(redacted), value)
}
