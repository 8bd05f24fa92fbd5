import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createFailed } from '../bulk-actions.ts'
import { sendWithoutCredentials } from '../failed-notifications.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const failure = { kind: 'credential', code: 'integration_missing', retryable: false }

const maxEmbeddedAttempts = 20

/** Scenarios about requests to retry failed deliveries. */
export const retryScenarios: readonly Scenario[] = [
  scenario('notifications.retry', 409, 'rejects a retry if no delivery has failed', async (context) => {
    const { notification } = await createScheduledNotification(context)
    await context.expectFailure(context.client.notifications.retry(notification.id), 409, 'not_retryable')
    await context.client.notifications.cancel(notification.id)
    await context.expectFailure(context.client.notifications.retry(notification.id), 409, 'not_retryable')
  }),

  {
    ...scenario('notifications.get', 200, `embeds only the latest ${maxEmbeddedAttempts} attempts`, async (context) => {
      const [id = ''] = (await createFailed(context, 1)).ids
      for (let retries = 0; retries < maxEmbeddedAttempts; retries += 1) {
        await context.client.notifications.retry(id)
        await context.client.notifications.get(id, { wait: 30 })
      }
      const all = Array.from({ length: maxEmbeddedAttempts + 1 }, (_, index) => ({ number: index + 1 }))
      const deliveriesWith = (attempts: readonly object[]) => [{ attempt_count: all.length, attempts }]
      const { deliveries } = await context.client.notifications.get(id)
      assertIncludes(deliveries, deliveriesWith(all.slice(1)), 'the deliveries of the notification')
      const { data } = await context.client.notifications.deliveries(id)
      assertIncludes(data, deliveriesWith(all), 'the listed deliveries')
    }),
    // Each of the 21 attempts may take up to 30 s.
    timeoutMs: 660_000,
  },

  scenario(
    'notifications.retry',
    202,
    'queues only failed deliveries whose flow still exists',
    async (context) => {
      let canceledFlowId = ''
      const { project, flow, settled } = await sendWithoutCredentials(context, async (failing) => {
        const { source_type, target } = failing.flow
        canceledFlowId = (await context.createFlow(failing.project, { source_type, target })).id
        return [{ flow_id: failing.flow.id }, {}]
      })
      await context.client.flows.delete(project.id, canceledFlowId)
      const [failed, mixed] = await settled()
      assert(failed && mixed, 'the two notifications to retry must exist')
      assertIncludes(failed, { status: 'failed', deliveries: [{ status: 'failed', attempt_count: 1, failure }] }, 'notification')
      const statuses = [{ status: 'failed' }, { status: 'canceled', attempt_count: 0, failure: null }]
      assertIncludes(mixed, { status: 'failed', deliveries: statuses }, 'a notification with a failed and a canceled delivery')

      const retried = await context.client.notifications.retry(failed.id)
      assertIncludes(retried, { status: 'queued', deliveries: [{ status: 'queued', failure: null }] }, 'the response')
      const retriedMixed = await context.client.notifications.retry(mixed.id)
      assertIncludes(
        retriedMixed,
        { deliveries: [{ status: 'queued' }, { status: 'canceled' }] },
        'the response for a notification with a canceled delivery',
      )
      const again = await context.client.notifications.get(failed.id, { wait: 30 })
      assertIncludes(again, { status: 'failed', deliveries: [{ status: 'failed', attempt_count: 2 }] }, 'the notification after the retry')
      assertEqual(
        again.deliveries[0]?.attempts.map(({ number, outcome }) => [number, outcome]),
        [
          [1, 'failed'],
          [2, 'failed'],
        ],
        'number and outcome of each attempt',
      )

      await context.client.flows.delete(project.id, flow.id)
      await context.expectFailure(context.client.notifications.retry(failed.id), 409, 'not_retryable')
    },
    ['unconfigured'],
  ),

  scenario(
    'notifications.retry',
    202,
    'replays the first response',
    async (context) => {
      const { settled } = await sendWithoutCredentials(context, async () => [{}])
      const [failed] = await settled()
      const params = { notification_id: failed?.id ?? '' }
      const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
      const first = await context.http.expect('notifications.retry', 202, { params, headers })
      await context.client.notifications.get(params.notification_id, { wait: 30 })
      const again = await context.http.expect('notifications.retry', 202, { params, headers })
      assertEqual(again.json, first.json, 'the replayed response')
      const replayed = [first, again].map((response) => response.headers.get('idempotency-replayed'))
      assertEqual(replayed, [null, 'true'], 'the Idempotency-Replayed headers of both responses')
      const { deliveries } = await context.client.notifications.get(params.notification_id)
      assertIncludes(deliveries, [{ attempt_count: 2 }], 'the deliveries after the repeated request')
    },
    ['unconfigured'],
  ),

  scenario(
    'notifications.retry',
    202,
    "sends with the deployment's credentials after the project's were deleted",
    async (context) => {
      const { source_type } = context.receiver
      // The scenario has valid settings for SMTP only.
      if (source_type !== 'smtp') return
      const project = await context.createProject()
      const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }
      await context.client.integrations.put(project.id, source_type, { settings })
      await context.createFlow(project)
      const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }
      // Leaves time to delete the credentials before the message is due.
      const send_at = await context.serverTime(7_000)
      const { id } = await context.client.notifications.send({ project_id: project.id, ...text, send_at })
      await context.client.integrations.delete(project.id, source_type)
      const failed = await context.client.notifications.get(id, { wait: 30 })
      assertIncludes(failed, { status: 'failed', deliveries: [{ status: 'failed', failure }] }, 'the notification')
      await context.client.notifications.retry(id)
      const sent = await context.client.notifications.get(id, { wait: 30 })
      assertIncludes(sent, { status: 'sent', deliveries: [{ status: 'sent', attempt_count: 2 }] }, 'the notification after the retry')
    },
    ['mayDeliver', 'rejectsWithoutCredentials'],
  ),

  scenario(
    'notifications.retry',
    202,
    'does not resend a sent delivery',
    async (context) => {
      const { settled } = await sendWithoutCredentials(context, async ({ project }) => {
        await context.createFlow(project)
        return [{}]
      })
      const [notification] = await settled()
      assert(notification, 'the notification must exist')
      const statuses = { status: 'partially_sent', deliveries: [{ status: 'failed' }, { status: 'sent' }] }
      assertIncludes(notification, statuses, 'a notification with a failed and a sent delivery')
      const sent = notification.deliveries[1]
      const { attempts: _, ...unchanged } = sent ?? {}
      const retried = await context.client.notifications.retry(notification.id)
      assertIncludes(retried, { status: 'sending', deliveries: [{ status: 'queued' }, unchanged] }, 'the response')
      const again = await context.client.notifications.get(notification.id, { wait: 30 })
      assertIncludes(again, { ...statuses, deliveries: [{ attempt_count: 2 }, sent] }, 'the notification after the retry')
    },
    ['unconfigured', 'mayDeliver'],
  ),
]
