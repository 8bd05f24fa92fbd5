import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { newUuid, toId } from '../../shared/ids.ts'
import { type EndpointPath, getEndpoint } from './endpoint.queries.ts'
import type { EventAttemptRow } from './endpoint.serializer.ts'
import { toEventJson } from './event.serializer.ts'
import { logAttempt, toAttemptRow } from './push/record-push.ts'
import type { SendEvent } from './push/send-event.ts'
import { requireEndpointUrl } from './require-endpoint-url.ts'

/**
 * Sends a `test.ping` event to an endpoint, without retrying. No transaction is open during the request.
 * @throws ApiError `not_found` or `event_endpoint_without_url`.
 */
export const testEndpoint = async (
  { database, sendEvent }: { readonly database: Database; readonly sendEvent: SendEvent },
  principal: Principal,
  path: EndpointPath,
  now: Date,
): Promise<EventAttemptRow> => {
  const endpoint = await getEndpoint(database, principal, path)
  const url = requireEndpointUrl(endpoint)
  const id = newUuid()
  const data = JSON.stringify({ endpoint_id: toId('eventEndpoint', endpoint.id), project_id: toId('project', endpoint.project_id) })
  const type = 'test.ping'
  const event = { id, type, json: toEventJson({ id, type, created_at: now.toISOString(), data }) }
  const attempt = toAttemptRow(event, await sendEvent({ ...endpoint, url }, event))
  await logAttempt(database, endpoint.id, attempt)
  return attempt
}
