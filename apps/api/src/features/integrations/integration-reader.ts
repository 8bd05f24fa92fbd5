import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { SealedIntegrationRow } from './integration.queries.ts'

/** An integration as it is needed to send. */
export type SendingIntegration = Pick<SealedIntegrationRow, 'id' | 'project_id' | 'source_type' | 'settings' | 'secrets' | 'updated_at'>

type Key = readonly [projectId: Uuid, sourceType: string]

interface Batch {
  readonly keys: Map<string, Key>
  readonly rows: Promise<Map<string, SendingIntegration>>
}

const nameOf = (...[projectId, sourceType]: Key): string => `${projectId} ${sourceType}`

const readAll = async (on: Queryable, keys: readonly Key[]): Promise<Map<string, SendingIntegration>> => {
  const rows = await on.query<SendingIntegration>(
    `select i.id, i.project_id, i.source_type, i.settings, i.secrets, i.updated_at
     from unnest($1::uuid[], $2::text[]) as wanted(project_id, source_type)
     join integrations i on i.project_id = wanted.project_id and i.source_type = wanted.source_type`,
    [keys.map(([projectId]) => projectId), keys.map(([, sourceType]) => sourceType)],
  )
  return new Map(rows.map((row) => [nameOf(row.project_id, row.source_type), row]))
}

/**
 * Reads integrations. What is asked for in one turn of the event loop becomes one statement, which runs
 * after it was asked for: a batch of deliveries costs one look-up, and nothing is remembered that could be stale.
 */
export const createIntegrationReader = () => {
  const waiting = new Map<Queryable, Batch>()

  const begin = (on: Queryable): Batch => {
    const keys = new Map<string, Key>()
    const rows = Promise.resolve().then(() => {
      waiting.delete(on)
      return readAll(on, [...keys.values()])
    })
    const batch = { keys, rows }
    waiting.set(on, batch)
    return batch
  }

  return async (on: Queryable, projectId: Uuid, sourceType: string): Promise<SendingIntegration | undefined> => {
    const batch = waiting.get(on) ?? begin(on)
    batch.keys.set(nameOf(projectId, sourceType), [projectId, sourceType])
    return (await batch.rows).get(nameOf(projectId, sourceType))
  }
}
