import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `report_nonces` table: the nonces of received reports. A nonce can be used only once, and is stored until the
 * report's signature expires.
 */
export const ReportNonceEntity = defineEntity({
  name: 'ReportNonce',
  tableName: 'report_nonces',
  indexes: [{ name: 'report_nonces_expires_at_index', properties: ['expiresAt'] }],
  properties: {
    /** The first 128 bits of the SHA-256 hash of the credential's id and the nonce. */
    digest: p.uuid().primary(),
    expiresAt: p.datetime().columnType('timestamptz(3)'),
  },
})
