import type { SuppressionCreate } from '@flowpost/contract'
import { type Channels, parseRecipient } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Recipients } from '../delivery/recipients/recipients.ts'
import { type SuppressionRow, suppress } from '../delivery/suppressions/suppress.ts'
import { getProject } from '../projects/project.queries.ts'
import { findSuppression } from './suppression.queries.ts'

/** The dependencies of {@link addSuppression}. */
export interface AddSuppressionDeps {
  readonly clock: Clock
  readonly channels: Channels
  readonly recipients: Recipients
}

/**
 * Adds a recipient to a project's suppression list. Returns the existing row if the recipient is already on the list.
 * @throws ApiError `not_found`, or `unavailable` if this process cannot compute recipient digests.
 */
export const addSuppression = async (
  transaction: Transaction,
  { clock, channels, recipients }: AddSuppressionDeps,
  principal: Principal,
  projectId: string,
  { target: given, reason }: z.output<typeof SuppressionCreate>,
): Promise<{ readonly row: SuppressionRow; readonly isNew: boolean }> => {
  const project = await getProject(transaction, principal, projectId, 'share')
  const recipient = parseRecipient(channels, given)
  if (!recipient.ok) throw new Error('The recipient is invalid. The body check should have rejected it.')
  const { sourceType, target } = recipient
  const digests = recipients.identitiesOfKey(principal.userId, recipient.key)
  const find = () => findSuppression(transaction, project.id, digests, sourceType ?? '')
  // The insert does not find a suppression that an earlier release stored with another digest.
  const existing = digests.length > 1 ? await find() : undefined
  if (existing) return { row: existing, isNew: false }
  const entry = { digest: recipients.identityOfKey(principal.userId, recipient.key), sourceType, target }
  const [added] = await suppress(transaction, clock, { projectId: project.id, recipients: [entry], reason, source: 'api' })
  const row = added ?? (await find())
  // Another request deleted the existing suppression between the two statements, so this request tries again.
  if (!row) return addSuppression(transaction, { clock, channels, recipients }, principal, projectId, { target: given, reason })
  return { row, isNew: added !== undefined }
}
