import type { RenderedContent } from '@flowpost/domain'
import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `message_bodies` table: the rendered message of each delivery. A row is updated only when a recipient is erased. A
 * message can be deleted while its delivery remains stored. The ids are ordered by time, so rows that are inserted or
 * deleted together are adjacent.
 */
export const MessageBodyEntity = defineEntity({
  name: 'MessageBody',
  tableName: 'message_bodies',
  properties: {
    notificationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** The notification's subject; `null` if the notification was accepted with `FLOWPOST_LOG_CONTENT=off`. */
    subject: p.text().nullable(),
    content: p.json<RenderedContent>(),
  },
})
