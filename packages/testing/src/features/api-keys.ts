import { idPrefixes, type Scope } from '@flowpost/contract'
import { findApiKeyErrors, notFound, requireRevocable, sortScopes, validationFailed } from '@flowpost/contract/rules'
import type { Handlers, Principal } from '../http/call.ts'
import { pageOf, pageRequest } from '../http/cursor.ts'
import type { ApiKeyRecord } from '../state/records.ts'
import type { ApiKey } from '../state/wire.ts'
import { timestamp, type World } from '../state/world.ts'
import { findProject } from './projects.ts'

const toApiKey = (key: ApiKeyRecord): ApiKey => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  project_id: key.projectId,
  expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
  last_used_at: key.lastUsedAt,
  created_at: key.created_at,
})

/** What a new key is to be. */
export interface NewApiKey {
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly projectId?: string | null
  readonly parentId?: string | null
  readonly expiresAt?: number | null
  /** Default: a new one. */
  readonly token?: string | undefined
}

/** Makes a key. */
export const insertApiKey = (world: World, key: NewApiKey): ApiKeyRecord => {
  const id = world.makeId('apiKey')
  const record: ApiKeyRecord = {
    id,
    userId: key.userId,
    token: key.token ?? `fp_${id.slice(idPrefixes.apiKey.length + 1)}_${world.words.secret()}`,
    name: key.name,
    scopes: sortScopes(key.scopes),
    projectId: key.projectId ?? null,
    parentId: key.parentId ?? null,
    expiresAt: key.expiresAt ?? null,
    created_at: timestamp(world),
    lastUsedAt: null,
  }
  world.store.apiKeys.set(id, record)
  return record
}

/** The keys that a key was created with, directly and indirectly. */
const ancestorsOf = (world: World, key: ApiKeyRecord): string[] => {
  if (key.parentId === null) return []
  const parent = world.store.apiKeys.get(key.parentId)
  return [key.parentId, ...(parent ? ancestorsOf(world, parent) : [])]
}

const revoke = (world: World, id: string): void => {
  world.store.apiKeys.delete(id)
  for (const key of [...world.store.apiKeys.values()]) if (key.parentId === id) revoke(world, key.id)
}

/** What the operations on API keys do. */
export const createApiKeys = (world: World): Handlers<'apiKeys'> => {
  const isVisible = (principal: Principal, key: ApiKeyRecord) =>
    key.userId === principal.userId && (principal.projectId === undefined || principal.projectId === key.projectId)

  return {
    create: ({ principal, body }) => {
      const faults = findApiKeyErrors(principal, world.clock.now(), body)
      if (faults.length > 0) throw validationFailed(faults)
      const asked = body.project_id ?? principal.projectId
      const project = asked === undefined ? undefined : findProject(world, principal, asked)
      const record = insertApiKey(world, {
        userId: principal.userId,
        name: body.name,
        scopes: body.scopes ?? principal.scopes,
        projectId: project?.id ?? null,
        parentId: principal.keyId,
        expiresAt: body.expires_at === undefined ? (principal.expiresAt ?? null) : Date.parse(body.expires_at),
      })
      return {
        status: 201,
        body: { ...toApiKey(record), key: record.token },
        headers: { Location: `/v1/settings/api-keys/${record.id}` },
      }
    },

    list: ({ principal, query }) => {
      const request = pageRequest('api-keys', 'oldest first', { user_id: principal.userId }, query)
      const keys = [...world.store.apiKeys.values()].filter((key) => isVisible(principal, key))
      return { status: 200, body: pageOf(request, keys, toApiKey) }
    },

    delete: ({ principal, params }) => {
      const key = world.store.apiKeys.get(params.key_id ?? '')
      if (!key || !isVisible(principal, key)) throw notFound()
      requireRevocable(principal, { ...key, bootstrap: false, ancestorIds: ancestorsOf(world, key) })
      revoke(world, key.id)
      return { status: 204, body: undefined }
    },
  }
}
