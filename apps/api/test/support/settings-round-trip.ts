import type { Flowpost, SettingsApply } from '@flowpost/client'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-composite' }).filter((value) => /^[^\p{C}\p{Z}]+$/u.test(value))
const key = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,5}$/)
const receiver = fc.constantFrom(
  { source_type: 'smtp', target: 'Ops@EXAMPLE.com' },
  { source_type: 'mailgun', target: 'ops@example.com' },
  { source_type: 'slack', target: 'C024BE91L' },
  { source_type: 'webhook', target: 'ops' },
)

const flow = fc
  .tuple(
    receiver,
    fc.record({
      key,
      name: text,
      active: fc.boolean(),
      override_target: fc.boolean(),
      message_template: fc.oneof(text, fc.constantFrom('{{message}}', '<b>{{subject}}</b>\n{{message}}')),
      message_template_type: fc.constantFrom('text/plain' as const, 'text/html' as const),
    }),
  )
  .map(([to, fields]) => ({ ...fields, ...to }))

const integration = fc.constantFrom(
  { source_type: 'smtp', settings: { host: 'smtp.example.com', from: 'a@example.com' }, secrets: { password: 'p' } },
  { source_type: 'mailgun', settings: { from: 'a@example.com', domain: 'mg.example.com' }, secrets: { api_key: 'k' } },
  { source_type: 'slack', settings: {}, secrets: { token: 'xoxb-1' } },
)

/** Settings of a project with their keys. */
const settings = fc.record({
  flows: fc.uniqueArray(flow, { selector: (each) => each.key, maxLength: 6 }),
  integrations: fc.uniqueArray(integration, { selector: (each) => each.source_type }),
  prune: fc.boolean(),
})

/** Defines a test that applies random settings to one project, and then applies what is exported. */
export const describeSettingsRoundTrip = (
  where: string,
  client: () => Flowpost,
  options: { readonly runs: number; readonly seed: number },
): void => {
  it(`changes nothing if the exported document is applied ${where}`, async () => {
    const flowpost = client()
    const project = { key: `round-trip-${options.seed}`, name: `Round trip ${options.seed}` }
    await fc.assert(
      fc.asyncProperty(settings, async (drawn) => {
        const applied = await flowpost.settings.apply({ project, ...drawn })
        const projectId = applied.project_id ?? ''
        const exported = await flowpost.settings.export(projectId)
        expect(exported.digest).toBe(applied.digest)
        const keys = exported.document.flows.map((each) => each.key)
        expect(keys).toEqual(expect.arrayContaining(drawn.flows.map((each) => each.key)))
        if (drawn.prune) expect(keys).toHaveLength(drawn.flows.length)
        const document = exported.document as Omit<SettingsApply, 'prune'>
        const again = await flowpost.settings.apply({ ...document, prune: true }, { ifMatch: `"${exported.digest}"` })
        expect(again.changes.filter(({ action }) => action !== 'none')).toEqual([])
        expect(await flowpost.settings.export(projectId)).toEqual(exported)
      }),
      { numRuns: options.runs, seed: options.seed },
    )
  })
}
