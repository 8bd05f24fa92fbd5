import { scopes } from '@flowpost/contract'
import fc from 'fast-check'
import type { Json, Step, TagChoice } from './step.ts'

const few = fc.nat({ max: 3 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq: 3 })
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const tag = seldom(fc.constantFrom<TagChoice>('current', 'current', 'stale', 'weak', 'any', 'unknown'))
const name = fc.constantFrom('$name0', '$name1', '$name2', ' $name3 ', 'caf\u0065\u0301')
const as = seldom(few)
const idempotencyKey = seldom(few)

const templates = fc.constantFrom('{{message}}', "'{{subject}}': {{message}}\\n", '<p>{{message}}</p>', 'Hello', '{{messge}} {{ subject }}')
const texts = fc.constantFrom('A & B', 'one\ntwo', '<b>bold</b>', '{{subject}}', 'x', '\u{1f600} emoji')
const textType = fc.constantFrom('text/plain', 'text/html')
const receiver = fc.constantFrom(
  { source_type: 'smtp', target: 'ops@example.com' },
  { source_type: 'smtp', target: 'Ops@EXAMPLE.com' },
  { source_type: 'slack', target: 'C024BE91L' },
)
const override = fc.constantFrom(
  'one@example.com',
  ' one@example.com;smtp:two@example.com ',
  'slack:C024BE91L',
  'one@example.com;one@EXAMPLE.com',
  'C024BE91L;one@example.com',
  'pigeon:coop',
  'one@example.com;',
)

/** Things that a body must not have, each a field and its value. */
const junk: fc.Arbitrary<readonly [string, Json]> = fc.constantFrom<readonly [string, Json]>(
  ['colour', 'red'],
  ['name', ''],
  ['name', 7],
  ['name', 'two\nlines'],
  ['active', 'yes'],
  ['source_type', 'pigeon'],
  ['target', 'nowhere'],
  ['target', null],
  ['message_template', ''],
  ['message_template_type', 'text/rtf'],
  ['subject', 'two\r\nlines'],
  ['message', ''],
  ['send_at', 'tomorrow'],
  ['send_at', '2999-01-01T00:00:00Z'],
  ['settings', { host: '' }],
  ['scopes', []],
  ['expires_at', '2020-01-01T00:00:00Z'],
  ['project_id', 'nonsense'],
)

type Body = { readonly [field: string]: Json }

/** A body that is right most of the time. */
const mostlyRight = (body: fc.Arbitrary<object>): fc.Arbitrary<Body> =>
  fc.tuple(body, seldom(junk)).map(([right, wrong]) => {
    const fields = Object.fromEntries(Object.entries(right).filter(([, value]) => value !== undefined)) as Body
    return wrong ? { ...fields, [wrong[0]]: wrong[1] } : fields
  })

const step = (
  operation: Step['operation'],
  fields: { [Field in keyof Step]?: fc.Arbitrary<Step[Field] | undefined> },
): fc.Arbitrary<Step> =>
  fc
    .record(fields as Record<string, fc.Arbitrary<unknown>>)
    .map((drawn) => ({ operation, ...Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) }))

const query = (names: Record<string, fc.Arbitrary<string | undefined>>) =>
  fc
    .record(names)
    .map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as Record<string, string>)

const limit = maybe(fc.constantFrom('1', '2', '1000', '0', 'two'))
const cursor = maybe(fc.constantFrom('last' as const, 'last' as const, 'last' as const, 'junk' as const))

const flowBody = fc.tuple(
  receiver,
  fc.record({
    name,
    active: maybe(fc.boolean()),
    override_target: maybe(fc.boolean()),
    message_template: maybe(templates),
    message_template_type: maybe(textType),
  }),
)
const wholeFlow = fc.tuple(
  receiver,
  fc.record({ name, active: fc.boolean(), override_target: fc.boolean(), message_template: templates, message_template_type: textType }),
)
const someFlow = fc.record({
  name: maybe(name),
  active: maybe(fc.boolean()),
  target: seldom(fc.constantFrom('new@example.com', 'C0000000AA')),
  source_type: seldom(fc.constantFrom('smtp', 'slack')),
})
const merged = (pair: fc.Arbitrary<[object, object]>) => pair.map(([a, b]) => ({ ...a, ...b }))
const message = fc.record({
  project_id: fc.constant('$project'),
  subject: texts.map((text) => text.replace(/\n/g, ' ')),
  message: texts,
  message_type: maybe(textType),
  target: seldom(override),
  flow_id: seldom(fc.constant('$flow')),
  send_at: maybe(fc.constant('$later')),
})
// Credentials of a provider that nothing is sent through, so that no request leaves the machine.
const integration = fc.record({
  settings: fc.constantFrom<Json>(
    { domain: 'mail.example.com', from: 'a@example.com' },
    { domain: 'mail.example.com', region: 'eu', from: 'Ops <a@example.com>', test_mode: true },
    { domain: '', region: 'mars', from: 'nobody' },
  ),
  secrets: maybe(fc.constantFrom<Json>({ api_key: 'a' }, { api_key: null }, { apikey: 'a' }, {})),
})

const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [6, step('projects.create', { body: mostlyRight(fc.record({ name })), idempotencyKey, as })],
  [2, step('projects.list', { query: query({ limit }), cursor, as })],
  [2, step('projects.get', { project: few, ifNoneMatch: tag, as })],
  [3, step('projects.update', { project: few, body: mostlyRight(fc.record({ name })), ifMatch: tag, as })],
  [1, step('projects.delete', { project: few, ifMatch: tag, as })],
  [1, step('projects.deleteByQuery', { query: query({ project_id: fc.constantFrom('$project', 'nonsense', undefined) }), project: few })],
  [6, step('flows.create', { project: few, body: mostlyRight(merged(flowBody)), idempotencyKey, as })],
  [2, step('flows.list', { project: few, query: query({ limit }), cursor, as })],
  [2, step('flows.get', { project: seldom(few), flow: few, ifNoneMatch: tag, as })],
  [2, step('flows.update', { flow: few, body: mostlyRight(merged(wholeFlow)), ifMatch: tag })],
  [3, step('flows.patch', { flow: few, body: mostlyRight(someFlow), ifMatch: tag, as })],
  [1, step('flows.delete', { flow: few, ifMatch: tag })],
  [
    1,
    step('integrations.put', {
      project: few,
      source_type: fc.constantFrom('mailgun', 'mailgun', 'pigeon'),
      body: mostlyRight(integration),
      ifMatch: tag,
    }),
  ],
  [1, step('integrations.get', { project: few, ifNoneMatch: tag, as })],
  [1, step('integrations.list', { project: few, query: query({ limit }), cursor })],
  [1, step('integrations.delete', { project: few, ifMatch: tag })],
  [1, step('providers.list', { query: query({ limit }), cursor, as })],
  [
    2,
    step('apiKeys.create', {
      project: few,
      body: mostlyRight(
        fc.record({ name, scopes: maybe(fc.subarray([...scopes], { minLength: 1 })), project_id: maybe(fc.constant('$project')) }),
      ),
      as,
    }),
  ],
  [1, step('apiKeys.list', { as })],
  [1, step('apiKeys.delete', { apiKey: few, as })],
  [6, step('notifications.send', { project: few, flow: few, body: mostlyRight(message), idempotencyKey, as })],
  [3, step('notifications.preview', { project: few, flow: few, body: mostlyRight(message), as })],
  [
    2,
    step('notifications.list', {
      project: few,
      flow: few,
      query: query({
        project_id: fc.constant('$project'),
        flow_id: seldom(fc.constant('$flow')),
        status: seldom(fc.constantFrom('queued', 'sent', 'lost')),
        limit,
      }),
      cursor,
      as,
    }),
  ],
  [2, step('notifications.get', { notification: few, as })],
  [2, step('notifications.deliveries', { notification: few, query: query({ limit }), cursor, as })],
  [2, step('notifications.retry', { notification: few, idempotencyKey, as })],
  [3, step('notifications.cancel', { notification: few, idempotencyKey, as })],
]

/** What nearly every sequence begins with, so that what follows finds something. */
const beginning: readonly fc.Arbitrary<Step | undefined>[] = [
  fc.constant<Step>({ operation: 'projects.create', body: { name: '$name0' } }),
  fc.constant<Step>({ operation: 'projects.create', body: { name: '$name1' } }),
  step('flows.create', { project: fc.constant(0), body: merged(flowBody) as fc.Arbitrary<Body> }),
  step('flows.create', { project: few, body: merged(flowBody) as fc.Arbitrary<Body> }),
].map((arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 15 }))

/**
 * Draws sequences of requests: creates, renames, repeated idempotency keys, pages, deletes, sends, retries, cancels, and
 * now and then what is wrong or not allowed. They shrink to the shortest that still shows a difference.
 *
 * @param maxLength Most requests of a sequence. Default 30.
 */
export const drawSteps = (maxLength = 30): fc.Arbitrary<Step[]> => {
  const further = fc.array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
    minLength: 1,
    maxLength,
    size: 'max',
  })
  return fc.tuple(fc.tuple(...beginning), further).map(([first, rest]) => [...first.filter((each) => each !== undefined), ...rest])
}
