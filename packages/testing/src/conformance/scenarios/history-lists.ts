import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { collectIds, idOf } from '../pages.ts'
import { unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Creates a project with a flow and changes the flow once. */
const createChangedFlow = async (context: ScenarioContext) => {
  const project = await context.createProject()
  const flow = await context.createFlow(project)
  await context.client.flows.patch(project.id, flow.id, { active: false })
  return { project, flow }
}

/** Scenarios about paging through the settings history, and about access to its entries. */
export const historyListScenarios: readonly Scenario[] = [
  scenario('settings.history', 200, 'lists the changes in pages, newest first', async (context) => {
    const { project, flow } = await createChangedFlow(context)
    for (const active of [true, false, true]) await context.client.flows.patch(project.id, flow.id, { active })
    const { data, next_cursor } = await context.client.settings.history({ project_id: project.id })
    assertEqual([data.length, next_cursor], [6, null], 'number of entries, and next_cursor')
    assertEqual(
      data.map(({ action, kind, after }) => [action, kind, (after as { active?: boolean }).active ?? null]),
      [
        ['update', 'flow', true],
        ['update', 'flow', false],
        ['update', 'flow', true],
        ['update', 'flow', false],
        ['create', 'flow', true],
        ['create', 'project', null],
      ],
      'entries',
    )
    const ids = data.map(idOf)
    const pages = await collectIds(context.client.settings.history({ project_id: project.id, limit: 4 }))
    assertEqual(pages, [ids.slice(0, 4), ids.slice(4)], 'the entry ids on each page')
    const newest = await context.client.settings.history({ limit: 1000 })
    assert(
      ids.every((id) => newest.data.map(idOf).includes(id)),
      'without a project filter, the list must contain the changes to this project',
    )
  }),

  scenario('settings.history', 200, 'lists only changes to the given project', async (context) => {
    const [{ project }, other] = [await createChangedFlow(context), await createChangedFlow(context)]
    const { data } = await context.client.settings.history({ project_id: project.id, limit: 1000 })
    assertEqual(
      data.map(({ project_id }) => project_id),
      [project.id, project.id, project.id],
      'the project ids in the entries',
    )
    const { key } = await context.createKey({ project_id: project.id })
    const bound = await context.http.expect('settings.history', 200, { key })
    assertEqual(bound.json.data.map(idOf), data.map(idOf), 'the entry ids listed for a credential bound to the project')
    await context.http.expect('settings.history', 404, { key, query: { project_id: other.project.id } }, 'not_found')
  }),

  scenario('settings.history', 404, 'returns not_found for an unknown project', async (context) => {
    for (const project_id of [unknownId('project'), 'nonsense', ''])
      await context.expectFailure(context.client.settings.history({ project_id }), 404, 'not_found')
  }),

  scenario(
    'settings.history',
    404,
    "does not return another user's changes",
    async (context) => {
      const { project } = await createChangedFlow(context)
      const other = context.otherClient()
      await context.expectFailure(other.settings.history({ project_id: project.id }), 404, 'not_found')
      const { data } = await other.settings.history({ limit: 1000 })
      assert(!data.some(({ project_id }) => project_id === project.id), "the list must not contain another user's changes")
    },
    ['otherApiKey'],
  ),

  scenario('settings.history', 400, "rejects another project's cursor", async (context) => {
    const [one, other] = [await createChangedFlow(context), await createChangedFlow(context)]
    const { next_cursor } = await context.client.settings.history({ project_id: one.project.id, limit: 1 })
    const cursor = next_cursor ?? ''
    await context.expectFailure(context.client.settings.history({ project_id: other.project.id, cursor }), 400, 'invalid_cursor')
  }),
]
