import { assertIncludes } from '../assertions.ts'
import { createFailed, runToEnd } from '../bulk-actions.ts'
import { type Scenario, scenario } from '../scenario.ts'

const pollMs = 50

/** Scenarios about deliveries that a bulk action selects but cannot change. */
export const skippedDeliveryScenarios: readonly Scenario[] = [
  scenario('bulkActions.create', 202, 'skips the deliveries of a deleted flow', async (context) => {
    const { filter, project, flow, ids } = await createFailed(context, 1)
    await context.client.flows.delete(project.id, flow.id)
    assertIncludes(await runToEnd(context, { action: 'retry', filter }), { matched: 1, done: 0, skipped: 1 }, 'the action')
    assertIncludes(await context.client.notifications.get(ids[0] ?? ''), { status: 'failed' }, 'the notification')
  }),

  scenario(
    'bulkActions.create',
    202,
    'does not let a test key retry live deliveries',
    async (context) => {
      const { source_type, target, settings, secrets } = context.unconfiguredProvider()
      const project = await context.createProject()
      await context.client.integrations.put(project.id, source_type, { settings, secrets })
      await context.createFlow(project, { source_type, target })
      const send_at = await context.serverTime(2_000)
      const body = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.', send_at }
      const live = await context.client.notifications.send(body)
      await context.client.integrations.delete(project.id, source_type)
      assertIncludes(await context.client.notifications.get(live.id, { wait: 30 }), { status: 'failed' }, 'the live notification')
      const filter = { project_id: project.id, created_after: project.created_at }
      const { key } = await context.createKey({ mode: 'test' })
      assertIncludes(await runToEnd(context, { action: 'retry', filter }, key), { matched: 1, done: 0, skipped: 1 }, 'the action')
    },
    ['unconfigured'],
  ),

  scenario('bulkActions.create', 202, 'skips deliveries that are being sent', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { source_type: 'smtp', target: 'slow.20s@flowpost.test' })
    const { key } = await context.createKey({ mode: 'test' })
    const json = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.' }
    const { id } = (await context.http.expect('notifications.send', 202, { json, key })).json
    const statusOf = async () => (await context.client.notifications.get(id)).deliveries[0]?.status
    while ((await statusOf()) === 'queued') await new Promise((resolve) => setTimeout(resolve, pollMs))
    const filter = { project_id: project.id, created_after: project.created_at }
    assertIncludes(await runToEnd(context, { action: 'cancel', filter }), { matched: 1, done: 0, skipped: 1 }, 'the action')
    const queued = await runToEnd(context, { action: 'cancel', filter: { ...filter, status: 'queued' } })
    assertIncludes(queued, { matched: 0, done: 0, skipped: 0 }, 'an action that selects only queued deliveries')
    assertIncludes(await context.client.notifications.get(id), { deliveries: [{ status: 'sending' }] }, 'the notification')
  }),
]
