import type { Queryable } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Uuid } from '../../../shared/ids.ts'
import type { RecipientDigest, Recipients } from '../recipients/recipients.ts'

/** The recipient of a delivery. */
export interface DeliveryRecipient {
  readonly source_type: string
  readonly target: string
}

/** A suppressed recipient. */
export interface SuppressedRecipient {
  /** The digest in the suppression. */
  readonly digest: RecipientDigest
  /** Whether the recipient was erased, so that its address must not be stored again. */
  readonly isErased: boolean
}

/** Returns a {@link SuppressedRecipient} for a recipient; `undefined` if the recipient is not suppressed. */
export type SuppressionOf = (recipient: DeliveryRecipient) => SuppressedRecipient | undefined

/**
 * Returns an SQL condition that is true if the project with the id `projectId` suppresses at least one recipient. It uses
 * `limit 1` to read only one index entry. PostgreSQL might run `exists` as a join, and read the entries of all projects.
 */
export const suppressesAny = (projectId: string): string =>
  `((select true from suppressions where suppressions.project_id = ${projectId} limit 1) is true)`

const lookUp = {
  name: 'find-suppressed',
  text: `select s.digest, s.source_type, s.target is null as erased from suppressions s
    where s.project_id = $1 and ${anyUuid('s.digest', '$2')}`,
}

interface FoundRow {
  readonly digest: RecipientDigest
  readonly source_type: string
  readonly erased: boolean
}

/**
 * Looks up which of the given recipients a project suppresses. The cost depends on the number of given recipients, not
 * on the length of the suppression list.
 * @throws ApiError `unavailable` if this process has no key to compute digests with.
 */
export const findSuppressed = async (
  on: Queryable,
  recipients: Recipients,
  owner: { readonly userId: string; readonly projectId: Uuid },
  candidates: readonly DeliveryRecipient[],
): Promise<SuppressionOf> => {
  const digestsOf = ({ source_type, target }: DeliveryRecipient) => recipients.identitiesOf(owner.userId, source_type, target)
  const digests = [...new Set(candidates.flatMap(digestsOf))]
  const found = Map.groupBy(await on.query<FoundRow & object>(lookUp, [owner.projectId, digests]), ({ digest }) => digest)
  return (recipient) => {
    const matching = digestsOf(recipient)
      .flatMap((digest) => found.get(digest) ?? [])
      .filter(({ source_type }) => source_type === '' || source_type === recipient.source_type)
    const suppression = matching.find(({ erased }) => erased) ?? matching[0]
    return suppression && { digest: suppression.digest, isErased: suppression.erased }
  }
}
