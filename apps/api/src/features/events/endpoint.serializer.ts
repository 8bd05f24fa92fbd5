import type { EventAttempt, EventEndpoint, EventType } from '@flowpost/contract'
import { recordedEndpoint } from '@flowpost/contract/rules'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { SettingsChange } from '../settings-history/record-changes.ts'

/** The event endpoint columns that API responses need. */
export interface EndpointRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly key: string | null
  readonly url: string | null
  readonly events: readonly EventType[]
  readonly active: boolean
  readonly description: string
  readonly created_at: string | Date
  readonly updated_at: string | Date
  readonly next_attempt_at: string | Date | null
  readonly health_status: string
  readonly health_code: string | null
  readonly health_detail: string | null
  readonly health_since: string | Date | null
}

/** Returns the API representation of an event endpoint. */
export const toEndpoint = (row: EndpointRow): z.output<typeof EventEndpoint> => ({
  id: toId('eventEndpoint', row.id),
  project_id: toId('project', row.project_id),
  url: row.url,
  events: [...row.events],
  active: row.active,
  key: row.key,
  description: row.description,
  health: {
    status: row.health_status,
    code: row.health_code,
    detail: row.health_detail,
    since: timestampOrNull(row.health_since),
    next_attempt_at: timestampOrNull(row.next_attempt_at),
  },
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/**
 * Returns an endpoint's entity tag. The tag does not cover the health, because a change of the health must not make a
 * writer's `If-Match` fail.
 */
export const endpointEtag = ({ health: _, ...endpoint }: z.output<typeof EventEndpoint>): string => etagOf(endpoint)

const stateOf = (row: EndpointRow) => ({ settings: recordedEndpoint(row), created_at: row.created_at, updated_at: row.updated_at })

/**
 * Returns the creation, update or deletion of an endpoint as a {@link SettingsChange}.
 * @param before the endpoint before the change; `null` for a creation.
 * @param after the endpoint after the change; `null` for a deletion.
 * @param options.at the time of the change. @default the row's `updated_at`
 */
export const changeOfEndpoint = (
  before: EndpointRow | null,
  after: EndpointRow | null,
  options: { readonly at?: Date; readonly secretFields?: readonly string[] } = {},
): SettingsChange => {
  const row = after ?? before
  if (!row) throw new Error('`before` and `after` must not both be null.')
  return {
    kind: 'event_endpoint',
    projectId: row.project_id,
    resourceId: row.id,
    before: before && stateOf(before),
    after: after && stateOf(after),
    at: new Date(row.updated_at),
    ...options,
  }
}

/** Returns the API path of an event endpoint. */
export const endpointPath = ({ id, project_id }: { readonly id: string; readonly project_id: string }): string =>
  `/v1/settings/projects/${project_id}/event-endpoints/${id}`

/** A stored attempt to send an event. */
export interface EventAttemptRow {
  readonly id: Uuid
  readonly event_id: Uuid
  readonly type: string
  readonly outcome: string
  readonly status: number | null
  readonly code: string | null
  readonly detail: string | null
  readonly duration_ms: number
  readonly created_at: string | Date
}

/** Returns the API representation of an attempt. */
export const toEventAttempt = (row: EventAttemptRow): z.output<typeof EventAttempt> => ({
  id: toId('attempt', row.id),
  event_id: toId('event', row.event_id),
  type: row.type,
  outcome: row.outcome,
  status: row.status,
  code: row.code,
  detail: row.detail,
  duration_ms: row.duration_ms,
  created_at: timestamp(row.created_at),
})
