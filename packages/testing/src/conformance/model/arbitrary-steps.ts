import fc from 'fast-check'
import type { Operation } from '../../public-types.ts'
import { apiKeyBody, type Body, integration, omitUndefined, optionally, projectBody, rarely, settingsBody } from './arbitrary-bodies.ts'
import { bulkActionBody } from './arbitrary-bulk-actions.ts'
import { endpointBody, endpointUpdate, eventQuery, replayBody } from './arbitrary-events.ts'
import type { FlowBodies } from './arbitrary-flows.ts'
import type { CursorChoice, Step, TagChoice } from './sequence.ts'

/**
 * A number that selects a resource, an API key or an idempotency key for a {@link Step}. The range is small, so several
 * steps often select the same resource or key.
 */
export const few = fc.integer({ min: -1, max: 3 })

/** The entity tag in a conditional request. */
export const anyTag = fc.constantFrom<TagChoice>('current', 'current', 'stale', 'several', 'weak', 'any', 'unknown', 'malformed')

const tag = fc.option(anyTag, { nil: undefined, freq: 2 })
const as = rarely(few)
const idempotencyKey = rarely(few)
const isPathRespelled = rarely(fc.constant(true))
const cursor = optionally(fc.constantFrom<CursorChoice>('last', 'last', 'last', 'other', 'changed', 'junk'))
const limit = optionally(fc.constantFrom('1', '2', '1000', '0', 'two'))

const query = (names: Record<string, fc.Arbitrary<string | undefined>>): fc.Arbitrary<Record<string, string>> =>
  fc.record(names).map((drawn) => omitUndefined(drawn) as Record<string, string>)

/** Creates an arbitrary for steps that call an operation. Omits fields whose generated value is `undefined`. */
export const step = (
  operation: Operation,
  fields: { [Field in keyof Step]?: fc.Arbitrary<Step[Field] | undefined> } = {},
): fc.Arbitrary<Step> => fc.record(fields as Record<string, fc.Arbitrary<unknown>>).map((drawn) => ({ operation, ...omitUndefined(drawn) }))

const page = { query: query({ limit }), cursor, as }

const provider = fc.constantFrom('mailgun', 'mailgun', 'mailgun', 'teams', 'smtp', 'MAILGUN')

/** A step that stores credentials. */
export const putIntegration = fc
  .tuple(step('integrations.put', { project: few, ifMatch: tag }), integration)
  .map(([drawn, { source_type, body }]): Step => ({ ...drawn, source_type, body }))

const statuses = fc.constantFrom('queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled', 'lost', 'SENT')

const notificationFilters = query({
  project_id: fc.constantFrom('$project', '$project', undefined, 'nonsense'),
  flow_id: optionally(fc.constantFrom('$flow', '$flow', 'nonsense')),
  status: optionally(statuses),
  reference: rarely(fc.constantFrom('a', 'b', '')),
  target: rarely(fc.constantFrom('ops@Example.com', 'one@example.com', 'C024BE91L', 'nobody@example.com', 'ops')),
  source_type: rarely(fc.constantFrom('smtp', 'slack', 'pigeon')),
  failure_kind: rarely(fc.constantFrom('credential', 'expired', 'lost')),
  failure_code: rarely(fc.constantFrom('integration_missing', 'expired')),
  created_after: rarely(fc.constantFrom('2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'yesterday')),
  created_before: rarely(fc.constantFrom('2999-01-01T00:00:00Z', '2001-01-01T00:00:00Z')),
  limit,
})

const suppressed = fc.constantFrom(
  'one@example.com',
  'ONE@Example.com',
  'smtp:ops@example.com',
  'slack:C024BE91L',
  'ops',
  'nobody at all',
  '',
)
const suppressionBody = fc
  .record({ target: suppressed, reason: optionally(fc.constantFrom('bounce', 'manual', 'erasure')) })
  .map((drawn) => omitUndefined(drawn) as Body)
const suppressionFilters = query({ target: optionally(suppressed), limit })

// The server rejects all of these bodies. Valid bodies are not used, because an accepted erasure could change messages of
// earlier sequences and would take an unpredictable time.
const rejectedErasure = fc.constantFrom<Body>({ target: 'nobody at all' }, { target: 'ops@example.com', block: 'yes' }, {})

const wait = query({ wait: rarely(fc.constantFrom('1', '1', '0', '61', '1.5', 'long')) })

/** An unknown query parameter, used in a few steps. */
const unknownQuery = rarely(query({ colour: fc.constantFrom('red', undefined) }))
/** A body for operations that take no body, used in a few steps. */
const unexpectedBody = rarely(fc.constantFrom<Body>({}, { force: true }))

const deletedProject = query({ project_id: fc.constantFrom('$project', '$project', '$project', 'nonsense', undefined) })

// Without a project, the list would include changes from earlier sequences.
const historyQuery = query({
  project_id: fc.constantFrom('$project', '$project', '$project', 'nonsense'),
  limit: fc.constantFrom('1000', '1000', '1000', '0', 'two'),
})
const pastQuery = query({ at: fc.constantFrom('2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'yesterday') })

const ofEndpoint = { project: rarely(few), eventEndpoint: few, as }

/**
 * Steps for event endpoints and the event feed. The only valid `url` in the generated bodies is `null`, so the server has no
 * URL to send events to.
 */
const eventSteps: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [3, step('eventEndpoints.create', { project: few, body: endpointBody, idempotencyKey, isPathRespelled, as })],
  [1, step('eventEndpoints.list', { project: few, ...page })],
  [1, step('eventEndpoints.get', { ...ofEndpoint, ifNoneMatch: tag })],
  [2, step('eventEndpoints.update', { ...ofEndpoint, body: endpointUpdate, ifMatch: tag })],
  [1, step('eventEndpoints.delete', { ...ofEndpoint, ifMatch: tag })],
  [1, step('eventEndpoints.rotateSecret', { ...ofEndpoint, body: unexpectedBody })],
  [1, step('eventEndpoints.test', { ...ofEndpoint, body: unexpectedBody })],
  [1, step('eventEndpoints.attempts', { project: rarely(few), eventEndpoint: few, ...page })],
  [1, step('eventEndpoints.replay', { ...ofEndpoint, body: replayBody })],
  [2, step('events.list', { project: few, cursor, as, query: eventQuery })],
]

const bulkActionSteps: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [2, step('bulkActions.create', { project: few, flow: few, body: bulkActionBody, idempotencyKey, isPathRespelled, as })],
  [1, step('bulkActions.list', page)],
  [1, step('bulkActions.get', { bulkAction: few, query: wait, as })],
  [1, step('bulkActions.stop', { bulkAction: few, body: unexpectedBody, idempotencyKey, as })],
]

/** Creates weighted arbitraries for single steps. */
export const createWeightedSteps = (bodies: FlowBodies): readonly { weight: number; arbitrary: fc.Arbitrary<Step> }[] => {
  const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
    [6, step('projects.create', { body: projectBody, query: unknownQuery, idempotencyKey, isPathRespelled, as })],
    [2, step('projects.list', page)],
    [2, step('projects.get', { project: few, ifNoneMatch: tag, isPathRespelled, as })],
    [3, step('projects.update', { project: few, body: projectBody, ifMatch: tag, as })],
    [1, step('projects.delete', { project: few, ifMatch: tag, as })],
    [1, step('projects.deleteByQuery', { project: few, query: deletedProject, ifMatch: tag, as })],
    [6, step('flows.create', { project: few, body: bodies.newFlow, idempotencyKey, as })],
    [2, step('flows.list', { project: few, ...page })],
    [2, step('flows.get', { project: rarely(few), flow: few, ifNoneMatch: tag, as })],
    [1, step('flows.get', { project: rarely(few), flow: few, query: pastQuery, as })],
    [2, step('flows.update', { flow: few, body: bodies.wholeFlow, ifMatch: tag, as })],
    [2, step('flows.patch', { flow: few, body: bodies.someFlow, ifMatch: tag, isPathRespelled, as })],
    [3, step('flows.patch', { flow: few, body: bodies.oneField, ifMatch: tag })],
    [1, step('flows.delete', { flow: few, body: unexpectedBody, query: unknownQuery, ifMatch: tag, as })],
    [1, step('flows.check', { flow: few, body: unexpectedBody, query: unknownQuery, as })],
    [3, putIntegration],
    [1, step('integrations.get', { project: few, source_type: provider, ifNoneMatch: tag, as })],
    [1, step('integrations.list', { project: few, ...page })],
    [1, step('integrations.delete', { project: few, source_type: provider, ifMatch: tag, as })],
    [1, step('integrations.rotateInbound', { project: few, source_type: provider, query: unknownQuery, as })],
    [1, step('deliveries.recordReceipt', { body: fc.constantFrom({ status: 'bounced' }, { status: 'lost' }), query: unknownQuery, as })],
    [2, step('suppressions.create', { project: few, body: suppressionBody, query: unknownQuery, idempotencyKey, isPathRespelled, as })],
    [1, step('suppressions.list', { project: few, ...page, query: suppressionFilters })],
    [1, step('suppressions.delete', { project: rarely(few), suppression: few, as })],
    [1, step('erasures.create', { body: rejectedErasure, query: unknownQuery, idempotencyKey, as })],
    [1, step('erasures.get', { query: unknownQuery, as })],
    [1, step('providers.list', page)],
    [2, step('settings.export', { project: few, ifNoneMatch: tag, as })],
    [2, step('settings.history', { project: few, query: historyQuery, cursor: rarely(fc.constant<CursorChoice>('junk')), as })],
    [3, step('settings.apply', { body: settingsBody, idempotencyKey, isPathRespelled, as })],
    [2, step('apiKeys.create', { project: few, body: apiKeyBody, idempotencyKey, as })],
    [1, step('apiKeys.list', page)],
    [1, step('apiKeys.delete', { apiKey: few, as })],
    [6, step('notifications.send', { project: few, flow: few, body: bodies.message, query: unknownQuery, idempotencyKey, as })],
    [3, step('notifications.sendBatch', { project: few, flow: few, body: bodies.batch, idempotencyKey, isPathRespelled, as })],
    [3, step('notifications.preview', { project: few, flow: few, body: bodies.message, isPathRespelled, as })],
    [4, step('notifications.list', { project: few, flow: few, ...page, query: notificationFilters })],
    [2, step('notifications.get', { notification: few, query: wait, as })],
    [2, step('notifications.explanation', { notification: few, query: unknownQuery, as })],
    [2, step('notifications.deliveries', { notification: few, ...page })],
    [2, step('notifications.retry', { notification: few, body: unexpectedBody, idempotencyKey, isPathRespelled, as })],
    [3, step('notifications.cancel', { notification: few, body: unexpectedBody, idempotencyKey, as })],
  ]
  return [...weighted, ...eventSteps, ...bulkActionSteps].map(([weight, arbitrary]) => ({ weight, arbitrary }))
}
