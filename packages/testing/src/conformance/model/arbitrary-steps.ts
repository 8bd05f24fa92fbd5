import fc from 'fast-check'
import {
  apiKeyBody,
  type Body,
  integration,
  messageBody,
  newFlowBody,
  omitUndefined,
  optionally,
  projectBody,
  rarely,
  someFlowBody,
  wholeFlowBody,
} from './arbitrary-bodies.ts'
import type { Step, TagChoice } from './sequence.ts'

const few = fc.nat({ max: 3 })
const tag = rarely(fc.constantFrom<TagChoice>('current', 'current', 'stale', 'weak', 'any', 'unknown'))
const as = rarely(few)
const idempotencyKey = rarely(few)
const cursor = optionally(fc.constantFrom('last' as const, 'last' as const, 'last' as const, 'junk' as const))
const limit = optionally(fc.constantFrom('1', '2', '1000', '0', 'two'))

const query = (names: Record<string, fc.Arbitrary<string | undefined>>): fc.Arbitrary<Record<string, string>> =>
  fc.record(names).map((drawn) => omitUndefined(drawn) as Record<string, string>)

const page = { query: query({ limit }), cursor, as }

const step = (
  operation: Step['operation'],
  fields: { [Field in keyof Step]?: fc.Arbitrary<Step[Field] | undefined> },
): fc.Arbitrary<Step> => fc.record(fields as Record<string, fc.Arbitrary<unknown>>).map((drawn) => ({ operation, ...omitUndefined(drawn) }))

const provider = fc.constantFrom('mailgun', 'mailgun', 'mailgun', 'teams', 'smtp')

const putIntegration = fc
  .tuple(step('integrations.put', { project: few, ifMatch: tag }), integration)
  .map(([drawn, { source_type, body }]): Step => ({ ...drawn, source_type, body }))

const notificationFilters = query({
  project_id: fc.constant('$project'),
  flow_id: rarely(fc.constant('$flow')),
  status: rarely(fc.constantFrom('queued', 'sent', 'lost')),
  limit,
})

/** Sometimes an unknown query parameter. */
const unknownQuery = rarely(query({ colour: fc.constantFrom('red', undefined) }))
/** Sometimes a body for an operation without one. */
const unexpectedBody = rarely(fc.constantFrom<Body>({}, { force: true }))

/** The steps with their weights. */
const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [6, step('projects.create', { body: projectBody, query: unknownQuery, idempotencyKey, as })],
  [2, step('projects.list', page)],
  [2, step('projects.get', { project: few, ifNoneMatch: tag, as })],
  [3, step('projects.update', { project: few, body: projectBody, ifMatch: tag, as })],
  [1, step('projects.delete', { project: few, ifMatch: tag, as })],
  [1, step('projects.deleteByQuery', { project: few, query: query({ project_id: fc.constantFrom('$project', 'nonsense', undefined) }) })],
  [6, step('flows.create', { project: few, body: newFlowBody, idempotencyKey, as })],
  [2, step('flows.list', { project: few, ...page })],
  [2, step('flows.get', { project: rarely(few), flow: few, ifNoneMatch: tag, as })],
  [2, step('flows.update', { flow: few, body: wholeFlowBody, ifMatch: tag })],
  [3, step('flows.patch', { flow: few, body: someFlowBody, ifMatch: tag, as })],
  [1, step('flows.delete', { flow: few, body: unexpectedBody, query: unknownQuery, ifMatch: tag })],
  [1, step('flows.check', { flow: few, body: unexpectedBody, query: unknownQuery, as })],
  [3, putIntegration],
  [1, step('integrations.get', { project: few, source_type: provider, ifNoneMatch: tag, as })],
  [1, step('integrations.list', { project: few, ...page })],
  [1, step('integrations.delete', { project: few, source_type: provider, ifMatch: tag })],
  [1, step('providers.list', page)],
  [2, step('apiKeys.create', { project: few, body: apiKeyBody, as })],
  [1, step('apiKeys.list', { as })],
  [1, step('apiKeys.delete', { apiKey: few, as })],
  [6, step('notifications.send', { project: few, flow: few, body: messageBody, query: unknownQuery, idempotencyKey, as })],
  [3, step('notifications.preview', { project: few, flow: few, body: messageBody, as })],
  [2, step('notifications.list', { project: few, flow: few, ...page, query: notificationFilters })],
  [2, step('notifications.get', { notification: few, as })],
  [2, step('notifications.deliveries', { notification: few, ...page })],
  [2, step('notifications.retry', { notification: few, body: unexpectedBody, idempotencyKey, as })],
  [3, step('notifications.cancel', { notification: few, body: unexpectedBody, idempotencyKey, as })],
]

/** The usual first steps of a sequence, so that later steps have resources to use. */
const firstSteps = [
  fc.constant<Step>({ operation: 'projects.create', body: { name: '$name0' } }),
  fc.constant<Step>({ operation: 'projects.create', body: { name: '$name1' } }),
  step('flows.create', { project: fc.constant(0), body: newFlowBody }),
  step('flows.create', { project: few, body: newFlowBody }),
].map((arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 15 }))

/**
 * Creates an arbitrary for sequences of requests: creates, renames, repeated idempotency keys, pages, deletes, sends,
 * retries, cancels, and some invalid requests. Sequences shrink to the shortest one with a difference.
 *
 * Neither server may have credentials. Both must support the built-in providers, and capture messages if credentials are
 * missing. No request then leaves the machine.
 *
 * @param maxLength Maximum number of steps after the first ones. Defaults to 30.
 */
export const drawSteps = (maxLength = 30): fc.Arbitrary<Step[]> => {
  const any = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
  const further = fc.array(any, { minLength: 1, maxLength, size: 'max' })
  return fc.tuple(fc.tuple(...firstSteps), further).map(([first, rest]) => [...first.filter((step) => step !== undefined), ...rest])
}
