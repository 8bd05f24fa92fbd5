import type { ErasedPerson } from '../../src/features/erasures/erasure-area.ts'
import { personOf } from '../../src/features/erasures/run-erasure.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { newUuid } from '../../src/shared/ids.ts'
import { recordTestEvents, testChannels, testRecipients } from '../support/test-recipients.ts'

/** The dependencies of the steps of an erasure. */
export const erasureDeps = { clock: systemClock, channels: testChannels, recipients: testRecipients, recordEvents: recordTestEvents }

/**
 * Returns the recipient of an erasure by the user `alice`. The erasure covers all providers.
 * @param requestedAt when the erasure was requested. @default now
 */
export const erasedPerson = (address: string, requestedAt = new Date()): ErasedPerson => {
  const id = newUuid()
  const { encryption } = testRecipients
  if (!encryption) throw new Error('The key for recipient digests is missing.')
  return personOf(erasureDeps, {
    id,
    userId: 'alice',
    digest: testRecipients.identityOfKey('alice', address),
    sourceType: '',
    createdAt: requestedAt.toISOString(),
    address: encryption.encrypt(address, ['erasures', id]),
    claim: 1,
  })
}
