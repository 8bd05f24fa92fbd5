import { idPrefixes, type KeyMode, type Scope } from '@flowpost/contract'
import { findApiKeyErrors, notFound, requireRevocable, sortScopes, validationFailed } from '@flowpost/contract/rules'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { ApiKey } from '../state/api-types.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { ApiKeyRecord } from '../state/store.ts'
import { findProject } from './projects.ts'

const toApiKey = (key: ApiKeyRecord): ApiKey => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  mode: key.mode,
  project_id: key.projectId,
  expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
  last_used_at: key.lastUsedAt,
  created_at: key.created_at,
})

/** The fields of a new API key. */
export interface NewApiKey {
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The key's mode. Defaults to `live`. */
  readonly mode?: KeyMode | undefined
  readonly projectId?: string | null
  readonly parentId?: string | null
  readonly expiresAt?: number | null
  /** The key's token. Defaults to a generated token. */
  readonly token?: string | undefined
}

/** Creates and stores an API key. */
export const insertApiKey = (context: MockContext, key: NewApiKey): ApiKeyRecord => {
  const id = context.generateId('apiKey')
  const { mode = 'live' } = key
  const record: ApiKeyRecord = {
    id,
    userId: key.userId,
    token: key.token ?? `fp_${mode === 'test' ? 'test_' : ''}${id.slice(idPrefixes.apiKey.length + 1)}_${context.tokens.secret()}`,
    name: key.name,
    scopes: sortScopes(key.scopes),
    mode,
    projectId: key.projectId ?? null,
    parentId: key.parentId ?? null,
    expiresAt: key.expiresAt ?? null,
    created_at: timestamp(context),
    lastUsedAt: null,
  }
  context.store.apiKeys.set(id, record)
  return record
}

/** Returns the ids of the keys that created this key, directly or indirectly. */
const ancestorsOf = (context: MockContext, key: ApiKeyRecord): string[] => {
  if (key.parentId === null) return []
  const parent = context.store.apiKeys.get(key.parentId)
  return [key.parentId, ...(parent ? ancestorsOf(context, parent) : [])]
}

const revoke = (context: MockContext, id: string): void => {
  context.store.apiKeys.delete(id)
  for (const key of [...context.store.apiKeys.values()]) if (key.parentId === id) revoke(context, key.id)
}

/** Creates the handlers of the API key operations. */
export const createApiKeys = (context: MockContext): Handlers<'apiKeys'> => {
  const isVisible = (principal: Principal, key: ApiKeyRecord) =>
    key.userId === principal.userId && (principal.projectId === undefined || principal.projectId === key.projectId)

  return {
    create: ({ principal, body }) => {
      const issues = findApiKeyErrors(principal, context.clock.now(), body)
      if (issues.length > 0) throw validationFailed(issues)
      const requestedProjectId = body.project_id ?? principal.projectId
      const project = requestedProjectId === undefined ? undefined : findProject(context, principal, requestedProjectId)
      const record = insertApiKey(context, {
        userId: principal.userId,
        name: body.name,
        scopes: body.scopes ?? principal.scopes,
        mode: body.mode ?? principal.mode,
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
      const request = parsePageRequest('api-keys', 'oldest first', { user_id: principal.userId }, query)
      const keys = [...context.store.apiKeys.values()].filter((key) => isVisible(principal, key))
      return { status: 200, body: createPage(request, keys, toApiKey) }
    },

    delete: ({ principal, params }) => {
      const key = context.store.apiKeys.get(params.key_id ?? '')
      if (!key || !isVisible(principal, key)) throw notFound()
      requireRevocable(principal, { ...key, bootstrap: false, ancestorIds: ancestorsOf(context, key) })
      revoke(context, key.id)
      return { status: 204, body: undefined }
    },
  }
}
