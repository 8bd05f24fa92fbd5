import type { EventType } from '@flowpost/contract'
import { defineEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/**
 * The `events` table, which stores the feed. It has no foreign keys: a project can have millions of events, so they are
 * deleted in chunks instead of by a cascade.
 */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'events',
  indexes: [
    { name: 'events_user_id_position_id_index', properties: ['userId', 'position', 'id'] },
    { name: 'events_project_id_position_id_index', properties: ['projectId', 'position', 'id'] },
  ],
  properties: {
    id: p.uuid().primary(),
    /** Determines the order of the feed: see `position.ts`. */
    position: p.bigint(),
    userId: p.text(),
    projectId: p.uuid(),
    type: p.text().$type<EventType>(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    /** The resource that the event is about, as JSON. */
    data: p.text(),
  },
})

/**
 * The `event_endpoints` table: event subscriptions. Each row stores the feed position up to which the endpoint has
 * received events.
 */
export const EventEndpointEntity = defineEntity({
  name: 'EventEndpoint',
  tableName: 'event_endpoints',
  uniques: [{ name: 'event_endpoints_project_id_key_unique', properties: ['projectId', 'key'] }],
  indexes: [
    { name: 'event_endpoints_project_id_id_index', properties: ['projectId', 'id'] },
    {
      name: 'event_endpoints_pushed_id_index',
      properties: ['id'],
      where: `"active" and "url" is not null and "health_status" <> 'disabled'`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    projectId: () =>
      p
        .manyToOne(ProjectEntity)
        .mapToPk()
        .fieldName('project_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .index(false as never),
    /** The owner of the project. */
    userId: p.text(),
    /** The endpoint's name in settings files and code. */
    key: p.text().nullable(),
    url: p.text().nullable(),
    events: p.array().$type<EventType[]>(),
    active: p.boolean(),
    description: p.text(),
    /** The signing secrets as JSON, encrypted with the endpoint's id as additional authenticated data. */
    secrets: p.blob(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
    /**
     * The position of the last event that was delivered to the endpoint, or skipped because the endpoint does not
     * subscribe to it.
     */
    cursorPosition: p.bigint(),
    cursorId: p.uuid(),
    /** The fencing token: only the worker with the latest claim may change the cursor. */
    claim: p.integer().default(0),
    leaseUntil: p.datetime().columnType('timestamptz').nullable(),
    claimedAt: p.datetime().columnType('timestamptz').nullable(),
    /** The number of consecutive failed requests. */
    failures: p.integer().default(0),
    failingSince: p.datetime().columnType('timestamptz').nullable(),
    nextAttemptAt: p.datetime().columnType('timestamptz').nullable(),
    healthStatus: p.text().default('unknown'),
    healthCode: p.text().nullable(),
    healthDetail: p.text().nullable(),
    healthSince: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** The `event_attempts` table: the latest requests to each endpoint. */
export const EventAttemptEntity = defineEntity({
  name: 'EventAttempt',
  tableName: 'event_attempts',
  indexes: [{ name: 'event_attempts_endpoint_id_id_index', properties: ['endpointId', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    endpointId: () =>
      p
        .manyToOne(EventEndpointEntity)
        .mapToPk()
        .fieldName('endpoint_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .index(false as never),
    eventId: p.uuid(),
    type: p.text(),
    outcome: p.text(),
    status: p.integer().nullable(),
    code: p.text().nullable(),
    detail: p.text().nullable(),
    durationMs: p.integer(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})
