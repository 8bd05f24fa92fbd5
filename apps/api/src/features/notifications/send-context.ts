import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import type { Cache, CacheEntry } from '../../shared/cache.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import type { Recipients } from '../delivery/recipients/recipients.ts'
import { type DeliveryRecipient, findSuppressed, type SuppressionOf } from '../delivery/suppressions/find-suppressed.ts'
import { type ProjectToSend, projectFlows, templatesOfFlows } from '../flows/flow.queries.ts'
import { type CandidateFlow, flowBytes } from '../flows/flow.serializer.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { projectUuid } from '../projects/project.queries.ts'
import type { HasCredential, LoadTemplates } from './plan-notification.ts'
import type { ResolvedBody } from './resolve-project-and-flow.ts'

/** Looks up which recipients are suppressed. */
export type FindSuppressed = (candidates: readonly DeliveryRecipient[]) => Promise<SuppressionOf>

/** The settings that determine the effect of a send request. */
export interface SendContext {
  readonly userId: string
  readonly projectId: Uuid
  /** The flows that the notification may trigger. */
  readonly flows: readonly CandidateFlow[]
  readonly loadTemplates: LoadTemplates
  readonly hasCredential: HasCredential
  /** Looks up suppressed recipients; `undefined` if the project suppresses nobody. */
  readonly findSuppressed: FindSuppressed | undefined
  /** Whether the request has a test key. If so, all of its messages are captured. */
  readonly test: boolean
}

/** The dependencies of {@link loadContext}. */
export interface SendContextDeps {
  readonly database: Database
  readonly cache: Cache
  readonly credentials: Credentials
  readonly recipients: Recipients
}

const flagBytes = 100

/**
 * Loads the settings that determine the effect of a send request. Reads the cache, or the database if `fresh` is set.
 * Cached settings may be outdated, so the statement that stores the notification verifies the project, the flows and the
 * suppressions.
 * @throws ApiError `not_found` if the user has no such project, or if the named flow is not in the project.
 */
export const loadContext = async (
  deps: SendContextDeps,
  principal: Principal,
  body: ResolvedBody,
  options: { readonly fresh?: boolean } = {},
): Promise<SendContext> => {
  const { database, credentials } = deps
  const cache: Pick<Cache, 'get'> = options.fresh ? uncached : deps.cache
  const projectId = projectUuid(principal, body.project_id)
  const flowId = body.flow_id === undefined ? undefined : fromId('flow', body.flow_id)
  if (body.flow_id !== undefined && flowId === undefined) throw notFound()
  const { userId } = principal
  const owner = { userId, projectId }
  const tags = [projectTag(projectId)]

  const findFlows = async (): Promise<CacheEntry<ProjectToSend> | undefined> => {
    const project = await projectFlows(database, userId, projectId, flowId)
    return project && { value: project, tags, bytes: project.flows.reduce((sum, flow) => sum + flowBytes(flow), flagBytes) }
  }
  // The cache key contains the user, so a request for another user's project always queries the database, like a request for
  // a project that does not exist. If users shared an entry, the 404 for another user's cached project would arrive sooner than
  // the 404 for a missing project. This difference would reveal that the project exists.
  const project = await cache.get(`flows:${projectId}:${flowId ?? ''}:${userId}`, findFlows)
  if (!project || (flowId !== undefined && project.flows.length === 0)) throw notFound()

  const hasCredential: HasCredential = async (sourceType) => {
    const find = async () => ({
      value: (await credentials.find(database, { ...owner, sourceType })) !== undefined,
      tags,
      bytes: flagBytes,
    })
    return (await cache.get(`credential:${projectId}:${sourceType}`, find)) ?? false
  }
  return {
    ...owner,
    flows: project.flows,
    findSuppressed: project.suppresses ? (candidates) => findSuppressed(database, deps.recipients, owner, candidates) : undefined,
    loadTemplates: (ids) => templatesOfFlows(database, projectId, ids),
    hasCredential,
    test: principal.mode === 'test',
  }
}

/** A cache that stores nothing, so that every lookup reads the database. */
export const uncached: Pick<Cache, 'get'> = { get: async (_key, find) => (await find())?.value }
