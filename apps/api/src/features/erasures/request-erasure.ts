import type { ErasureCreate } from '@flowpost/contract'
import { type Channels, parseRecipient } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { type Recipients, recipientKeyMissing } from '../delivery/recipients/recipients.ts'
import { suppressInProjects } from '../delivery/suppressions/suppress.ts'
import { forgetSuppressedAddress } from './erase-settings.ts'
import { insertErasure } from './erasure.queries.ts'
import type { ErasureRow } from './erasure.serializer.ts'
import { encryptAddress } from './erasure-address.ts'

/** The dependencies of {@link requestErasure}. */
export interface RequestErasureDeps {
  readonly clock: Clock
  readonly channels: Channels
  readonly recipients: Recipients
}

/**
 * Stores a user's request to erase a recipient. With `block`, also adds the recipient to the suppression list of every project
 * that the user has now.
 * @throws ApiError `unavailable` if this process cannot compute recipient digests.
 */
export const requestErasure = async (
  transaction: Transaction,
  { clock, channels, recipients }: RequestErasureDeps,
  { userId, keyId }: Principal,
  { target, block }: z.output<typeof ErasureCreate>,
): Promise<ErasureRow> => {
  const recipient = parseRecipient(channels, target)
  if (!recipient.ok) throw new Error('The recipient is invalid. The body check should have rejected it.')
  const { key, sourceType } = recipient
  const { encryption } = recipients
  if (!encryption) throw recipientKeyMissing()
  const digest = recipients.identityOfKey(userId, key)
  if (block) {
    const projects = await transaction.query<{ id: Uuid }>('select id from projects where user_id = $1 order by id for key share', [userId])
    const projectIds = projects.map(({ id }) => id)
    const entry = { digest, sourceType, target: null }
    await suppressInProjects(transaction, clock, { projectIds, recipients: [entry], reason: 'erasure', source: 'erasure' })
  }
  await forgetSuppressedAddress(transaction, { userId, digests: recipients.identitiesOfKey(userId, key), sourceType })
  const id = newUuid()
  const address = encryptAddress(encryption, id, key)
  return insertErasure(transaction, { id, userId, digest, sourceType, block, requestedBy: keyId, createdAt: clock.now(), address })
}
