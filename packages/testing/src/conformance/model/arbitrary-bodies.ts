import { scopes } from '@flowpost/contract'
import fc from 'fast-check'
import type { Json } from './sequence.ts'

/** The fields of a request body. */
export type Body = { readonly [field: string]: Json }

/** An optional value. */
export const optionally = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq: 3 })

/** A value in about one of nine cases. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

/** Removes the undefined fields of a generated body. */
export const omitUndefined = (drawn: object): Body =>
  Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as Body

/** Invalid fields with their values. */
const invalidField = fc.constantFrom<readonly [string, Json]>(
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
  ['secrets', []],
  ['scopes', []],
  ['expires_at', '2020-01-01T00:00:00Z'],
  ['project_id', 'nonsense'],
  ['name', 'a\u0000b'],
  ['a', { '\ud800': ['\u0000'] }],
)

const mostlyValid = (body: fc.Arbitrary<object>): fc.Arbitrary<Body> =>
  fc
    .tuple(body, rarely(invalidField))
    .map(([right, wrong]) => (wrong ? { ...omitUndefined(right), [wrong[0]]: wrong[1] } : omitUndefined(right)))

const merge = (pair: fc.Arbitrary<[object, object]>): fc.Arbitrary<object> => pair.map(([a, b]) => ({ ...a, ...b }))

const name = fc.constantFrom('$name0', '$name1', '$name2', ' $name3 ', 'cafe\u0301')
const templates = fc.constantFrom('{{message}}', "'{{subject}}': {{message}}\\n", '<p>{{message}}</p>', 'Hello', '{{messge}} {{ subject }}')
const texts = fc.constantFrom(
  'A & B',
  'one\ntwo',
  '<b>bold</b>',
  '{{subject}}',
  '\u{1f600} emoji',
  '*x* _y_ [z](https://example.com/a_b) @here',
)
const textType = fc.constantFrom('text/plain', 'text/html')
const receiver = fc.constantFrom(
  { source_type: 'smtp', target: 'ops@example.com' },
  { source_type: 'smtp', target: 'Ops@EXAMPLE.com' },
  { source_type: 'slack', target: 'C024BE91L' },
  { source_type: 'discord', target: 'ops-alerts' },
  { source_type: 'webhook', target: 'ops' },
)
const override = fc.constantFrom(
  'one@example.com',
  ' one@example.com;smtp:two@example.com ',
  'slack:C024BE91L',
  'one@example.com;one@EXAMPLE.com',
  'C024BE91L;one@example.com',
  'pigeon:coop',
  'ops;discord:dev',
  'one@example.com;',
)

const flowFields = fc.record({
  name,
  active: fc.boolean(),
  override_target: fc.boolean(),
  message_template: templates,
  message_template_type: textType,
})
const someFlowFields = fc.record({
  name: optionally(name),
  active: optionally(fc.boolean()),
  override_target: optionally(fc.boolean()),
  message_template: optionally(templates),
  message_template_type: optionally(textType),
})

/** The body to create or rename a project. */
export const projectBody = mostlyValid(fc.record({ name }))

/** The body to create a flow. */
export const newFlowBody = mostlyValid(merge(fc.tuple(receiver, merge(fc.tuple(someFlowFields, fc.record({ name }))))))

/** The body to replace a flow. */
export const wholeFlowBody = mostlyValid(merge(fc.tuple(receiver, flowFields)))

/** The body to patch a flow, sometimes with only one of provider and target. */
export const someFlowBody = mostlyValid(
  merge(
    fc.tuple(
      someFlowFields,
      fc.record({
        target: rarely(fc.constantFrom('new@example.com', 'C0000000AA', 'dev')),
        source_type: rarely(fc.constantFrom('smtp', 'slack', 'webhook')),
      }),
    ),
  ),
)

/** The body of a notification. */
export const messageBody = mostlyValid(
  fc.record({
    project_id: fc.constant('$project'),
    subject: texts.map((text) => text.replace(/\n/g, ' ')),
    message: texts,
    message_type: optionally(textType),
    target: rarely(override),
    flow_id: rarely(fc.constant('$flow')),
    send_at: optionally(fc.constant('$later')),
  }),
)

/** The body to create an API key. */
export const apiKeyBody = mostlyValid(
  fc.record({
    name,
    scopes: optionally(fc.subarray([...scopes], { minLength: 1 })),
    project_id: optionally(fc.constant('$project')),
  }),
)

/** A provider with credentials. No flow uses these providers, so nothing leaves the machine. */
export const integration: fc.Arbitrary<{ source_type: string; body: Body }> = fc.oneof(
  fc.record({
    source_type: fc.constantFrom('mailgun', 'mailgun', 'mailgun', 'pigeon'),
    body: mostlyValid(
      fc.record({
        settings: fc.constantFrom<Json>(
          { domain: 'mail.example.com', from: 'a@example.com' },
          { domain: 'mail.example.com', from: 'b@example.com' },
          { domain: 'mail.example.com', region: 'eu', from: 'Ops <a@example.com>', test_mode: true },
          { domain: '', region: 'mars', from: 'nobody' },
        ),
        secrets: fc.constantFrom<Json | undefined>(
          ...(['a', 'b', 'c'].map((api_key) => ({ api_key })) satisfies Json[]),
          { api_key: null },
          { apikey: 'a' },
          undefined,
        ),
      }),
    ),
  }),
  fc.record({
    source_type: fc.constant('teams'),
    body: mostlyValid(
      fc.record({
        settings: fc.constantFrom<Json>({}, { colour: 'red' }),
        secrets: optionally(
          fc.constantFrom<Json>(
            { urls: { ops: 'https://a.logic.azure.com/x' } },
            { urls: { ops: 'https://a.logic.azure.com/y', dev: 'https://b.api.powerplatform.com/z' } },
            { urls: { 'Not A Name': 'http://example.com' } },
            { urls: null },
            { urls: 7 },
          ),
        ),
      }),
    ),
  }),
)
