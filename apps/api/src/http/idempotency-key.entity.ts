import { defineEntity, p } from '@mikro-orm/core'

/** The first answer to a request with an idempotency key, stored in the transaction that did its work. */
export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  indexes: [{ name: 'idempotency_keys_created_at_index', properties: ['createdAt'] }],
  properties: {
    userId: p.text().primary(),
    /** Method and path, as in `POST /v1/notifications`. */
    operation: p.text().primary(),
    key: p.text().primary(),
    /** SHA-256 of the parsed body with sorted keys. */
    fingerprint: p.blob(),
    status: p.integer(),
    headers: p.json<Record<string, string>>(),
    /** The JSON text, kept as text so that a replay has the same bytes. */
    body: p.text(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})
