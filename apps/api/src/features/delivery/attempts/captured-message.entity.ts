import { defineEntity, p } from '@mikro-orm/core'

/** The `captured_messages` table: the messages that were stored for the outbox instead of sent. */
export const CapturedMessageEntity = defineEntity({
  name: 'CapturedMessage',
  tableName: 'captured_messages',
  indexes: [
    { name: 'captured_messages_user_id_delivery_id_index', properties: ['userId', 'deliveryId'] },
    { name: 'captured_messages_source_type_delivery_id_index', properties: ['sourceType', 'deliveryId'] },
    { name: 'captured_messages_captured_at_index', properties: ['capturedAt'] },
  ],
  properties: {
    deliveryId: p.uuid().primary(),
    userId: p.text(),
    notificationId: p.uuid(),
    projectId: p.uuid(),
    flowId: p.uuid(),
    sourceType: p.text(),
    kind: p.text().$type<'email' | 'chat'>(),
    target: p.text(),
    subject: p.text(),
    headers: p.json<[string, string][]>(),
    text: p.text().nullable(),
    html: p.text().nullable(),
    raw: p.text(),
    capturedAt: p.datetime().columnType('timestamptz(3)'),
  },
})
