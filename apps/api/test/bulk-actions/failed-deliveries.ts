import { newUuidAt } from '../../src/shared/ids.ts'
import type { DirectQuery } from '../support/direct-database.ts'

const batchSize = 5_000

const failure = { kind: 'provider', code: '451', detail: 'Later.', retryable: true }

// Each statement copies the one row in its table that belongs to the notification with the reference `template`.
const copies = [
  `insert into notifications select (jsonb_populate_record(t, jsonb_build_object('id', g.notification_id, 'status', 'failed', 'reference', null))).*
   from notifications t, unnest($1::uuid[], $2::uuid[], $3::text[]) as g(notification_id, id, target) where t.reference = 'template'`,
  `insert into message_bodies select (jsonb_populate_record(t, jsonb_build_object('notification_id', g.notification_id, 'delivery_id', g.id))).*
   from message_bodies t, unnest($1::uuid[], $2::uuid[], $3::text[]) as g(notification_id, id, target)
   where t.notification_id = (select id from notifications where reference = 'template')`,
  `insert into deliveries select (jsonb_populate_record(t, jsonb_build_object('id', g.id, 'notification_id', g.notification_id, 'target', g.target,
     'status', 'failed', 'failure', '${JSON.stringify(failure)}'::jsonb, 'sent_at', null, 'provider_message_id', null, 'recipient_digest', null))).*
   from deliveries t, unnest($1::uuid[], $2::uuid[], $3::text[]) as g(notification_id, id, target)
   where t.notification_id = (select id from notifications where reference = 'template')`,
]

/**
 * Adds notifications with a failed delivery, as copies of the notification with the reference `template`.
 * @param targetOf returns the target of the delivery with that number.
 */
export const addFailedDeliveries = async (query: DirectQuery, count: number, targetOf: (number: number) => string): Promise<void> => {
  for (let added = 0; added < count; added += batchSize) {
    const numbers = Array.from({ length: Math.min(batchSize, count - added) }, (_, index) => added + index)
    const ids = () => numbers.map(() => newUuidAt(new Date()))
    const values = [ids(), ids(), numbers.map(targetOf)]
    for (const copy of copies) await query(copy, values)
  }
}
