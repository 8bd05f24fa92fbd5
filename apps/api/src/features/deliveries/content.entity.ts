import type { RenderedContent } from '@flowpost/domain'
import { defineEntity, p } from '@mikro-orm/core'

/**
 * What a delivery sends, as long as it is kept, which is not as long as the log. It is written once and then only deleted.
 * The identifiers are in the order of time, so what is added is next to each other, and so is what is removed.
 */
export const ContentEntity = defineEntity({
  name: 'Content',
  tableName: 'contents',
  properties: {
    notificationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** The notification's, `null` where content is not kept beyond delivery. */
    subject: p.text().nullable(),
    /** Rendered at acceptance. */
    content: p.json<RenderedContent>(),
  },
})
