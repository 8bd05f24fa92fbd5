import { isFlowpostError } from '@flowpost/client'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { startCliServer } from './run-cli.ts'

// Texts that are special in a source file: ends of strings and comments, placeholders, line breaks, invisible
// characters.
const special = [
  '`',
  "'",
  '"',
  '\\',
  '\\n',
  '\u0024{x}',
  '$',
  '*/',
  '//',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\u{1f600}',
  '<b>',
  '{{ subject }}',
  '{{Message}}',
]
const text = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.constantFrom(...special), fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' })), { minLength: 1, maxLength })
    .map((parts) => parts.join(''))

const key = fc.oneof(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,5}$/), fc.constantFrom('constructor', 'default', '0', '1'))

const flow = fc.record({
  key,
  name: text(3),
  active: fc.boolean(),
  override_target: fc.boolean(),
  message_template: fc.tuple(text(6), fc.constantFrom('', '{{message}}', '{{subject}}\n')).map((parts) => parts.join('')),
  message_template_type: fc.constantFrom('text/plain' as const, 'text/html' as const),
  source_type: fc.constant('smtp'),
  target: fc.constantFrom('ops@example.com', "o'brien@example.com"),
})

const integration = fc.constantFrom(
  { source_type: 'smtp', settings: { host: 'smtp.example.com', from: `"O'Brien" <a@example.com>` }, secrets: { password: 'p' } },
  { source_type: 'slack', settings: {}, secrets: { token: 'xoxb-1' } },
)

const endpoint = fc.record({
  key: fc.constantFrom('a', 'b-2', '3'),
  url: fc.constantFrom(null, "https://events.example.com/?a='b'"),
  events: fc.uniqueArray(fc.constantFrom('delivery.failed' as const, 'flow.unhealthy' as const), { minLength: 1 }),
  active: fc.boolean(),
  description: text(2),
})

const settings = fc.record({
  name: text(2),
  flows: fc.uniqueArray(flow, { selector: (each) => each.key, maxLength: 5 }),
  integrations: fc.uniqueArray(integration, { selector: (each) => each.source_type }),
  event_endpoints: fc.uniqueArray(endpoint, { selector: (each) => each.key, maxLength: 3 }),
})

/** Defines a test that stores random settings, pulls them to a file, and plans the file. */
export const describePullRoundTrip = (
  { mock, run }: Awaited<ReturnType<typeof startCliServer>>,
  options: { readonly runs: number; readonly seed: number },
): void => {
  it('plans no change for a pulled file', async () => {
    const { apply } = mock.client().settings
    let applied = 0
    await fc.assert(
      fc.asyncProperty(settings, async ({ name, ...drawn }) => {
        const document = { project: { key: 'round-trip', name }, ...drawn, prune: true }
        const isValid = await apply(document).then(
          () => true,
          (error: unknown) => (isFlowpostError(error) && error.code === 'validation_failed' ? false : Promise.reject(error)),
        )
        fc.pre(isValid)
        applied += 1
        expect(await run(['pull', 'round-trip.ts', '--project', 'round-trip', '--force'])).toMatchObject({ code: 0 })
        const { code, stdout, stderr } = await run(['plan', 'round-trip.ts', '--prune'])
        expect([code, stdout], stderr).toEqual([0, 'Nothing would change.\n'])
      }),
      { numRuns: options.runs, seed: options.seed },
    )
    expect(applied).toBeGreaterThanOrEqual(options.runs)
  })
}
