import { keyModes, scopes } from '@flowpost/contract'
import fc from 'fast-check'
import type { Json } from './sequence.ts'

/** The fields of a request body. */
export type Body = { readonly [field: string]: Json }

/** Creates an arbitrary that generates a value or `undefined`. */
export const optionally = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq: 3 })

/** Creates an arbitrary that generates a value in about one case in nine, otherwise `undefined`. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

/** Removes undefined fields from a generated body. */
export const omitUndefined = (drawn: object): Body =>
  Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as Body

/** A field name and an invalid value for the field. */
const invalidField = fc.constantFrom<readonly [string, Json]>(
  ['colour', 'red'],
  ['key', 'Two words'],
  ['name', ''],
  ['name', 7],
  ['name', '   '],
  ['name', 'two\nlines'],
  ['active', 'yes'],
  ['source_type', 'pigeon'],
  ['target', 'no where?'],
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

/** Creates an arbitrary for bodies that are usually valid. In about one case in nine, one field is made invalid. */
export const mostlyValid = (body: fc.Arbitrary<object>): fc.Arbitrary<Body> =>
  fc
    .tuple(body, rarely(invalidField))
    .map(([right, wrong]) => (wrong ? { ...omitUndefined(right), [wrong[0]]: wrong[1] } : omitUndefined(right)))

/** Merges two generated objects. */
export const merge = (pair: fc.Arbitrary<[object, object]>): fc.Arbitrary<object> => pair.map(([a, b]) => ({ ...a, ...b }))

/** The name of a project, a flow or an API key. */
export const name = fc.constantFrom('$name0', '$name0', '$NAME0', '$name1', '$name2', ' $name3 ', 'cafe\u0301', 'caf\u00e9')
const keys = { project: fc.constantFrom('$key0', '$key0', '$key1', null), flow: fc.constantFrom('ops', 'ops', 'alerts', null) }
const templates = fc.constantFrom('{{message}}', "'{{subject}}': {{message}}\\n", '<p>{{message}}</p>', 'Hello', '{{messge}} {{ subject }}')
/** Messages with special characters, such as line breaks, markup and emoji. */
export const texts = fc.constantFrom(
  'A & B',
  'one\ntwo',
  '<b>bold</b>',
  '{{subject}}',
  '\u{1f600} emoji',
  '*x* _y_ [z](https://example.com/a_b) @here',
)
/** The media type of a message or a template. */
export const textType = fc.constantFrom('text/plain', 'text/html')
const active = fc.constantFrom(true, true, true, false)

/** All fields for replacing a flow, except its provider and target. */
export const flowFields = fc.record({
  name,
  active,
  override_target: fc.boolean(),
  message_template: templates,
  message_template_type: textType,
})
/** Some of a flow's fields, without its provider and target. */
export const someFlowFields = fc.record({
  name: optionally(name),
  key: optionally(keys.flow),
  active: optionally(active),
  override_target: optionally(fc.boolean()),
  message_template: optionally(templates),
  message_template_type: optionally(textType),
})

/** The body for creating or renaming a project. */
export const projectBody = mostlyValid(fc.record({ name, key: optionally(keys.project) }))

const inactiveFlow = fc.record({
  key: fc.constantFrom('ops', 'ops', 'alerts'),
  name: fc.constantFrom('applied', 'applied again'),
  active: fc.constant(false),
  source_type: fc.constantFrom('smtp', 'mailgun'),
  target: fc.constantFrom('applied@example.com', 'Applied@EXAMPLE.com'),
  override_target: fc.boolean(),
  message_template: templates,
  message_template_type: fc.constant('text/plain'),
})

/** A settings document. Its flows are inactive, so that no message is sent to their targets. */
export const settingsBody = mostlyValid(
  fc.record({
    project: fc.record({ key: fc.constantFrom('$key0', '$key1'), name: fc.constantFrom('$name0', '$name1') }),
    flows: fc.array(inactiveFlow, { maxLength: 2 }),
    prune: optionally(fc.boolean()),
    dry_run: optionally(fc.boolean()),
  }),
)

/** The body for creating an API key. */
export const apiKeyBody = mostlyValid(
  fc.record({
    name,
    scopes: optionally(fc.subarray([...scopes], { minLength: 1 })),
    mode: rarely(fc.constantFrom(...keyModes)),
    project_id: optionally(fc.constant('$project')),
    expires_at: rarely(fc.constantFrom('$soon', '$later', '$earlier')),
  }),
)

/** Valid credentials for `mailgun`. */
export const mailgunBody: fc.Arbitrary<Body> = fc.record({
  settings: fc.constantFrom<Json>(
    { domain: 'mail.example.com', from: 'a@example.com' },
    { domain: 'mail.example.com', region: 'eu', from: 'Ops <a@example.com>', test_mode: true },
  ),
  secrets: fc.constantFrom<Json>({ api_key: 'a' }, { api_key: 'b' }),
})

/** Credentials for a provider, sometimes invalid. No active flow uses the provider, so nothing leaves the machine. */
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
