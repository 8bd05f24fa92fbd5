import { defineEntity, p } from '@mikro-orm/core'

/** The `attempts` table: the attempts to send messages. */
export const AttemptEntity = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  uniques: [{ name: 'attempts_delivery_id_number_unique', properties: ['deliveryId', 'number'] }],
  properties: {
    id: p.uuid().primary(),
    deliveryId: p.uuid(),
    number: p.integer(),
    startedAt: p.datetime().columnType('timestamptz(3)'),
    durationMs: p.integer().nullable(),
    outcome: p.text(),
    providerResponse: p.text().nullable(),
  },
})
