import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `destinations` table: the rate-limited destinations. `nextAt` is the earliest time at which the next message to a
 * destination may be sent. `tailAt` is the end of the destination's reserved slots, at most ten minutes ahead.
 */
export const DestinationEntity = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  properties: {
    key: p.text().primary(),
    nextAt: p.datetime().columnType('timestamptz(3)'),
    tailAt: p.datetime().columnType('timestamptz(3)'),
  },
})
