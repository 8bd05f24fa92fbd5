import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Cache } from '../../shared/cache.ts'
import { findByKey } from '../projects/project.queries.ts'
import type { ProjectRow } from '../projects/project.serializer.ts'
import { digestOf, readSettings } from './stored-settings.ts'

/**
 * Returns the settings digest of the project with the given key, or `undefined` if the principal has no such project.
 */
export type FindSettingsDigest = (principal: Principal, projectKey: string) => Promise<string | undefined>

const entryBytes = 200

// Returned instead of a digest if the settings are too large to be exported. No digest has this value.
const none = 'none'

const readDigest = (on: Queryable, project: ProjectRow): Promise<string> =>
  readSettings(on, project, false).then(digestOf, (error: unknown) => {
    if (error instanceof ApiError && error.code === 'settings_too_large') return none
    throw error
  })

/** Creates a function that computes the digest of a project's settings, or returns it from the cache. */
export const createSettingsDigests =
  ({ database, cache }: { readonly database: Database; readonly cache: Pick<Cache, 'get'> }): FindSettingsDigest =>
  (principal, projectKey) => {
    const load = () =>
      database.transaction(async (transaction) => {
        // All reads use one snapshot, so that they see the same version of the settings. Unlike a lock, a snapshot does not
        // wait for a change in progress.
        await transaction.query('set transaction isolation level repeatable read, read only')
        const project = await findByKey(transaction, principal, projectKey)
        if (!project) return undefined
        return { value: await readDigest(transaction, project), tags: [projectTag(project.id)], bytes: entryBytes }
      })
    return cache.get(`settings-digest:${JSON.stringify([principal.userId, principal.projectId, projectKey])}`, load)
  }
