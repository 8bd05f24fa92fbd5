import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads, scopes, writes } from './access.ts'
import { idempotentSecretWrite } from './headers.ts'
import { Id, IdParam, PageOf, pageQuery, Text, Timestamp } from './primitives.ts'

const Scopes = z.array(z.enum(scopes)).min(1).max(scopes.length)

const fields = {
  id: Id('apiKey', 'The identifier of the key, which is part of it.'),
  name: z.string(),
  scopes: Scopes.meta({ description: 'What the key may do.' }),
  project_id: Id('project', 'The only project that the key is for.').nullable(),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable().meta({ description: 'When it was last used, to the minute or so; `null` when it never was.' }),
  created_at: Timestamp,
}

/** An API key, without its secret. */
export const ApiKey = z.object(fields).meta({ id: 'ApiKey', description: 'An API key, without its secret.' })

/** A new API key with its secret, which is shown this once. */
export const ApiKeyCreated = z
  .object({ ...fields, key: z.string().meta({ description: 'The key itself: `fp_<id>_<secret>`. It is shown this once and not stored.' }) })
  .meta({ id: 'ApiKeyCreated', description: 'A new API key with its secret, which is shown this once.' })

/** The body that makes an API key. */
export const ApiKeyCreate = z
  .strictObject({
    name: Text({ max: 255, normalize: true, refuse: 'control characters' }).meta({
      description: 'What the key is for. Trimmed and brought to NFC; 1 to 255 characters, no control characters.',
      examples: ['billing service'],
    }),
    scopes: Scopes.optional().meta({
      description: 'What the key may do. Default: all that the credential which makes it may do; never more.',
    }),
    project_id: IdParam('project', 'Bind the key to this project.').optional(),
    expires_at: z.iso
      .datetime({ offset: true })
      .meta({ description: 'When the key ends; not later than the credential which makes it.' })
      .optional(),
  })
  .meta({
    id: 'ApiKeyCreate',
    description: 'The fields of a new API key.',
    examples: [{ name: 'billing service', scopes: ['notifications:send'] }],
  })

/** A page of API keys. */
export const ApiKeyPage = PageOf('ApiKeyPage', ApiKey)

const c = initContract()

const createAccess = writes('keys:write', ['not_found', ...idempotentSecretWrite.problems])
const listAccess = reads('settings:read', ['invalid_cursor'])
const deleteAccess = reads('keys:write', ['not_found'])

/** The operations on API keys. */
export const apiKeys = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/api-keys',
      summary: 'Make an API key',
      description:
        'Makes a key with at most the scopes, project and expiry of the credential that makes it, and returns its secret once. It is revoked with that credential.',
      headers: idempotentSecretWrite.headers,
      body: ApiKeyCreate,
      responses: { 201: ApiKeyCreated, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path: '/v1/settings/api-keys',
      summary: 'List API keys',
      description: 'Lists the keys of the user that are not revoked, oldest first.',
      query: z.strictObject(pageQuery),
      responses: { 200: ApiKeyPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/api-keys/:key_id',
      summary: 'Revoke an API key',
      description:
        'Revokes a key and those created with it, at once. A key may revoke itself, those created with it, and keys of its user that have no scope which it lacks and do not last longer; others are 403 `scope_missing`, and so is a key of the environment (`FLOWPOST_BOOTSTRAP_KEYS`).',
      pathParams: z.object({ key_id: IdParam('apiKey', 'The identifier of the key.') }),
      query: z.strictObject({}),
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
