import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `delivery_jobs` table: one job for each open delivery. A claim sets `dueAt` to the end of the lease and increments
 * `claim`, the fencing token. If the worker dies, the job is therefore due again when the lease expires.
 */
export const DeliveryJobEntity = defineEntity({
  name: 'DeliveryJob',
  tableName: 'delivery_jobs',
  indexes: [
    { name: 'delivery_jobs_priority_due_at_index', properties: ['priority', 'dueAt'] },
    { name: 'delivery_jobs_project_id_index', properties: ['projectId'] },
  ],
  properties: {
    deliveryId: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    sourceType: p.text(),
    /** Jobs with the priority 0 are claimed first, then those with -1, and so on. */
    priority: p.integer().default(0),
    dueAt: p.datetime().columnType('timestamptz(3)'),
    /** `true` if `dueAt` is the end of a lease; `false` if it is the time of the next attempt. */
    leased: p.boolean().default(false),
    /** Whether a worker has ever claimed the job. A job that was never claimed counts as scheduled until `dueAt`. */
    claimed: p.boolean().default(false),
    /**
     * The fencing token. `insertJobsFrom` sets it to a random number, so that a worker that still holds the delivery's previous
     * job cannot change the new job.
     */
    claim: p.integer().default(0),
    /** How many times in a row the job was rescheduled to a slot of its destination's rate limit; see `reserveSlots`. */
    deferrals: p.integer().default(0),
    /** No attempt may start at or after this time; `null` if the notification does not expire. */
    expiresAt: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The id of the request that queued the delivery. */
    requestId: p.text().nullable(),
    /** The W3C trace context of the request that queued the delivery; `null` if that request was not traced. */
    traceContext: p.text().nullable(),
  },
})
