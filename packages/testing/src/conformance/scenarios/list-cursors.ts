import { assertEqual } from '../assertions.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about the cursors of three lists: a project's integrations, a notification's deliveries, and a user's API keys. */
export const listCursorScenarios: readonly Scenario[] = [
  scenario('integrations.list', 400, "rejects another project's cursor", async (context) => {
    const [one, other] = [await context.createProject(), await context.createProject()]
    const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }
    await context.client.integrations.put(one.id, 'smtp', { settings })
    await context.client.integrations.put(one.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
    const { next_cursor } = await context.client.integrations.list(one.id, { limit: 1 })
    const cursor = next_cursor ?? ''
    await context.expectFailure(context.client.integrations.list(other.id, { cursor }), 400, 'invalid_cursor')
  }),

  scenario('notifications.deliveries', 400, "rejects another notification's cursor", async (context) => {
    const { project, body, notification } = await createScheduledNotification(context)
    await context.createFlow(project)
    const { id } = await context.client.notifications.send(body)
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const { next_cursor } = await context.client.notifications.deliveries(id, { limit: 1 })
    const cursor = next_cursor ?? ''
    await context.expectFailure(context.client.notifications.deliveries(notification.id, { cursor }), 400, 'invalid_cursor')
  }),

  scenario('apiKeys.list', 200, 'lists the keys in pages, oldest first', async (context) => {
    const { id: project_id } = await context.createProject()
    // A credential bound to a project lists only that project's keys.
    const first = await context.createKey({ project_id })
    const created = [first.id, (await context.createKey({ project_id })).id, (await context.createKey({ project_id })).id]
    const pages: string[][] = []
    let cursor: string | null = null
    do {
      const query: Record<string, string> = { limit: '2', ...(cursor === null ? {} : { cursor }) }
      const { json } = await context.http.expect('apiKeys.list', 200, { key: first.key, query })
      pages.push(json.data.map(({ id }: { id: string }) => id))
      cursor = json.next_cursor
    } while (cursor !== null && pages.length < 5)
    assertEqual(pages, [created.slice(0, 2), created.slice(2)], 'the ids on each page')
  }),
]
