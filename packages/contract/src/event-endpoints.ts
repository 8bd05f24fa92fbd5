import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import {
  EventAttempt,
  EventAttemptPage,
  EventEndpoint,
  EventEndpointCreate,
  EventEndpointPage,
  EventEndpointUpdate,
  EventEndpointWithSecret,
  EventReplay,
} from './event-endpoint-resources.ts'
import { conditionalRead, conditionalWrite, idempotentSecretWrite, idempotentWrite } from './headers.ts'
import { IdParam, pageQuery } from './primitives.ts'

const projectParams = z.object({ project_id: IdParam('project', 'The id of the project.') })
const params = projectParams.extend({ endpoint_id: IdParam('eventEndpoint', 'The id of the event endpoint.') })
const path = '/v1/settings/projects/:project_id/event-endpoints'

const c = initContract()

const createAccess = declareWrite('settings:write', [
  'not_found',
  'key_taken',
  'too_many_event_endpoints',
  'encryption_not_configured',
  ...idempotentSecretWrite.problems,
])
const listAccess = declareRead('settings:read', ['not_found', 'invalid_cursor'])
const getAccess = declareRead('settings:read', ['not_found'])
const updateAccess = declareWrite('settings:write', ['not_found', 'key_taken', 'etag_mismatch'])
const deleteAccess = declareRead('settings:write', ['not_found', 'etag_mismatch'])
const rotateAccess = declareRead('settings:write', ['not_found', 'encryption_not_configured', ...idempotentSecretWrite.problems])
const testAccess = declareRead('settings:write', ['not_found', 'event_endpoint_without_url', ...idempotentWrite.problems])
const replayAccess = declareWrite('settings:write', ['not_found', 'event_endpoint_without_url', ...idempotentWrite.problems])

/** The event endpoint operations. */
export const eventEndpoints = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Create an event endpoint',
      description:
        "Subscribes to a project's events and returns the signing secret once. From then on, events of the listed types are stored for the endpoint. If the endpoint has a URL, the events are sent to that URL as specified by Standard Webhooks: in order, at least once, and with retries. A project can have up to 20 endpoints.",
      pathParams: projectParams,
      headers: idempotentSecretWrite.headers,
      body: EventEndpointCreate,
      responses: { 201: EventEndpointWithSecret, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path,
      summary: 'List event endpoints',
      description: 'Returns the event endpoints of a project, oldest first, without their secrets.',
      pathParams: projectParams,
      query: z.strictObject(pageQuery),
      responses: { 200: EventEndpointPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: `${path}/:endpoint_id`,
      summary: 'Get an event endpoint',
      description: 'Returns one event endpoint, without its secret.',
      pathParams: params,
      query: z.strictObject({}),
      headers: conditionalRead,
      responses: { 200: EventEndpoint, 304: c.noBody(), ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    update: {
      method: 'PUT',
      path: `${path}/:endpoint_id`,
      summary: 'Update an event endpoint',
      description:
        'Replaces all changeable fields of an event endpoint. An omitted `key` stays as it is. If the endpoint was disabled or failing, sending resumes at once with the event at which it stopped. If `url` was `null` before, only events that occur after the update are sent.',
      pathParams: params,
      headers: conditionalWrite,
      body: EventEndpointUpdate,
      responses: { 200: EventEndpoint, ...updateAccess.responses },
      metadata: updateAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: `${path}/:endpoint_id`,
      summary: 'Delete an event endpoint',
      description: 'Deletes an event endpoint with its secret and its attempts. Stored events remain in the feed.',
      pathParams: params,
      query: z.strictObject({}),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
    rotateSecret: {
      method: 'POST',
      path: `${path}/:endpoint_id/rotate-secret`,
      summary: 'Rotate the signing secret',
      description:
        'Creates a new signing secret and returns it once. For 24 hours, requests are signed with both the new and the previous secret, so receivers can switch without a gap. A second rotation within that time invalidates the oldest secret at once. If sending failed because the server could not decrypt the previous secret, sending resumes.',
      pathParams: params,
      query: z.strictObject({}),
      headers: idempotentSecretWrite.headers,
      body: c.noBody(),
      responses: { 200: EventEndpointWithSecret, ...rotateAccess.responses },
      metadata: { ...rotateAccess.metadata, idempotent: true },
    },
    test: {
      method: 'POST',
      path: `${path}/:endpoint_id/test`,
      summary: 'Test an event endpoint',
      description:
        "Sends a `test.ping` event to the endpoint, without retries, and returns the outcome. Also works for inactive and disabled endpoints, and does not change the endpoint's health.",
      pathParams: params,
      query: z.strictObject({}),
      headers: idempotentWrite.headers,
      body: c.noBody(),
      responses: { 200: EventAttempt, ...testAccess.responses },
      metadata: { ...testAccess.metadata, idempotent: true },
    },
    attempts: {
      method: 'GET',
      path: `${path}/:endpoint_id/attempts`,
      summary: 'List the attempts of an event endpoint',
      description: 'Returns the latest 100 requests to the endpoint, newest first.',
      pathParams: params,
      query: z.strictObject(pageQuery),
      responses: { 200: EventAttemptPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    replay: {
      method: 'POST',
      path: `${path}/:endpoint_id/replay`,
      summary: 'Send events again',
      description:
        'Resumes sending after the given event, which must still exist. Later events are sent again with their original ids, even if they were already delivered. Also re-enables a disabled endpoint.',
      pathParams: params,
      headers: idempotentWrite.headers,
      body: EventReplay,
      responses: { 200: EventEndpoint, ...replayAccess.responses },
      metadata: { ...replayAccess.metadata, idempotent: true },
    },
  },
  { strictStatusCodes: true },
)
