import type { Flow } from '@flowpost/contract'
import type { Channels } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { createBatcher } from '../../shared/batcher.ts'
import type { Cache, CacheEntry } from '../../shared/cache.ts'
import { fromId } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import { type AskedFlow, type FlowPath, findFlowsOf } from './flow.queries.ts'
import { flowBytes, flowEtag, type ShownFlowRow, toFlow } from './flow.serializer.ts'

/** A flow to be shown. */
interface ShownFlow {
  readonly flow: z.output<typeof Flow>
  readonly etag: string
}

/** What reading a flow needs. */
export interface ReadFlowDeps {
  readonly database: Database
  readonly cache: Cache
  readonly channels: Channels
}

interface Reading extends AskedFlow {
  readonly size: 1
}

// A statement costs more than the rows that it finds; a row may have a template of 100,000 characters.
const limits = { concurrency: 3, items: 20, size: Number.POSITIVE_INFINITY }

/**
 * Reads the representation of a flow, or takes the one that is kept. What is asked for at once, by whomever, is read
 * together.
 * @throws ApiError `not_found`.
 */
export const createFlowReader = ({ database, cache, channels }: ReadFlowDeps) => {
  const readTogether = createBatcher<Reading, ShownFlowRow | undefined>(limits, async (batch) => {
    const rows = await findFlowsOf(database, batch)
    return batch.map((_, position) => rows.get(position))
  })

  const find = async (principal: Principal, path: FlowPath): Promise<CacheEntry<ShownFlow> | undefined> => {
    const projectId = projectUuid(principal, path.project_id)
    const flowId = fromId('flow', path.flow_id)
    if (flowId === undefined) return undefined
    const row = await readTogether({ userId: principal.userId, projectId, flowId, size: 1 })
    if (!row) return undefined
    const flow = toFlow(row, channels)
    return { value: { flow, etag: flowEtag(flow) }, tags: [projectTag(projectId)], bytes: flowBytes(row) }
  }

  return async (principal: Principal, path: FlowPath): Promise<ShownFlow> => {
    // Kept for who asks alone: who may not see it must wait for the database, as for one that is not there. What is kept has ids
    // without a blank, and a user may have any name, so no other who asks for anything gets this key.
    const who = `${principal.projectId ?? ''} ${principal.userId.length} ${principal.userId}`
    const key = `flow ${who} ${path.project_id} ${path.flow_id}`
    const shown = await cache.get(key, () => find(principal, path))
    if (!shown) throw notFound()
    return shown
  }
}
