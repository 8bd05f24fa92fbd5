import type { Flowpost, SettingsApplied, SettingsApply } from '@flowpost/client'
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

// There are few keys, because a project can have only 20 endpoints, and endpoints from earlier runs may still exist.
const endpointKey = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '0-a', 'z-9')

const endpoint = fc.record({
  key: endpointKey,
  url: fc.constantFrom(null, 'https://events.example.com/', 'https://events.example.com/other?a=b'),
  events: fc.uniqueArray(fc.constantFrom('delivery.failed' as const, 'delivery.sent' as const, 'flow.unhealthy' as const), {
    minLength: 1,
  }),
  active: fc.boolean(),
  description: fc.oneof(fc.constant(''), text),
})

/** The generator of settings documents. All resources have keys. */
const settings = fc.record(
  {
    flows: fc.uniqueArray(flow, { selector: (each) => each.key, maxLength: 6 }),
    integrations: fc.uniqueArray(integration, { selector: (each) => each.source_type }),
    event_endpoints: fc.uniqueArray(endpoint, { selector: (each) => each.key, maxLength: 4 }),
    prune: fc.boolean(),
  },
  { requiredKeys: ['flows', 'prune'] },
)

const effects = ({ changes }: SettingsApplied) => changes.filter(({ action }) => action !== 'none')

/** Returns changes without the fields that are only known after the settings are applied. */
const planned = ({ changes }: SettingsApplied) => changes.map(({ id: _, secret: __, ...change }) => change)

const keysOf = (resources: readonly { readonly key: string }[]) => resources.map((each) => each.key)

/** Returns all resources without a key, as the API returns them. */
const readUnnamed = async (flowpost: Flowpost, projectId: string) => [
  (await flowpost.flows.list(projectId, { limit: 1000 })).data.filter((each) => each.key === null),
  (await flowpost.eventEndpoints.list(projectId, { limit: 1000 })).data.filter((each) => each.key === null),
]

/** Changes a project's settings through another operation, as another person might between a plan and its application. */
const disturb = async (flowpost: Flowpost, projectId: string, name: string): Promise<void> => {
  await flowpost.projects.update(projectId, (current) => ({ name: current.name === name ? `${name} by others` : name }))
}

/**
 * Defines a test that plans and applies random settings to one project, exports them, and plans again. In some runs, somebody
 * changes the settings between the plan and its application.
 */
export const describeSettingsRoundTrip = (
  where: string,
  client: () => Flowpost,
  options: { readonly runs: number; readonly seed: number },
): void => {
  it(`plans what it applies, and shows no difference afterwards, ${where}`, async () => {
    const flowpost = client()
    const project = { key: `round-trip-${options.seed}`, name: `Round trip ${options.seed}` }
    const projectId = (await flowpost.settings.apply({ project, flows: [] })).project_id ?? ''
    await flowpost.flows.create(projectId, { name: 'unnamed', source_type: 'smtp', target: 'ops@example.com' })
    await flowpost.eventEndpoints.create(projectId, { url: null, events: ['delivery.failed'] })
    const unnamed = await readUnnamed(flowpost, projectId)
    await fc.assert(
      fc.asyncProperty(settings, fc.boolean(), async (drawn, isDisturbed) => {
        const body: SettingsApply = { project, ...drawn }
        let plan = await flowpost.settings.apply({ ...body, dry_run: true })
        if (isDisturbed) {
          await disturb(flowpost, projectId, project.name)
          const disturbed = await flowpost.settings.export(projectId)
          const rejection = await flowpost.settings.apply(body, { ifMatch: `"${plan.digest}"` }).catch((error: unknown) => error)
          expect(rejection).toMatchObject({
            status: 412,
            code: 'etag_mismatch',
            message: expect.stringContaining('the latest change was made'),
          })
          expect(await flowpost.settings.export(projectId)).toEqual(disturbed)
          plan = await flowpost.settings.apply({ ...body, dry_run: true })
        }
        const applied = await flowpost.settings.apply(body, { ifMatch: `"${plan.digest}"` })
        expect(planned(applied)).toEqual(planned(plan))
        const exported = await flowpost.settings.export(projectId)
        expect(exported.digest).toBe(applied.digest)
        for (const name of ['flows', 'event_endpoints'] as const) {
          const keys = keysOf(exported.document[name])
          const given = drawn[name]
          if (given) expect(keys).toEqual(expect.arrayContaining(keysOf(given)))
          if (given && drawn.prune) expect(keys).toHaveLength(given.length)
        }
        const document = { ...(exported.document as Omit<SettingsApply, 'prune'>), prune: true }
        const again = await flowpost.settings.apply({ ...document, dry_run: true }, { ifMatch: `"${exported.digest}"` })
        expect([effects(again), again.digest]).toEqual([[], exported.digest])
        expect(await readUnnamed(flowpost, projectId)).toEqual(unnamed)
      }),
      { numRuns: options.runs, seed: options.seed },
    )
  })
}
