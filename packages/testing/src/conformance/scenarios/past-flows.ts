import type { Flow } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { momentAfter } from '../settings-history.ts'

/**
 * Creates a flow and changes it once. Returns both versions, and times before the creation, before the change, and after
 * the change.
 */
const createChangedFlow = async (context: ScenarioContext) => {
  const project = await context.createProject()
  const beforeCreation = await momentAfter(context, project.created_at)
  const created = await context.createFlow(project)
  const first = await momentAfter(context, created.updated_at)
  const changed = await context.client.flows.patch(project.id, created.id, { active: false, message_template: 'New: {{message}}' })
  const second = await momentAfter(context, changed.updated_at)
  const params = { project_id: project.id, flow_id: created.id }
  return { project, created, changed, beforeCreation, first, second, params }
}

/** Returns a flow without its health, which is unknown in past versions. */
const settingsOf = ({ health: _, ...flow }: Flow) => flow

/** Scenarios about past versions of flows. */
export const pastFlowScenarios: readonly Scenario[] = [
  scenario('flows.get', 200, 'returns the flow as it was at a given time', async (context) => {
    const { params, project, created, changed, first, second } = await createChangedFlow(context)
    const at = (moment: string) => context.client.flows.get(project.id, created.id, { at: moment })
    const past = await at(first)
    assertEqual(settingsOf(past), settingsOf(created), 'the flow before its change')
    assertIncludes(past.health, { status: 'unknown' }, 'the health in a past version')
    assertEqual(settingsOf(await at(second)), settingsOf(changed), 'the flow after its change')
    assertEqual(settingsOf(await at(created.created_at)), settingsOf(created), 'the flow at the time of its creation')
    assertEqual(settingsOf(await at(changed.updated_at)), settingsOf(changed), 'the flow at the time of its change')
    const offset = `${new Date(Date.parse(first) + 3_600_000).toISOString().slice(0, -1)}+01:00`
    assertEqual(settingsOf(await at(offset)), settingsOf(created), 'the flow at a time with a UTC offset')
    assertEqual(await context.client.flows.get(project.id, created.id), changed, 'the current flow')
    const etags = await Promise.all(
      [first, second].map(async (moment) =>
        (await context.http.expect('flows.get', 200, { params, query: { at: moment } })).headers.get('etag'),
      ),
    )
    assert(etags[0] !== etags[1], 'versions with different settings must have different ETags', etags)
  }),

  scenario('flows.get', 200, 'returns a past version of a deleted flow', async (context) => {
    const { project, created, changed, second, first } = await createChangedFlow(context)
    await context.client.flows.delete(project.id, created.id)
    const at = (moment: string) => context.client.flows.get(project.id, created.id, { at: moment })
    assertEqual(settingsOf(await at(second)), settingsOf(changed), 'the flow before its deletion')
    assertEqual(settingsOf(await at(first)), settingsOf(created), 'the flow before its change')
    const afterDeletion = await momentAfter(context, await context.serverTime(0))
    await context.expectFailure(at(afterDeletion), 404, 'not_found')
    await context.expectFailure(context.client.flows.get(project.id, created.id), 404, 'not_found')
  }),

  scenario('flows.get', 404, 'returns not_found for a time before the flow was created', async (context) => {
    const { project, created, beforeCreation } = await createChangedFlow(context)
    await context.expectFailure(context.client.flows.get(project.id, created.id, { at: beforeCreation }), 404, 'not_found')
  }),

  scenario('flows.get', 404, "returns not_found for a past version of another project's flow", async (context) => {
    const { created, first, params } = await createChangedFlow(context)
    const other = await context.createProject()
    await context.expectFailure(context.client.flows.get(other.id, created.id, { at: first }), 404, 'not_found')
    const { key } = await context.createKey({ project_id: other.id })
    await context.http.expect('flows.get', 404, { params, query: { at: first }, key }, 'not_found')
  }),

  scenario(
    'flows.get',
    404,
    "returns not_found for a past version of another user's flow",
    async (context) => {
      const { project, created, first } = await createChangedFlow(context)
      await context.expectFailure(context.otherClient().flows.get(project.id, created.id, { at: first }), 404, 'not_found')
    },
    ['otherApiKey'],
  ),

  scenario('flows.get', 422, 'rejects a time that is in the future, too far in the past, or malformed', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const params = { project_id: project.id, flow_id: flow.id }
    for (const [at, code] of [
      [await context.serverTime(3_600_000), 'too_big'],
      ['1999-12-31T23:59:59Z', 'too_small'],
      ['yesterday', 'invalid_value'],
      ['2026-11-21', 'invalid_value'],
      ['', 'invalid_value'],
    ] as const) {
      const { json } = await context.http.expect('flows.get', 422, { params, query: { at } }, 'validation_failed')
      assertIncludes(json.errors, [{ in: 'query', pointer: '/at', code }], `errors for ${at}`)
    }
  }),
]
