import { type FieldError, idPrefixes, scopes as knownScopes, type Scope } from '@flowpost/contract'
import { notFound, validationFailed } from '../http/api-error.ts'
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
    // In the order of the contract and each once, whatever the order they were asked for in.
    scopes: knownScopes.filter((scope) => key.scopes.includes(scope)),
    projectId: key.projectId ?? null,
    parentId: key.parentId ?? null,
    expiresAt: key.expiresAt ?? null,
    created_at: timestamp(world),
    lastUsedAt: null,
  }
  world.store.apiKeys.set(id, record)
  return record
}

const scopeFaults = (principal: Principal, asked: unknown): FieldError[] => {
  if (!Array.isArray(asked)) return []
  return asked.flatMap((scope: unknown, index): FieldError[] => {
    const isKnown = (knownScopes as readonly unknown[]).includes(scope)
    if (!isKnown || (principal.scopes as readonly unknown[]).includes(scope)) return []
    const message = `Must be a scope of the credential that makes the key: ${principal.scopes.join(', ')}.`
    return [{ in: 'body', pointer: `/scopes/${index}`, code: 'invalid_value', message }]
  })
}

const expiryFaults = (principal: Principal, now: number, asked: unknown): FieldError[] => {
  const at = typeof asked === 'string' ? Date.parse(asked) : Number.NaN
  const fault = (message: string): FieldError[] => [{ in: 'body', pointer: '/expires_at', code: 'invalid_value', message }]
  if (at <= now) return fault('Must be in the future.')
  if (principal.expiresAt !== undefined && at > principal.expiresAt)
    return fault(`Must not be later than the credential that makes the key ends: ${new Date(principal.expiresAt).toISOString()}.`)
  return []
}

/** What a body asks for beyond what the credential has itself: a fault for each scope too many, and for the expiry. */
export const apiKeyBodyFaults = (world: World, principal: Principal, body: unknown): FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const { scopes, expires_at } = body as { scopes?: unknown; expires_at?: unknown }
  return [...scopeFaults(principal, scopes), ...expiryFaults(principal, world.clock.now(), expires_at)]
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
      const faults = apiKeyBodyFaults(world, principal, body)
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
      revoke(world, key.id)
      return { status: 204, body: undefined }
    },
  }
}
