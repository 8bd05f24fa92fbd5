import { assertIncludes } from '../assertions.ts'
import { createFailed, runToEnd } from '../bulk-actions.ts'
import type { ScenarioContext } from '../context.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { createSending } from '../sending-notifications.ts'

/** Sends a message that the recipient rejects and that expires after `ms` milliseconds. Waits until it has failed. */
const createFailedUntil = async (context: ScenarioContext, ms: number) => {
  const project = await context.createProject()
  await context.createFlow(project, { source_type: 'smtp', target: 'bounce@flowpost.test' })
  const { key } = await context.createKey({ mode: 'test' })
  const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }
  const json = { project_id: project.id, ...text, expires_at: await context.serverTime(ms) }
  const { id } = (await context.http.expect('notifications.send', 202, { json, key })).json as { id: string }
  assertIncludes(await context.client.notifications.get(id, { wait: 30 }), { status: 'failed' }, 'the notification')
  return { id, filter: { project_id: project.id, created_after: project.created_at } }
}

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

  scenario('bulkActions.create', 202, 'skips the deliveries of an expired notification', async (context) => {
    const { filter, id } = await createFailedUntil(context, 4_000)
    // Waits until `expires_at` has passed on the server's clock. The server waits up to 5 seconds for another notification to
    // complete. That notification is scheduled far ahead, so the server waits the full 5 seconds.
    const { notification } = await createScheduledNotification(context)
    await context.client.notifications.get(notification.id, { wait: 5 })
    assertIncludes(await runToEnd(context, { action: 'retry', filter }), { matched: 1, done: 0, skipped: 1 }, 'the action')
    assertIncludes(await context.client.notifications.get(id), { status: 'failed' }, 'the notification')
  }),

  scenario('bulkActions.create', 202, 'cancels a delayed retry when the notification expires', async (context) => {
    const { filter, id } = await createFailedUntil(context, 8_000)
    // The probability that the retry is due before the notification expires is less than one in ten thousand.
    const action = await runToEnd(context, { action: 'retry', filter, spread_seconds: 86_400 })
    assertIncludes(action, { matched: 1, done: 1, skipped: 0 }, 'the action')
    const deliveries = [{ status: 'canceled', attempt_count: 1, next_attempt_at: null, failure: { code: 'expired' } }]
    const expired = await context.client.notifications.get(id, { wait: 30 })
    assertIncludes(expired, { status: 'canceled', deliveries }, 'the notification')
  }),

  scenario('bulkActions.create', 202, 'skips deliveries that are being sent', async (context) => {
    const { project, id } = await createSending(context)
    const filter = { project_id: project.id, created_after: project.created_at }
    assertIncludes(await runToEnd(context, { action: 'cancel', filter }), { matched: 1, done: 0, skipped: 1 }, 'the action')
    const queued = await runToEnd(context, { action: 'cancel', filter: { ...filter, status: 'queued' } })
    assertIncludes(queued, { matched: 0, done: 0, skipped: 0 }, 'an action that selects only queued deliveries')
    assertIncludes(await context.client.notifications.get(id), { deliveries: [{ status: 'sending' }] }, 'the notification')
  }),
]
