import { projectTag } from '../../../cache-tags.ts'
import type { Transaction } from '../../../database/database.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newUuid, type Uuid } from '../../../shared/ids.ts'
import type { RecipientDigest } from '../recipients/recipients.ts'

/** A recipient to suppress. */
export interface RecipientToSuppress {
  readonly digest: RecipientDigest
  /** The only provider that the suppression applies to; `undefined` if it applies to all providers. */
  readonly sourceType?: string | undefined
  /** The canonical address; `null` if the recipient is being erased or was erased. */
  readonly target: string | null
}

/** A suppression as it is stored. */
export interface SuppressionRow {
  readonly id: Uuid
  readonly digest: RecipientDigest
  readonly source_type: string
  readonly target: string | null
  readonly reason: string
  readonly source: string
  readonly created_at: string | Date
}

/** The columns of a {@link SuppressionRow}. */
export const suppressionColumns = 'id, digest, source_type, target, reason, source, created_at'

const insert = {
  name: 'suppress',
  text: `insert into suppressions (id, project_id, digest, source_type, target, reason, source, created_at)
    select id, project_id, digest, source_type, target, $2, $3, $4
    from jsonb_to_recordset($1::jsonb) as r(id uuid, project_id uuid, digest uuid, source_type text, target text)
    order by project_id, digest, source_type
    on conflict (project_id, digest, source_type) do nothing
    returning project_id, ${suppressionColumns}`,
}

/** The recipients to suppress, and the reason and source of the suppression. */
interface Additions {
  readonly recipients: readonly RecipientToSuppress[]
  readonly reason: string
  readonly source: 'api' | 'receipt' | 'erasure'
}

/**
 * Adds recipients to the projects' suppression lists. Entries that already exist stay unchanged. Returns the new
 * rows. The caller must hold a lock that keeps the projects from being deleted.
 */
export const suppressInProjects = async (
  transaction: Transaction,
  clock: Clock,
  { projectIds, recipients, reason, source }: Additions & { readonly projectIds: readonly Uuid[] },
): Promise<SuppressionRow[]> => {
  const rows = projectIds.flatMap((project_id) =>
    recipients.map(({ digest, sourceType = '', target }) => ({ id: newUuid(), project_id, digest, source_type: sourceType, target })),
  )
  if (rows.length === 0) return []
  const values = [JSON.stringify(rows), reason, source, clock.now()]
  const added = await transaction.query<SuppressionRow & { project_id: Uuid }>(insert, values)
  // A project's cached settings include whether the project suppresses anybody.
  for (const { project_id } of added) transaction.invalidate(projectTag(project_id))
  return added
}

/** Adds recipients to a project's suppression list, as {@link suppressInProjects} does. */
export const suppress = (
  transaction: Transaction,
  clock: Clock,
  { projectId, ...additions }: Additions & { readonly projectId: Uuid },
): Promise<SuppressionRow[]> => suppressInProjects(transaction, clock, { ...additions, projectIds: [projectId] })
