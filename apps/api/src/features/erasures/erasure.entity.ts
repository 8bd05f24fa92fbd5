import { defineEntity, p } from '@mikro-orm/core'

/** The `erasures` table: requests to erase a recipient. The rows are kept as proof, without the address. */
export const ErasureEntity = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  indexes: [{ name: 'erasures_due_at_index', properties: ['dueAt'], where: '"due_at" is not null' }],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    /** The recipient's digest. See `Recipients.identityOf`. */
    digest: p.uuid(),
    /** The only provider whose deliveries are erased; empty if the erasure covers all providers. */
    sourceType: p.text(),
    block: p.boolean(),
    status: p.text(),
    /** The number of deliveries erased so far. */
    deliveries: p.integer(),
    /** The id of the API key that requested the erasure; `null` for an OIDC token. */
    requestedBy: p.uuid().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    doneAt: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The recipient's encrypted address, normalized by `recipientKey`; `null` once the erasure is done. */
    address: p.blob().nullable(),
    /** The area of the database that the next step works on, such as `log`; `null` before the first step and after the last. */
    phase: p.text().nullable(),
    /** Where the next step continues in the current area; `null` before the first step in an area, and after the erasure. */
    position: p.text().nullable(),
    /**
     * The time from which the erasure may be claimed. While a process works on the erasure, this is the end of the
     * lease. `null` once the erasure is done.
     */
    dueAt: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The fencing token: the number of the current claim. */
    claim: p.integer(),
  },
})
