import type { Failure } from '@flowpost/domain'
import type { Queryable } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Uuid } from '../../../shared/ids.ts'
import type { Recipients } from './recipients.ts'

/** A completed delivery. */
export interface CompletedDelivery {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly user_id: string
  readonly source_type: string
  readonly target: string
}

/**
 * Returns an SQL `insert` that adds completed deliveries to the recipient index. The deliveries come from a relation
 * with the columns `digest`, `notification_id`, `id` and `failure`. If a completed delivery was retried on
 * request, the delivery is already in the index. The statement then updates the failure in the index.
 */
export const insertDigestsFrom = (relation: string): string =>
  `insert into recipient_digests (digest, notification_id, delivery_id, failure_kind, failure_code)
   select digest, notification_id, id, failure ->> 'kind', failure ->> 'code' from (select * from ${relation}) completion where digest is not null
   on conflict (digest, notification_id, delivery_id) do update set failure_kind = excluded.failure_kind, failure_code = excluded.failure_code`

// A delivery keeps its first digest, because retention and erasures find its entry in the index by this digest. A process
// without the digest key would otherwise remove the digest, and one without the provider would replace it.
const store = {
  name: 'store-recipient-digests',
  text: `with completed as materialized (
      select * from jsonb_to_recordset($2::jsonb) as r(id uuid, notification_id uuid, digest uuid, failure jsonb)
    ), marked as (
      update deliveries d set recipient_digest = coalesce(d.recipient_digest, c.digest) from completed c
      where ${anyUuid('d.id', '$1')} and d.id = c.id
      returning d.id, d.notification_id, d.recipient_digest as digest, c.failure
    )
    ${insertDigestsFrom('marked')}`,
}

/**
 * Adds completed deliveries, with the digests of their recipients, to the recipient index.
 * @param failure the failure that all the deliveries ended with; `null` if they have none.
 */
export const storeDigests = async (
  on: Queryable,
  recipients: Recipients,
  deliveries: readonly CompletedDelivery[],
  failure: Failure | null,
): Promise<void> => {
  if (deliveries.length === 0) return
  const rows = deliveries.map((delivery) => {
    const { id, notification_id } = delivery
    return { id, notification_id, digest: recipients.digestOf(delivery), failure }
  })
  await on.query(store, [rows.map(({ id }) => id), JSON.stringify(rows)])
}
