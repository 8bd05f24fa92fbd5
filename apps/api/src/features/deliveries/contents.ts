import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

/** A delivery whose content is spoken of. */
export interface DeliveryKey {
  readonly id: Uuid
  readonly notification_id: Uuid
}

/** Forgets what these deliveries were to send. */
export const removeContents = async (on: Queryable, deliveries: readonly DeliveryKey[]): Promise<void> => {
  if (deliveries.length === 0) return
  await on.query(
    `delete from contents c using unnest($1::uuid[], $2::uuid[]) as d(notification_id, id)
     where c.notification_id = d.notification_id and c.delivery_id = d.id`,
    [deliveries.map(({ notification_id }) => notification_id), deliveries.map(({ id }) => id)],
  )
}
