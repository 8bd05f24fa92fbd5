import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `recipient_digests` table: an index of completed deliveries by recipient. Contains digests instead of addresses;
 * the same address has a different digest for each user. The failure of a delivery is also stored here, so that a
 * recipient's failed deliveries are found quickly among any number of successful ones.
 */
export const RecipientDigestEntity = defineEntity({
  name: 'RecipientDigest',
  tableName: 'recipient_digests',
  indexes: [
    {
      name: 'recipient_digests_failure_code_index',
      properties: ['digest', 'failureCode', 'notificationId'],
      where: '"failure_code" is not null',
    },
    {
      name: 'recipient_digests_failure_kind_index',
      properties: ['digest', 'failureKind', 'notificationId'],
      where: '"failure_kind" is not null',
    },
  ],
  properties: {
    /** The first 128 bits of an HMAC. `uuid` is the most compact column type for 128 bits. */
    digest: p.uuid().primary(),
    notificationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    failureKind: p.text().nullable(),
    failureCode: p.text().nullable(),
  },
})

/** The `recipient_keys` table: one row with the digest key. */
export const RecipientKeyEntity = defineEntity({
  name: 'RecipientKey',
  tableName: 'recipient_keys',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** The digest key. It is encrypted if the deployment has an encryption key. */
    key: p.blob(),
    isEncrypted: p.boolean(),
  },
})
