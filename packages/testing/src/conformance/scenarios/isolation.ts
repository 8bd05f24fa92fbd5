import { assert, assertEqual } from '../assertions.ts'
import { createScheduledNotification, samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const inBody = (['notifications.send', 'notifications.preview', 'apiKeys.create'] as const).map((operation) =>
  scenario(
    operation,
    404,
    'returns not_found for the project of another user',
    async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      const { json } = await samples[operation](context)
      const key = context.target.otherApiKey ?? null
      await context.http.expect(operation, 404, { json: { ...(json as object), project_id: project.id }, key }, 'not_found')
      assertEqual((await context.client.notifications.list({ project_id: project.id })).data, [], 'the notifications of the project')
    },
    ['otherApiKey'],
  ),
)

/** Scenarios about resources of other projects and other users. */
export const isolationScenarios: readonly Scenario[] = [
  ...inBody,

  scenario('flows.list', 200, 'lists only the flows of the project', async (context) => {
    const [project, other] = [await context.createProject(), await context.createProject()]
    const flow = await context.createFlow(project)
    await context.createFlow(other)
    const { data } = await context.client.flows.list(project.id)
    assertEqual(
      data.map(({ id }) => id),
      [flow.id],
      'ids',
    )
  }),

  scenario('integrations.list', 200, 'lists only the integrations of the project', async (context) => {
    const [project, other] = [await context.createProject(), await context.createProject()]
    const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }
    await context.client.integrations.put(other.id, 'smtp', { settings })
    assertEqual((await context.client.integrations.list(project.id)).data, [], 'integrations')
  }),

  scenario(
    'notifications.list',
    200,
    'omits the notifications of other users',
    async (context) => {
      const { notification } = await createScheduledNotification(context)
      // The list starts with the newest notifications.
      const { data } = await context.otherClient().notifications.list()
      assert(!data.some(({ id }) => id === notification.id), 'the list must not contain a notification of another user')
    },
    ['otherApiKey'],
  ),

  scenario(
    'notifications.list',
    404,
    'returns not_found for a project or flow of another user',
    async (context) => {
      const { project, flow } = await createScheduledNotification(context)
      const other = context.otherClient()
      await context.expectFailure(other.notifications.list({ project_id: project.id }), 404, 'not_found')
      await context.expectFailure(other.notifications.list({ flow_id: flow.id }), 404, 'not_found')
    },
    ['otherApiKey'],
  ),
]
