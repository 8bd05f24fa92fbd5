import { type EventType, maxEventEndpoints } from '@flowpost/contract'
import { ApiError, isNotModified, keyTaken, notFound, tooManyEventEndpoints } from '@flowpost/contract/rules'
import { type EventPushes, unknownEndpointHealth } from '../events/event-pushes.ts'
import { etagOf, requireMatch } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { EventEndpoint, EventEndpointCreate, EventEndpointUpdate, PushedEvent } from '../state/api-types.ts'
import { type MockContext, timeOfChange, timestamp } from '../state/mock-context.ts'
import type { EventEndpointRecord, ProjectRecord } from '../state/store.ts'
import { findProject } from './projects.ts'
import { type ChangeOrigin, recordChange } from './settings-history.ts'

type Path = Readonly<Record<string, string>>

/** Validity period of the previous secret after a rotation, in milliseconds. */
const rotationMs = 24 * 3_600_000

const toEventEndpoint = (record: EventEndpointRecord): EventEndpoint => ({
  id: record.id,
  project_id: record.projectId,
  url: record.url,
  events: [...record.events],
  active: record.active,
  key: record.key,
  description: record.description,
  health: record.health,
  created_at: record.created_at,
  updated_at: record.updated_at,
})

/** Returns the part of an endpoint that its entity tag covers. Excludes the health, which changes when events are sent. */
const omitHealth = ({ health: _, ...endpoint }: EventEndpoint): Omit<EventEndpoint, 'health'> => endpoint

const etagOfEndpoint = (endpoint: EventEndpoint): string => etagOf(omitHealth(endpoint))

const pathOf = ({ projectId, id }: EventEndpointRecord): string => `/v1/settings/projects/${projectId}/event-endpoints/${id}`

const requireEndpointUrl = ({ url }: EventEndpointRecord): void => {
  if (url === null)
    throw new ApiError('event_endpoint_without_url', 'The endpoint has no URL, so nothing can be sent to it. Set its url first.')
}

/** Returns the types without duplicates, in the given order. */
const distinct = (types: readonly EventType[]): EventType[] => [...new Set(types)]

/** Returns a project's event endpoints. */
export const endpointsOf = ({ store }: MockContext, projectId: string): EventEndpointRecord[] =>
  [...store.eventEndpoints.values()].filter((endpoint) => endpoint.projectId === projectId)

/**
 * Rejects a key that another endpoint of the project already has. `ownId` is the endpoint to update, if any.
 *
 * @throws {ApiError} `key_taken`.
 */
const requireAvailableKey = (context: MockContext, projectId: string, key: string | null | undefined, ownId?: string): void => {
  for (const endpoint of endpointsOf(context, projectId))
    if (key !== null && key !== undefined && endpoint.key === key && endpoint.id !== ownId) throw keyTaken('event endpoint')
}

/** Returns the id of the latest event. An endpoint whose `position` is this id receives only later events. */
const latestEvent = ({ store }: MockContext): string => [...store.events.keys()].at(-1) ?? ''

const resume = (pushes: EventPushes, endpoint: EventEndpointRecord): void => {
  endpoint.health = unknownEndpointHealth
  endpoint.failures = null
  endpoint.claim += 1
  pushes.start(endpoint)
}

/** Stores a new event endpoint. */
export const insertEndpoint = (
  context: MockContext,
  origin: ChangeOrigin,
  project: ProjectRecord,
  body: EventEndpointCreate,
): EventEndpointRecord => {
  const now = timestamp(context)
  const record: EventEndpointRecord = {
    id: context.generateId('eventEndpoint'),
    projectId: project.id,
    userId: project.userId,
    key: body.key ?? null,
    url: body.url,
    events: distinct(body.events),
    active: body.active,
    description: body.description,
    created_at: now,
    updated_at: now,
    secret: context.tokens.signingSecret(),
    previousSecret: null,
    health: unknownEndpointHealth,
    position: latestEvent(context),
    failures: null,
    claim: 0,
    attempts: [],
  }
  context.store.eventEndpoints.set(record.id, record)
  recordChange(context, origin, { kind: 'event_endpoint', after: record })
  return record
}

/** Updates an event endpoint, and resumes sending events to it. If `key` is absent, the key does not change. */
export const writeEndpoint = (
  context: MockContext,
  { pushes, ...origin }: ChangeOrigin & { readonly pushes: EventPushes },
  record: EventEndpointRecord,
  body: EventEndpointUpdate,
): void => {
  const before = { ...record }
  const { url, active, description, events, key = record.key } = body
  if (record.url === null && url !== null) record.position = latestEvent(context)
  Object.assign(record, { url, active, description, key, events: distinct(events), updated_at: timeOfChange(context, before) })
  recordChange(context, origin, { kind: 'event_endpoint', before, after: record })
  resume(pushes, record)
}

/** Deletes an event endpoint. */
export const deleteEndpoint = (context: MockContext, origin: ChangeOrigin, endpoint: EventEndpointRecord): void => {
  context.store.eventEndpoints.delete(endpoint.id)
  recordChange(context, origin, { kind: 'event_endpoint', before: endpoint })
}

/** Creates the handlers of the event endpoint operations. */
export const createEventEndpoints = (context: MockContext, pushes: EventPushes): Handlers<'eventEndpoints'> => {
  const { store } = context

  /**
   * Returns the event endpoint in a request's path.
   *
   * @throws {ApiError} `not_found`.
   */
  const find = (principal: Principal, { project_id = '', endpoint_id = '' }: Path): EventEndpointRecord => {
    const project = findProject(context, principal, project_id)
    const endpoint = store.eventEndpoints.get(endpoint_id)
    if (endpoint?.projectId !== project.id) throw notFound()
    return endpoint
  }

  return {
    create: ({ principal, requestId, params, body }) => {
      const project = findProject(context, principal, params.project_id ?? '')
      if (endpointsOf(context, project.id).length >= maxEventEndpoints) throw tooManyEventEndpoints()
      requireAvailableKey(context, project.id, body.key)
      const record = insertEndpoint(context, { principal, requestId }, project, body)
      const endpoint = toEventEndpoint(record)
      const headers = { Location: pathOf(record), ETag: etagOfEndpoint(endpoint) }
      return { status: 201, body: { ...endpoint, secret: record.secret }, headers }
    },

    list: ({ principal, params, query }) => {
      const request = parsePageRequest('event-endpoints', 'oldest first', { project_id: params.project_id }, query)
      const project = findProject(context, principal, params.project_id ?? '')
      return { status: 200, body: createPage(request, endpointsOf(context, project.id), toEventEndpoint) }
    },

    get: ({ principal, params, headers }) => {
      const endpoint = toEventEndpoint(find(principal, params))
      const etag = etagOfEndpoint(endpoint)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: endpoint, headers: { ETag: etag } }
    },

    update: ({ principal, requestId, params, headers, body }) => {
      const record = find(principal, params)
      requireMatch(headers.get('if-match'), omitHealth(toEventEndpoint(record)))
      requireAvailableKey(context, record.projectId, body.key, record.id)
      writeEndpoint(context, { principal, requestId, pushes }, record, body)
      const endpoint = toEventEndpoint(record)
      return { status: 200, body: endpoint, headers: { ETag: etagOfEndpoint(endpoint) } }
    },

    delete: ({ principal, requestId, params, headers }) => {
      const record = find(principal, params)
      requireMatch(headers.get('if-match'), omitHealth(toEventEndpoint(record)))
      deleteEndpoint(context, { principal, requestId }, record)
      return { status: 204, body: undefined }
    },

    rotateSecret: ({ principal, requestId, params }) => {
      const record = find(principal, params)
      const before = { ...record }
      record.previousSecret = { secret: record.secret, until: context.clock.now() + rotationMs }
      record.secret = context.tokens.signingSecret()
      record.claim += 1
      record.updated_at = timeOfChange(context, before)
      recordChange(context, { principal, requestId }, { kind: 'event_endpoint', before, after: record, secretFields: ['/secret'] })
      const replayHeaders = { Location: pathOf(record) }
      return { status: 200, body: { ...toEventEndpoint(record), secret: record.secret }, replayHeaders }
    },

    test: async ({ principal, params }) => {
      const record = find(principal, params)
      requireEndpointUrl(record)
      const event: PushedEvent = {
        id: context.generateId('event'),
        type: 'test.ping',
        created_at: timestamp(context),
        data: { endpoint_id: record.id, project_id: record.projectId },
      }
      return { status: 200, body: await pushes.send(record, event) }
    },

    attempts: ({ principal, params, query }) => {
      const request = parsePageRequest('event-attempts', 'newest first', { endpoint_id: params.endpoint_id }, query)
      return { status: 200, body: createPage(request, find(principal, params).attempts, (attempt) => attempt) }
    },

    replay: ({ principal, params, body }) => {
      const record = find(principal, params)
      requireEndpointUrl(record)
      if (body.after !== null && store.events.get(body.after)?.projectId !== record.projectId) throw notFound()
      record.position = body.after ?? ''
      resume(pushes, record)
      return { status: 200, body: toEventEndpoint(record) }
    },
  }
}
