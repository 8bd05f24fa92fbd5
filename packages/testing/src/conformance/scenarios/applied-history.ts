import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, flowOf, password, smtp } from '../settings-documents.ts'
import { historyOf, summarize } from '../settings-history.ts'

const endpoint = { key: 'billing', url: null, events: ['delivery.failed' as const], active: false, description: '' }

/** Scenarios about the settings history of a project after a settings document is applied. */
export const appliedHistoryScenarios: readonly Scenario[] = [
  scenario(
    'settings.history',
    200,
    'records each resource that a document creates, changes or deletes, all with the same request id',
    async (context) => {
      const { document, projectId } = await create(context, {
        integrations: [{ ...smtp, secrets: password }],
        event_endpoints: [endpoint],
      })
      const created = await historyOf(context, projectId)
      assertEqual(
        summarize(created).toSorted(),
        [
          ['create', 'event_endpoint', 'billing', []],
          ['create', 'flow', 'alerts', []],
          ['create', 'flow', 'ops', []],
          ['create', 'integration', 'smtp', []],
          ['create', 'project', document.project.key, []],
        ],
        'the entries for the new project',
      )
      assertEqual(new Set(created.map(({ request_id }) => request_id)).size, 1, 'number of distinct request ids')
      assert(created[0]?.kind === 'project', "the project's creation must be the first entry", summarize(created))

      await apply(context, {
        ...document,
        flows: [flowOf(context, 'ops', { active: false }), flowOf(context, 'new')],
        integrations: [{ ...smtp, settings: { ...smtp.settings, from: 'other@example.com' } }],
        event_endpoints: [{ ...endpoint, description: 'changed' }],
        prune: true,
      })
      const changes = (await historyOf(context, projectId)).slice(created.length)
      assertEqual(
        summarize(changes).toSorted(),
        [
          ['create', 'flow', 'new', []],
          ['delete', 'flow', 'alerts', []],
          ['update', 'event_endpoint', 'billing', ['/description']],
          ['update', 'flow', 'ops', ['/active']],
          ['update', 'integration', 'smtp', ['/settings/from']],
        ],
        'the entries for the changed project',
      )
      assert(!JSON.stringify(changes).includes(password.password), 'the history must not contain a secret')
    },
  ),

  scenario('settings.history', 200, 'records the integrations and endpoints that a document deletes', async (context) => {
    const { document, projectId } = await create(context, { integrations: [smtp], event_endpoints: [endpoint] })
    const { length } = await historyOf(context, projectId)
    const name = context.uniqueName()
    await apply(context, { ...document, project: { ...document.project, name }, integrations: [], event_endpoints: [], prune: true })
    const changes = (await historyOf(context, projectId)).slice(length)
    assertEqual(
      summarize(changes).toSorted(),
      [
        ['delete', 'event_endpoint', 'billing', []],
        ['delete', 'integration', 'smtp', []],
        ['update', 'project', document.project.key, ['/name']],
      ],
      'entries',
    )
    assertIncludes(
      changes.find(({ kind }) => kind === 'integration'),
      { before: { settings: smtp.settings }, after: null },
      "the deleted integration's entry",
    )
  }),

  scenario('settings.history', 200, 'records nothing for a dry run or for a document without changes', async (context) => {
    const { document, projectId } = await create(context, { integrations: [smtp], event_endpoints: [endpoint] })
    const before = await historyOf(context, projectId)
    await apply(context, document)
    await apply(context, { ...document, flows: [], prune: true, dry_run: true })
    assertEqual(await historyOf(context, projectId), before, 'the history after both requests')
  }),
]
