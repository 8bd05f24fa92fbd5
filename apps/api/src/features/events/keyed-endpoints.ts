import type { GivenEndpoint } from '@flowpost/contract/rules'
import type { Queryable } from '../../database/database.ts'
import { timeOfChange } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { SettingsChange } from '../settings-history/record-changes.ts'
import { type CreatedEndpoint, type EndpointDeps, insertEndpoint } from './create-endpoint.ts'
import { endpointColumns } from './endpoint.queries.ts'
import { changeOfEndpoint, type EndpointRow } from './endpoint.serializer.ts'
import { writeEndpoint } from './update-endpoint.ts'

/** An event endpoint that has a key. */
export interface KeyedEndpointRow extends EndpointRow {
  readonly key: string
}

/** The event endpoints to create, to update and to delete. */
export interface EndpointChanges {
  readonly creates: readonly GivenEndpoint[]
  readonly updates: readonly { readonly given: GivenEndpoint; readonly stored: KeyedEndpointRow }[]
  readonly deletes: readonly KeyedEndpointRow[]
}

const keyedEndpoints = `select ${endpointColumns} from event_endpoints e where e.project_id = $1 and e.key is not null order by e.id`

/**
 * Reads a project's event endpoints that have a key, oldest first. The caller must have checked that the project
 * belongs to the user.
 * @param lock whether to lock the endpoints until the transaction ends.
 */
export const listKeyedEndpoints = (on: Queryable, projectId: Uuid, lock: boolean): Promise<KeyedEndpointRow[]> =>
  on.query<KeyedEndpointRow & object>(lock ? `${keyedEndpoints} for update` : keyedEndpoints, [projectId])

/** Counts a project's event endpoints that have no key. */
export const countEndpointsWithoutKey = async (on: Queryable, projectId: Uuid): Promise<number> => {
  const [row] = await on.query<{ count: number }>(
    'select count(*)::int as count from event_endpoints where project_id = $1 and key is null',
    [projectId],
  )
  return row?.count ?? 0
}

/** The result of {@link writeKeyedEndpoints}. */
export interface WrittenEndpoints {
  /** The created endpoints with their secrets, keyed by endpoint key. */
  readonly created: ReadonlyMap<string, CreatedEndpoint>
  /** The changes for the settings history. */
  readonly changes: readonly SettingsChange[]
}

/**
 * Creates, updates and deletes event endpoints. The caller must have locked the project and the endpoints.
 * @throws ApiError `encryption_not_configured`.
 */
export const writeKeyedEndpoints = async (
  transaction: Queryable,
  deps: EndpointDeps,
  owner: { readonly userId: string; readonly projectId: Uuid },
  { creates, updates, deletes }: EndpointChanges,
): Promise<WrittenEndpoints> => {
  const ids = deletes.map(({ id }) => id)
  if (ids.length > 0)
    await transaction.query('delete from event_endpoints where project_id = $1 and id = any($2::uuid[])', [owner.projectId, ids])
  const changes = deletes.map((stored) => changeOfEndpoint(stored, null, { at: timeOfChange(deps.clock, stored) }))
  for (const { given, stored } of updates)
    changes.push(changeOfEndpoint(stored, await writeEndpoint(transaction, deps.clock, owner.userId, stored, given)))
  const created = new Map<string, CreatedEndpoint>()
  for (const given of creates) {
    const endpoint = await insertEndpoint(transaction, deps, owner, given)
    created.set(given.key, endpoint)
    changes.push(changeOfEndpoint(null, endpoint.row))
  }
  return { created, changes }
}
