import { providerIdPattern } from '@flowpost/delivery'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import type { Uuid } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import type { IntegrationRow } from './integration.serializer.ts'

/** An integration with its sealed secrets. */
export interface SealedIntegrationRow extends IntegrationRow {
  readonly project_id: Uuid
  readonly secrets: Uint8Array | null
}

const columns = ['id', 'source_type', 'settings', 'secret_names', 'created_at', 'updated_at'].map((column) => `i.${column}`).join(', ')
const firstId = '00000000-0000-0000-0000-000000000000'

/** Where an integration is: its project's id and its provider's, as the path has them. */
export interface IntegrationPath {
  readonly project_id: string
  readonly source_type: string
}

/**
 * Reads an integration of a project of the user, whether or not its provider is still served.
 * @param lock keeps others from changing or deleting it until the transaction ends.
 * @throws ApiError `not_found`.
 */
export const getIntegration = async (
  on: Queryable,
  principal: Principal,
  path: IntegrationPath,
  lock = false,
): Promise<SealedIntegrationRow> => {
  if (!providerIdPattern.test(path.source_type)) throw notFound()
  const [row] = await on.query<SealedIntegrationRow>(
    `select ${columns}, i.project_id, i.secrets from integrations i join projects p on p.id = i.project_id
     where i.project_id = $1 and i.source_type = $2 and p.user_id = $3 ${lock ? 'for update of i' : ''}`,
    [projectUuid(principal, path.project_id), path.source_type, principal.userId],
  )
  if (!row) throw notFound()
  return row
}

/** Reads at most `count` integrations of a project, oldest first, from after the given one. */
export const listIntegrations = (on: Queryable, projectId: Uuid, count: number, after: Uuid | undefined): Promise<IntegrationRow[]> =>
  on.query<IntegrationRow>(`select ${columns} from integrations i where i.project_id = $1 and i.id > $2 order by i.id limit $3`, [
    projectId,
    after ?? firstId,
    count,
  ])

/** Reads a project's integration for a provider, for who has found the project already. */
export const findIntegration = async (on: Queryable, projectId: Uuid, sourceType: string): Promise<SealedIntegrationRow | undefined> => {
  const [row] = await on.query<SealedIntegrationRow>(
    `select ${columns}, i.project_id, i.secrets from integrations i where i.project_id = $1 and i.source_type = $2`,
    [projectId, sourceType],
  )
  return row
}
