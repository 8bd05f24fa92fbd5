import { pageLimit, type Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import type { RecipientDigest } from '../delivery/recipients/recipients.ts'
import { type SuppressionRow, suppressionColumns } from '../delivery/suppressions/suppress.ts'

/**
 * Reads a recipient's suppression for one provider or, if `sourceType` is empty, the suppression that applies to all providers.
 * @param digests see `Recipients.identitiesOf`.
 */
export const findSuppression = async (
  on: Queryable,
  projectId: Uuid,
  digests: readonly RecipientDigest[],
  sourceType: string,
): Promise<SuppressionRow | undefined> => {
  const [row] = await on.query<SuppressionRow & object>(
    `select ${suppressionColumns} from suppressions where project_id = $1 and ${anyUuid('digest', '$2')} and source_type = $3
     order by id limit 1`,
    [projectId, digests, sourceType],
  )
  return row
}

/**
 * Reads at most `count` suppressions of a project, oldest first. Starts after the suppression with the UUID `after`, if
 * given. If `digests` is given, reads only the suppressions of the recipient with these digests.
 */
export const listSuppressions = (
  on: Queryable,
  projectId: Uuid,
  digests: readonly RecipientDigest[] | undefined,
  count: number,
  after: Uuid | undefined,
): Promise<SuppressionRow[]> => {
  const values = [projectId, after ?? lowestUuid, count, ...(digests === undefined ? [] : [digests])]
  return on.query<SuppressionRow & object>(
    `select ${suppressionColumns} from suppressions where project_id = $1 and id > $2 ${digests === undefined ? '' : `and ${anyUuid('digest', '$4')}`}
     order by id ${pageLimit('$3')}`,
    values,
  )
}

/** Deletes one of a project's suppressions. Returns whether the suppression existed. */
export const deleteSuppression = async (on: Queryable, projectId: Uuid, id: Uuid): Promise<boolean> => {
  const deleted = await on.query('delete from suppressions where project_id = $1 and id = $2 returning id', [projectId, id])
  return deleted.length > 0
}
