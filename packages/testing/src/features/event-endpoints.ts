import type { EventType } from '@flowpost/contract'
import { ApiError, isNotModified, notFound } from '@flowpost/contract/rules'
import { type EventPushes, unknownEndpointHealth } from '../events/event-pushes.ts'
import { etagOf, requireMatch } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { EventEndpoint, PushedEvent } from '../state/api-types.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { EventEndpointRecord } from '../state/store.ts'
import { findProject } from './projects.ts'

type Path = Readonly<Record<string, string>>

const maxEndpoints = 20

/** How long the previous secret remains valid after a rotation. */
const rotationMs = 24 * 3_600_000

const toEventEndpoint = (record: EventEndpointRecord): EventEndpoint => ({
  id: record.id,
  project_id: record.projectId,
  url: record.url,
  events: [...record.events],
  active: record.active,
  description: record.description,
  health: record.health,
  created_at: record.created_at,
  updated_at: record.updated_at,
})

/** Returns the part of an endpoint that its entity tag covers. Health is excluded, because requests change it. */
const omitHealth = ({ health: _, ...endpoint }: EventEndpoint): Omit<EventEndpoint, 'health'> => endpoint

const etagOfEndpoint = (endpoint: EventEndpoint): string => etagOf(omitHealth(endpoint))

const requireUrl = ({ url }: EventEndpointRecord): void => {
  if (url === null) throw new ApiError('event_endpoint_without_url', 'The endpoint has no URL. Set one to send events to it.')
}

/** Returns the types without duplicates, in the given order. */
const distinct = (types: readonly EventType[]): EventType[] => [...new Set(types)]

/** Creates the handlers of the event endpoint operations. */
export const createEventEndpoints = (context: MockContext, pushes: EventPushes): Handlers<'eventEndpoints'> => {
  const { store } = context

  /** @throws {ApiError} `not_found`. */
  const find = (principal: Principal, { project_id = '', endpoint_id = '' }: Path): EventEndpointRecord => {
    const project = findProject(context, principal, project_id)
    const endpoint = store.eventEndpoints.get(endpoint_id)
    if (endpoint?.projectId !== project.id) throw notFound()
    return endpoint
  }

  const endpointsOf = (projectId: string) => [...store.eventEndpoints.values()].filter((endpoint) => endpoint.projectId === projectId)

  /** Returns the id of the latest event. An endpoint at this position receives only later events. */
  const latestEvent = (): string => [...store.events.keys()].at(-1) ?? ''

  /** Sets `updated_at` to a time after the last write, so that the entity tag changes. */
  const markUpdated = (endpoint: EventEndpointRecord): void => {
    endpoint.updated_at = timestamp(context, Math.max(context.clock.now(), Date.parse(endpoint.updated_at) + 1))
  }

  const resume = (endpoint: EventEndpointRecord): void => {
    endpoint.health = unknownEndpointHealth
    endpoint.failures = null
    pushes.start(endpoint)
  }

  return {
    create: ({ principal, params, body }) => {
      const project = findProject(context, principal, params.project_id ?? '')
      if (endpointsOf(project.id).length >= maxEndpoints)
        throw new ApiError('too_many_event_endpoints', `A project can have ${maxEndpoints} event endpoints. Delete one first.`)
      const now = timestamp(context)
      const record: EventEndpointRecord = {
        id: context.generateId('eventEndpoint'),
        projectId: project.id,
        userId: project.userId,
        url: body.url,
        events: distinct(body.events),
        active: body.active,
        description: body.description,
        created_at: now,
        updated_at: now,
        secret: context.tokens.signingSecret(),
        previousSecret: null,
        health: unknownEndpointHealth,
        position: latestEvent(),
        failures: null,
        attempts: [],
      }
      store.eventEndpoints.set(record.id, record)
      const endpoint = toEventEndpoint(record)
      const location = `/v1/settings/projects/${project.id}/event-endpoints/${record.id}`
      return { status: 201, body: { ...endpoint, secret: record.secret }, headers: { Location: location, ETag: etagOfEndpoint(endpoint) } }
    },

    list: ({ principal, params, query }) => {
      const request = parsePageRequest('event-endpoints', 'oldest first', { project_id: params.project_id }, query)
      const project = findProject(context, principal, params.project_id ?? '')
      return { status: 200, body: createPage(request, endpointsOf(project.id), toEventEndpoint) }
    },

    get: ({ principal, params, headers }) => {
      const endpoint = toEventEndpoint(find(principal, params))
      const etag = etagOfEndpoint(endpoint)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: endpoint, headers: { ETag: etag } }
    },

    update: ({ principal, params, headers, body }) => {
      const record = find(principal, params)
      requireMatch(headers.get('if-match'), omitHealth(toEventEndpoint(record)))
      if (record.url === null && body.url !== null) record.position = latestEvent()
      const { url, active, description } = body
      Object.assign(record, { url, active, description, events: distinct(body.events) })
      markUpdated(record)
      resume(record)
      const endpoint = toEventEndpoint(record)
      return { status: 200, body: endpoint, headers: { ETag: etagOfEndpoint(endpoint) } }
    },

    delete: ({ principal, params, headers }) => {
      const record = find(principal, params)
      requireMatch(headers.get('if-match'), omitHealth(toEventEndpoint(record)))
      store.eventEndpoints.delete(record.id)
      return { status: 204, body: undefined }
    },

    rotateSecret: ({ principal, params }) => {
      const record = find(principal, params)
      record.previousSecret = { secret: record.secret, until: context.clock.now() + rotationMs }
      record.secret = context.tokens.signingSecret()
      markUpdated(record)
      return { status: 200, body: { ...toEventEndpoint(record), secret: record.secret } }
    },

    test: async ({ principal, params }) => {
      const record = find(principal, params)
      requireUrl(record)
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
      requireUrl(record)
      if (body.after !== null && store.events.get(body.after)?.projectId !== record.projectId) throw notFound()
      record.position = body.after ?? ''
      resume(record)
      return { status: 200, body: toEventEndpoint(record) }
    },
  }
}
