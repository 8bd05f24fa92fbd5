import { defineEntity, p } from '@mikro-orm/core'

/** The response to a request with an idempotency key, stored in the same transaction as the request's changes. */
export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  indexes: [{ name: 'idempotency_keys_created_at_index', properties: ['createdAt'] }],
  properties: {
    userId: p.text().primary(),
    /** The method and path, such as `POST /v1/notifications`. Prefixed with `test ` for requests with a test key. */
    operation: p.text().primary(),
    key: p.text().primary(),
    /** A SHA-256 hash of two values: the project to which the credential is bound, and the parsed body with sorted keys. */
    fingerprint: p.blob(),
    status: p.integer(),
    headers: p.json<Record<string, string>>(),
    /** JSON, stored as text so that a replay has the same bytes. Empty if the response is not replayable. */
    body: p.text(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})
