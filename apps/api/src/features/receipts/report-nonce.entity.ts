import { defineEntity, p } from '@mikro-orm/core'

/** The `report_nonces` table: the values that signed reports may use only once, until their signatures expire. */
export const ReportNonceEntity = defineEntity({
  name: 'ReportNonce',
  tableName: 'report_nonces',
  indexes: [{ name: 'report_nonces_expires_at_index', properties: ['expiresAt'] }],
  properties: {
    /** The first 128 bits of the SHA-256 of the integration and the value. */
    digest: p.uuid().primary(),
    expiresAt: p.datetime().columnType('timestamptz(3)'),
  },
})
