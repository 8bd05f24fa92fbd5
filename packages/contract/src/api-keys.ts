import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite, keyModes, scopes } from './access.ts'
import { idempotentSecretWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, Text, Time, Timestamp, TimestampField } from './primitives.ts'

const Scopes = z.array(z.enum(scopes)).min(1).max(scopes.length)

const fields = {
  id: Id('apiKey', 'The id of the key. The key itself, `fp_<id>_<secret>` or `fp_test_<id>_<secret>`, contains this id.'),
  name: z.string().meta({ description: 'The name of the key.' }),
  scopes: Scopes.meta({ description: 'The scopes of the key.' }),
  mode: OpenEnum(keyModes).meta({
    description: 'Whether messages sent with the key are delivered (`live`) or captured instead (`test`).',
  }),
  project_id: Id('project', 'The project that the key is bound to.')
    .nullable()
    .meta({ description: "The project that the key is bound to; `null` when it covers all of the user's projects." }),
  expires_at: Timestamp.nullable().meta({ description: 'When the key expires; `null` when it never does.' }),
  last_used_at: Timestamp.nullable().meta({
    description: 'When the key was last used, accurate to about a minute; `null` if it has never been used.',
  }),
  created_at: TimestampField('When the key was created.'),
}

/** An API key, without its secret. */
export const ApiKey = z.object(fields).meta({ id: 'ApiKey', description: 'An API key, without its secret.' })

/** A new API key with its secret. The secret is shown only once. */
export const ApiKeyCreated = z
  .object({
    ...fields,
    key: z.string().meta({
      description:
        'The key itself: `fp_<id>_<secret>`, or `fp_test_<id>_<secret>` for a test key. It is shown only once, because the server stores only a hash of it.',
    }),
  })
  .meta({ id: 'ApiKeyCreated', description: 'A new API key with its secret. The secret is shown only once.' })

/** The request body that creates an API key. */
export const ApiKeyCreate = z
  .strictObject({
    name: Text({ max: 255, normalize: true, forbid: 'control characters' }).meta({
      description: 'The name of the key, 1 to 255 characters without control characters. Trimmed and normalized to NFC.',
      examples: ['billing service'],
    }),
    scopes: Scopes.optional().meta({
      description:
        'The scopes of the key. The credential that creates the key must have all of them. Default: all scopes of that credential.',
    }),
    mode: z
      .enum(keyModes)
      .meta({
        description:
          'The mode of the key, which cannot be changed. Messages that are sent with a `test` key are captured instead of delivered, and addresses such as `bounce@flowpost.test` simulate the outcomes of a provider. Default: the mode of the credential that creates the key, usually `live`. A test key can create only test keys.',
      })
      .optional(),
    project_id: IdParam('project', 'Binds the key to this project.').optional(),
    expires_at: Time()
      .meta({
        description:
          'When the key expires. Must not be later than the expiry of the credential that creates the key. Default: the expiry of that credential.',
      })
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

const createAccess = declareWrite('keys:write', ['not_found', ...idempotentSecretWrite.problems])
const listAccess = declareRead('settings:read', ['invalid_cursor'])
const deleteAccess = declareRead('keys:write', ['not_found'])

/** The API key operations. */
export const apiKeys = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/api-keys',
      summary: 'Create an API key',
      description:
        'Creates a key and returns its secret once. The key cannot have more scopes, cover more projects or expire later than the credential that creates it, and a test key cannot create a live one. Revoking that credential revokes the key too.',
      headers: idempotentSecretWrite.headers,
      body: ApiKeyCreate,
      responses: { 201: ApiKeyCreated, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path: '/v1/settings/api-keys',
      summary: 'List API keys',
      description: "Returns the user's API keys that have not been revoked, oldest first.",
      query: z.strictObject(pageQuery),
      responses: { 200: ApiKeyPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/api-keys/:key_id',
      summary: 'Revoke an API key',
      description:
        'Immediately revokes a key and all keys that were created with it. A key can revoke itself and the keys that were created with it. To revoke any other key of the user, a key must have all scopes of the other key and must not expire before it. A test key can revoke only test keys. If these rules do not allow the revocation, the server returns 403 `scope_missing`. It also returns this error for a key from the environment (`FLOWPOST_BOOTSTRAP_KEYS`), which the API cannot revoke.',
      pathParams: z.object({ key_id: IdParam('apiKey', 'The id of the key.') }),
      query: z.strictObject({}),
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
