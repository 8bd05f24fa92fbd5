import { assert, assertEqual } from '../assertions.ts'
import { createFailed, createScheduled, runToEnd } from '../bulk-actions.ts'
import { idOf } from '../pages.ts'
import { createScheduledNotification, samples, uniqueAddress } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { createOpenFlow } from './suppressions.ts'

const inBody = (['notifications.send', 'notifications.preview', 'apiKeys.create'] as const).map((operation) =>
  scenario(
    operation,
    404,
    "returns not_found for another user's project",
    async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      const { json } = await samples[operation](context)
      const key = context.target.otherApiKey ?? null
      await context.http.expect(operation, 404, { json: { ...(json as object), project_id: project.id }, key }, 'not_found')
      assertEqual((await context.client.notifications.list({ project_id: project.id })).data, [], "the project's notifications")
    },
    ['otherApiKey'],
  ),
)

/** Scenarios about the isolation of projects and users. */
export const isolationScenarios: readonly Scenario[] = [
  ...inBody,

  scenario('flows.list', 200, "lists only the project's flows", async (context) => {
    const [project, other] = [await context.createProject(), await context.createProject()]
    const flow = await context.createFlow(project)
    await context.createFlow(other)
    const { data } = await context.client.flows.list(project.id)
    assertEqual(
      data.map(({ id }) => id),
      [flow.id],
      'the listed ids',
    )
  }),

  scenario('integrations.list', 200, "lists only the project's integrations", async (context) => {
    const [project, other] = [await context.createProject(), await context.createProject()]
    const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }
    await context.client.integrations.put(other.id, 'smtp', { settings })
    assertEqual((await context.client.integrations.list(project.id)).data, [], 'the listed integrations')
  }),

  scenario(
    'notifications.list',
    200,
    "omits other users' notifications",
    async (context) => {
      const { notification } = await createScheduledNotification(context)
      // One page suffices, because the list starts with the newest notifications.
      const { data } = await context.otherClient().notifications.list()
      assert(!data.some(({ id }) => id === notification.id), "the list must not contain another user's notification")
    },
    ['otherApiKey'],
  ),

  scenario(
    'notifications.list',
    200,
    "omits other users' notifications that match a filter",
    async (context) => {
      const { send, later } = await createOpenFlow(context)
      const [target, reference] = [uniqueAddress(context), context.uniqueName()]
      const { id: queued } = await send({ target, reference, send_at: await later() })
      context.onCleanup(({ client }) => client.notifications.cancel(queued))
      const { ids, code } = await createFailed(context, 1)
      const [failed] = ids
      for (const [query, id] of [
        [{ reference }, queued],
        [{ target }, queued],
        [{ status: 'queued' }, queued],
        [{ source_type: 'smtp' }, failed],
        [{ failure_kind: 'target' }, failed],
        [{ failure_code: code }, failed],
      ] as const) {
        const filter = `the filter ${JSON.stringify(query)}`
        const own = await context.client.notifications.list({ ...query, limit: 100 })
        assert(own.data.map(idOf).includes(id ?? ''), `${filter} must find the user's own notification`)
        const other = await context.otherClient().notifications.list({ ...query, limit: 100 })
        assert(!other.data.map(idOf).includes(id ?? ''), `${filter} must not find another user's notification`)
      }
    },
    ['otherApiKey'],
  ),

  scenario(
    'bulkActions.list',
    200,
    "omits other users' actions",
    async (context) => {
      const { filter } = await createScheduled(context)
      const { id } = await runToEnd(context, { action: 'cancel', filter })
      const { data } = await context.otherClient().bulkActions.list()
      assert(!data.map(idOf).includes(id), "the list must not contain another user's action")
    },
    ['otherApiKey'],
  ),

  scenario(
    'notifications.list',
    404,
    "returns not_found for another user's project or flow",
    async (context) => {
      const { project, flow } = await createScheduledNotification(context)
      const other = context.otherClient()
      await context.expectFailure(other.notifications.list({ project_id: project.id }), 404, 'not_found')
      await context.expectFailure(other.notifications.list({ flow_id: flow.id }), 404, 'not_found')
    },
    ['otherApiKey'],
  ),
]
