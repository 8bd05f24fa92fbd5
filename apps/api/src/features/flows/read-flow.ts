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
import { type FlowLookup, type FlowPath, findFlows } from './flow.queries.ts'
import { type FlowWithHealthRow, flowBytes, flowEtag, toFlow } from './flow.serializer.ts'

/** A cached flow with its entity tag. */
interface CachedFlow {
  readonly flow: z.output<typeof Flow>
  readonly etag: string
}

/** The dependencies of {@link createFlowReader}. */
export interface FlowReaderDeps {
  readonly database: Database
  readonly cache: Cache
  readonly channels: Channels
}

interface BatchedLookup extends FlowLookup {
  readonly size: 1
}

// Batching reduces the number of statements. The batches are small, because a row may have a template of 100,000 characters.
const limits = { concurrency: 3, items: 20, size: Number.POSITIVE_INFINITY }

/**
 * Creates a function that reads flows. The function caches API representations, and combines concurrent reads of
 * uncached flows into one statement. It rejects with the ApiError `not_found` if the principal cannot access the flow.
 */
export const createFlowReader = ({ database, cache, channels }: FlowReaderDeps) => {
  const readInBatch = createBatcher<BatchedLookup, FlowWithHealthRow | undefined>(limits, async (batch) => {
    const rows = await findFlows(database, batch)
    return batch.map((_, position) => rows.get(position))
  })

  const find = async (principal: Principal, path: FlowPath): Promise<CacheEntry<CachedFlow> | undefined> => {
    const projectId = projectUuid(principal, path.project_id)
    const flowId = fromId('flow', path.flow_id)
    if (flowId === undefined) return undefined
    const row = await readInBatch({ userId: principal.userId, projectId, flowId, size: 1 })
    if (!row) return undefined
    const flow = toFlow(row, channels)
    return { value: { flow, etag: flowEtag(flow) }, tags: [projectTag(projectId)], bytes: flowBytes(row) }
  }

  return async (principal: Principal, path: FlowPath): Promise<CachedFlow> => {
    // The cache key contains the user and the project to which the credential is bound, if any. If users shared entries,
    // the response time could reveal that another user has the flow. A user id may contain any character, so the key also
    // contains the length of the id, which makes the key unambiguous.
    const owner = `${principal.projectId ?? ''} ${principal.userId.length} ${principal.userId}`
    const key = `flow ${owner} ${path.project_id} ${path.flow_id}`
    const cached = await cache.get(key, () => find(principal, path))
    if (!cached) throw notFound()
    return cached
  }
}
