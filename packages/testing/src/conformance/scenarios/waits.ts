import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

// A deployment's server instances may have slightly different clocks.
const clockToleranceMs = 100

/** Runs `work` and returns its duration on the server's clock, in milliseconds. */
const measureServerTime = async (context: ScenarioContext, work: () => PromiseLike<unknown>): Promise<number> => {
  const before = Date.parse(await context.serverTime(0))
  await work()
  return Date.parse(await context.serverTime(0)) - before
}

/** Scenarios about reads that wait until a notification is completed. */
export const waitScenarios: readonly Scenario[] = [
  scenario('notifications.get', 401, 'rejects a key once it expires, even during a wait', async (context) => {
    const { params } = await createScheduledNotification(context)
    const { key } = await context.createKey({ expires_at: await context.serverTime(2_000) })
    await context.http.expect('projects.list', 200, { key, query: { limit: '1' } })
    // The key expires within two seconds. The wait takes three, in case the server's clock is set back by up to a second.
    await context.http.expect('notifications.get', 401, { params, key, query: { wait: '3' } }, 'unauthenticated')
    await context.http.expect('projects.list', 401, { key, query: { limit: '1' } }, 'unauthenticated')
  }),

  scenario('notifications.get', 200, 'returns a completed notification without waiting', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const canceled = await context.client.notifications.cancel(notification.id)
    const elapsedMs = await measureServerTime(context, async () => {
      assertIncludes(await context.client.notifications.get(notification.id, { wait: 20 }), canceled, 'notification')
    })
    assert(elapsedMs < 10_000, 'a wait for a completed notification must take less than 10,000 ms', elapsedMs)
  }),

  scenario('notifications.get', 200, 'waits until all deliveries are final or the requested time has passed', async (context) => {
    const { project, flow, body } = await createScheduledNotification(context)
    const other = await context.createFlow(project)
    const { id } = await context.client.notifications.send(body)
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    // Deleting the flow cancels one of the two deliveries.
    await context.client.flows.delete(project.id, other.id)
    const elapsedMs = await measureServerTime(context, async () => {
      const deliveries = [
        { flow_id: flow.id, status: 'queued' },
        { flow_id: other.id, status: 'canceled' },
      ]
      assertIncludes(await context.client.notifications.get(id, { wait: 1 }), { deliveries }, 'notification')
    })
    const range = 'a wait of 1 s for a delivery that is not final must take 900 to 10,000 ms'
    assert(elapsedMs >= 1_000 - clockToleranceMs && elapsedMs < 10_000, range, elapsedMs)
  }),

  scenario('notifications.get', 422, 'rejects a wait outside 1 to 60 seconds', async (context) => {
    const { params } = await createScheduledNotification(context)
    for (const wait of ['0', '61', '1.5', '']) {
      const response = await context.http.expect('notifications.get', 422, { params, query: { wait } }, 'validation_failed')
      assertEqual(
        response.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/wait'],
        `errors for wait=${wait}`,
      )
    }
  }),

  scenario(
    'notifications.get',
    200,
    'waits until the message is delivered',
    async (context) => {
      const project = await context.createProject()
      const flow = await context.createFlow(project)
      const sent = await context.client.notifications.send({
        project_id: project.id,
        subject: 'Conformance',
        message: 'A message from the conformance suite.',
      })
      const completed = await context.client.notifications.get(sent.id, { wait: 30 })
      const [delivery] = completed.deliveries
      assertIncludes(
        completed,
        { status: 'sent', deliveries: [{ flow_id: flow.id, status: 'sent', attempt_count: 1, failure: null }] },
        'notification',
      )
      assert(delivery?.sent_at, 'a sent delivery must have sent_at')
      const lateMs = Date.parse(await context.serverTime(0)) - Date.parse(delivery.sent_at)
      assert(lateMs < 10_000, 'a wait must end less than 10,000 ms after the message is sent', lateMs)
      const outcome = delivery?.captured ? 'captured' : 'sent'
      assertIncludes(delivery?.attempts, [{ number: 1, outcome }], 'attempts')
      assertEqual(typeof delivery?.attempts[0]?.duration_ms, 'number', 'the type of duration_ms')
      const { health } = await context.client.flows.get(project.id, flow.id)
      assertEqual(health.status, delivery?.captured ? 'unknown' : 'healthy', "the status of the flow's health")
    },
    ['mayDeliver'],
  ),
]
