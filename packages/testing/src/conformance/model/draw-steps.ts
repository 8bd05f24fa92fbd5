import fc from 'fast-check'
import {
  apiKeyBody,
  type Body,
  given,
  integration,
  maybe,
  messageBody,
  newFlowBody,
  projectBody,
  seldom,
  someFlowBody,
  wholeFlowBody,
} from './draw-bodies.ts'
import type { Step, TagChoice } from './step.ts'

const few = fc.nat({ max: 3 })
const tag = seldom(fc.constantFrom<TagChoice>('current', 'current', 'stale', 'weak', 'any', 'unknown'))
const as = seldom(few)
const idempotencyKey = seldom(few)
const cursor = maybe(fc.constantFrom('last' as const, 'last' as const, 'last' as const, 'junk' as const))
const limit = maybe(fc.constantFrom('1', '2', '1000', '0', 'two'))

const query = (names: Record<string, fc.Arbitrary<string | undefined>>): fc.Arbitrary<Record<string, string>> =>
  fc.record(names).map((drawn) => given(drawn) as Record<string, string>)

const page = { query: query({ limit }), cursor, as }

const step = (
  operation: Step['operation'],
  fields: { [Field in keyof Step]?: fc.Arbitrary<Step[Field] | undefined> },
): fc.Arbitrary<Step> => fc.record(fields as Record<string, fc.Arbitrary<unknown>>).map((drawn) => ({ operation, ...given(drawn) }))

const provider = fc.constantFrom('mailgun', 'mailgun', 'mailgun', 'teams', 'smtp')

const putIntegration = fc
  .tuple(step('integrations.put', { project: few, ifMatch: tag }), integration)
  .map(([drawn, { source_type, body }]): Step => ({ ...drawn, source_type, body }))

const notificationFilters = query({
  project_id: fc.constant('$project'),
  flow_id: seldom(fc.constant('$flow')),
  status: seldom(fc.constantFrom('queued', 'sent', 'lost')),
  limit,
})

/** A parameter that nothing takes, now and then. */
const stray = seldom(query({ colour: fc.constantFrom('red', undefined) }))
/** A body that an operation does not take, now and then. */
const unwanted = seldom(fc.constantFrom<Body>({}, { force: true }))

/** What is drawn, and how often. */
const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [6, step('projects.create', { body: projectBody, query: stray, idempotencyKey, as })],
  [2, step('projects.list', page)],
  [2, step('projects.get', { project: few, ifNoneMatch: tag, as })],
  [3, step('projects.update', { project: few, body: projectBody, ifMatch: tag, as })],
  [1, step('projects.delete', { project: few, ifMatch: tag, as })],
  [1, step('projects.deleteByQuery', { project: few, query: query({ project_id: fc.constantFrom('$project', 'nonsense', undefined) }) })],
  [6, step('flows.create', { project: few, body: newFlowBody, idempotencyKey, as })],
  [2, step('flows.list', { project: few, ...page })],
  [2, step('flows.get', { project: seldom(few), flow: few, ifNoneMatch: tag, as })],
  [2, step('flows.update', { flow: few, body: wholeFlowBody, ifMatch: tag })],
  [3, step('flows.patch', { flow: few, body: someFlowBody, ifMatch: tag, as })],
  [1, step('flows.delete', { flow: few, body: unwanted, query: stray, ifMatch: tag })],
  [1, step('flows.check', { flow: few, body: unwanted, query: stray, as })],
  [3, putIntegration],
  [1, step('integrations.get', { project: few, source_type: provider, ifNoneMatch: tag, as })],
  [1, step('integrations.list', { project: few, ...page })],
  [1, step('integrations.delete', { project: few, source_type: provider, ifMatch: tag })],
  [1, step('providers.list', page)],
  [2, step('apiKeys.create', { project: few, body: apiKeyBody, as })],
  [1, step('apiKeys.list', { as })],
  [1, step('apiKeys.delete', { apiKey: few, as })],
  [6, step('notifications.send', { project: few, flow: few, body: messageBody, query: stray, idempotencyKey, as })],
  [3, step('notifications.preview', { project: few, flow: few, body: messageBody, as })],
  [2, step('notifications.list', { project: few, flow: few, ...page, query: notificationFilters })],
  [2, step('notifications.get', { notification: few, as })],
  [2, step('notifications.deliveries', { notification: few, ...page })],
  [2, step('notifications.retry', { notification: few, body: unwanted, idempotencyKey, as })],
  [3, step('notifications.cancel', { notification: few, body: unwanted, idempotencyKey, as })],
]

/** What nearly every sequence begins with, so that what follows finds something. */
const beginning = [
  fc.constant<Step>({ operation: 'projects.create', body: { name: '$name0' } }),
  fc.constant<Step>({ operation: 'projects.create', body: { name: '$name1' } }),
  step('flows.create', { project: fc.constant(0), body: newFlowBody }),
  step('flows.create', { project: few, body: newFlowBody }),
].map((arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 15 }))

/**
 * Draws sequences of requests: creates, renames, repeated idempotency keys, pages, deletes, sends, retries, cancels, and
 * now and then what is wrong or not allowed. They shrink to the shortest that still shows a difference.
 *
 * Both servers must capture what they have no credentials for, have none, and serve the providers of Flowpost: then no
 * request of a sequence leaves the machine.
 *
 * @param maxLength Most requests of a sequence after its beginning. Default 30.
 */
export const drawSteps = (maxLength = 30): fc.Arbitrary<Step[]> => {
  const any = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
  const further = fc.array(any, { minLength: 1, maxLength, size: 'max' })
  return fc.tuple(fc.tuple(...beginning), further).map(([first, rest]) => [...first.filter((each) => each !== undefined), ...rest])
}
