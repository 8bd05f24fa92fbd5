import { defineEntity, p } from '@mikro-orm/core'

/** A destination with a pace: when the next message may start there, and where the line of those that wait ends. */
export const DestinationEntity = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  properties: {
    key: p.text().primary(),
    nextAt: p.datetime().columnType('timestamptz(3)'),
    tailAt: p.datetime().columnType('timestamptz(3)'),
  },
})
