import { providerIdPattern } from '@flowpost/delivery'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import type { IntegrationRow } from './integration.serializer.ts'

/** An integration with its encrypted secrets. */
export interface IntegrationWithSecrets extends IntegrationRow {
  readonly project_id: Uuid
  readonly secrets: Uint8Array | null
}

const columnNames = [
  'id',
  'source_type',
  'settings',
  'secret_names',
  'inbound_rotated_at',
  'previous_inbound_expires_at',
  'created_at',
  'updated_at',
]
/** The columns of an integration `i`. */
export const integrationColumns = columnNames.map((column) => `i.${column}`).join(', ')

/** The path parameters of an integration: the ids of the project and the provider. */
export interface IntegrationPath {
  readonly project_id: string
  readonly source_type: string
}

/**
 * Reads an integration that the principal may access, even if its provider is no longer registered.
 * @param lock whether to lock the row until the transaction ends.
 * @throws ApiError `not_found`.
 */
export const getIntegration = async (
  on: Queryable,
  principal: Principal,
  path: IntegrationPath,
  lock = false,
): Promise<IntegrationWithSecrets> => {
  if (!providerIdPattern.test(path.source_type)) throw notFound()
  const [row] = await on.query<IntegrationWithSecrets>(
    `select ${integrationColumns}, i.project_id, i.secrets from integrations i join projects p on p.id = i.project_id
     where i.project_id = $1 and i.source_type = $2 and p.user_id = $3 ${lock ? 'for update of i' : ''}`,
    [projectUuid(principal, path.project_id), path.source_type, principal.userId],
  )
  if (!row) throw notFound()
  return row
}

/** Reads at most `count` integrations of a project, oldest first. Starts after the integration with the UUID `after`, if given. */
export const listIntegrations = (on: Queryable, projectId: Uuid, count: number, after: Uuid | undefined): Promise<IntegrationRow[]> =>
  on.query<IntegrationRow>(
    `select ${integrationColumns} from integrations i where i.project_id = $1 and i.id > $2 order by i.id limit $3`,
    [projectId, after ?? lowestUuid, count],
  )

/**
 * Reads a project's integration for a provider. The caller must have checked that the project belongs to the user.
 * @param lock whether to lock the row until the transaction ends.
 */
export const findIntegration = async (
  on: Queryable,
  projectId: Uuid,
  sourceType: string,
  lock = false,
): Promise<IntegrationWithSecrets | undefined> => {
  const [row] = await on.query<IntegrationWithSecrets>(
    `select ${integrationColumns}, i.project_id, i.secrets from integrations i
     where i.project_id = $1 and i.source_type = $2 ${lock ? 'for update' : ''}`,
    [projectId, sourceType],
  )
  return row
}

/** Reads all integrations of a project, ordered by provider. The caller must have checked that the project belongs to the user. */
export const allIntegrations = (on: Queryable, projectId: Uuid): Promise<IntegrationWithSecrets[]> =>
  on.query<IntegrationWithSecrets>(
    `select ${integrationColumns}, i.project_id, i.secrets from integrations i where i.project_id = $1 order by i.source_type`,
    [projectId],
  )

/** The integration columns that are needed to send messages. */
export type SendingIntegration = Pick<IntegrationWithSecrets, 'id' | 'project_id' | 'source_type' | 'settings' | 'secrets' | 'updated_at'>

type Key = readonly [projectId: Uuid, sourceType: string]

interface Batch {
  readonly keys: Map<string, Key>
  readonly rows: Promise<Map<string, SendingIntegration>>
}

const nameOf = (...[projectId, sourceType]: Key): string => `${projectId} ${sourceType}`

const readBatch = async (on: Queryable, keys: readonly Key[]): Promise<Map<string, SendingIntegration>> => {
  const rows = await on.query<SendingIntegration>(
    `select i.id, i.project_id, i.source_type, i.settings, i.secrets, i.updated_at
     from unnest($1::uuid[], $2::text[]) as wanted(project_id, source_type)
     join integrations i on i.project_id = wanted.project_id and i.source_type = wanted.source_type`,
    [keys.map(([projectId]) => projectId), keys.map(([, sourceType]) => sourceType)],
  )
  return new Map(rows.map((row) => [nameOf(row.project_id, row.source_type), row]))
}

/**
 * Creates a function that reads integrations. The function combines reads that start at the same time into one
 * statement, so that sending a batch of messages costs few queries. It caches nothing.
 */
export const createIntegrationReader = () => {
  const pending = new Map<Queryable, Batch>()

  const begin = (on: Queryable): Batch => {
    const keys = new Map<string, Key>()
    const rows = Promise.resolve().then(() => {
      pending.delete(on)
      return readBatch(on, [...keys.values()])
    })
    const batch = { keys, rows }
    pending.set(on, batch)
    return batch
  }

  return async (on: Queryable, projectId: Uuid, sourceType: string): Promise<SendingIntegration | undefined> => {
    const batch = pending.get(on) ?? begin(on)
    batch.keys.set(nameOf(projectId, sourceType), [projectId, sourceType])
    return (await batch.rows).get(nameOf(projectId, sourceType))
  }
}
