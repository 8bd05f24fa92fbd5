import type { NotificationSend } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }

/** Creates a project with a flow, and a test key for sending. */
const createTestFlow = async (context: ScenarioContext, target = 'ok@flowpost.test') => {
  const project = await context.createProject()
  const flow = await context.createFlow(project, { source_type: 'smtp', target })
  const { key } = await context.createKey({ mode: 'test' })
  const body = { project_id: project.id, ...text }
  const send = async (fields: Partial<NotificationSend> = {}) =>
    (await context.http.expect('notifications.send', 202, { json: { ...body, ...fields }, key })).json
  return { project, flow, key, body, send }
}

/** Scenarios about test keys. For simulated recipients, see `simulatedRecipientScenarios`. */
export const testKeyScenarios: readonly Scenario[] = [
  scenario('apiKeys.create', 201, 'creates live keys by default, and test keys if the request uses a test key', async (context) => {
    const live = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() } })
    context.onCleanup(({ client }) => client.apiKeys.delete(live.json.id))
    assertEqual(live.json.mode, 'live', 'the default mode')
    const test = await context.createKey({ mode: 'test' })
    assert(test.key.startsWith('fp_test_'), 'a test key must start with fp_test_')
    for (const json of [{ name: context.uniqueName() }, { name: context.uniqueName(), mode: 'test' }]) {
      const child = await context.http.expect('apiKeys.create', 201, { json, key: test.key })
      assertEqual(child.json.mode, 'test', 'the mode of a key created with a test key')
    }
    const project = await context.createProject()
    const { id, key } = await context.createKey({ project_id: project.id, mode: 'test' })
    const { json } = await context.http.expect('apiKeys.list', 200, { key })
    assertIncludes(json.data, [{ id, mode: 'test' }], "the project's keys")
  }),

  scenario('apiKeys.create', 422, 'does not let a test key create a live key, and rejects unknown modes', async (context) => {
    const { key } = await context.createKey({ mode: 'test' })
    for (const request of [{ json: { name: 'a', mode: 'live' }, key }, { json: { name: 'a', mode: 'sandbox' } }]) {
      const { json } = await context.http.expect('apiKeys.create', 422, request, 'validation_failed')
      assertIncludes(json.errors, [{ in: 'body', pointer: '/mode', code: 'invalid_value' }], 'errors')
    }
  }),

  scenario('apiKeys.delete', 403, 'does not let a test key revoke a live key', async (context) => {
    const { key } = await context.createKey({ mode: 'test' })
    const [live, test] = [await context.createKey({}), await context.createKey({ mode: 'test' })]
    await context.http.expect('apiKeys.delete', 403, { params: { key_id: live.id }, key }, 'scope_missing')
    await context.http.expect('apiKeys.delete', 204, { params: { key_id: test.id }, key })
  }),

  scenario(
    'notifications.send',
    202,
    'captures notifications sent with a test key and marks them as tests, even if the provider has no credentials',
    async (context) => {
      const { project, flow, key, body, send } = await createTestFlow(context, 'conformance@example.com')
      const preview = await context.http.expect('notifications.preview', 200, { json: body, key })
      assertIncludes(preview.json.flows, [{ captured: true, faults: [] }], 'the preview')
      const accepted = await send()
      assertIncludes(accepted, { test: true, deliveries: [{ captured: true }] }, 'the response')
      const expected = {
        status: 'sent',
        test: true,
        deliveries: [{ status: 'sent', captured: true, provider_message_id: null, attempts: [{ outcome: 'captured' }] }],
      }
      // Live keys and test keys can read each other's notifications.
      const params = { notification_id: accepted.id }
      assertIncludes(await context.client.notifications.get(accepted.id, { wait: 30 }), expected, 'the notification')
      assertIncludes((await context.http.expect('notifications.get', 200, { params, key })).json, expected, 'the notification')
      const { data } = await context.client.notifications.list({ project_id: project.id })
      assertIncludes(data, [expected], 'the listed notifications')
      assertIncludes(await context.client.flows.get(project.id, flow.id), { health: { status: 'unknown' } }, 'the flow')
    },
  ),

  scenario('notifications.get', 200, 'does not mark a notification sent with a live key as a test', async (context) => {
    const { notification, params } = await createScheduledNotification(context)
    assertEqual(notification.test, false, '`test` in the response')
    const { key } = await context.createKey({ mode: 'test' })
    const { json } = await context.http.expect('notifications.get', 200, { params, key })
    assertIncludes(json, { id: notification.id, test: false }, 'the notification, read with a test key')
  }),

  scenario('notifications.send', 202, 'does not share idempotency keys between test keys and live keys', async (context) => {
    const { notification, body } = await createScheduledNotification(context)
    const { key } = await context.createKey({ mode: 'test' })
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const [test, again] = [
      await context.http.expect('notifications.send', 202, { json: body, headers, key }),
      await context.http.expect('notifications.send', 202, { json: body, headers, key }),
    ]
    const live = await context.http.expect('notifications.send', 202, { json: body, headers })
    for (const { id } of [test.json, live.json]) context.onCleanup(({ client }) => client.notifications.cancel(id))
    assertEqual(
      [test.json.test, again.json.id, live.json.test],
      [true, test.json.id, false],
      'the response fields `test` (test key), `id` (test key, same request again) and `test` (live key)',
    )
    assertEqual(live.headers.get('idempotency-replayed'), null, 'the Idempotency-Replayed header for the live key')
    assertEqual(new Set([notification.id, test.json.id, live.json.id]).size, 3, 'the number of notifications')
  }),

  scenario('notifications.retry', 403, 'does not let a test key retry a notification sent with a live key', async (context) => {
    const { params } = await createScheduledNotification(context)
    const { key } = await context.createKey({ mode: 'test' })
    await context.http.expect('notifications.retry', 403, { params, key }, 'scope_missing')
    await context.http.expect('notifications.retry', 404, { params: { notification_id: 'ntf_unknown' }, key }, 'not_found')
  }),

  scenario('notifications.retry', 202, 'captures the retry of a test notification, whichever key requests it', async (context) => {
    const { key, send } = await createTestFlow(context, 'bounce@flowpost.test')
    const { id } = await send()
    const params = { notification_id: id }
    for (const [attempt_count, retryKey] of [
      [2, context.target.apiKey],
      [3, key],
    ] as const) {
      await context.client.notifications.get(id, { wait: 30 })
      const { json } = await context.http.expect('notifications.retry', 202, { params, key: retryKey })
      assertIncludes(json, { status: 'queued', test: true, deliveries: [{ status: 'queued', captured: true }] }, 'the response')
      const failed = await context.client.notifications.get(id, { wait: 30 })
      const deliveries = [{ status: 'failed', captured: true, attempt_count, failure: { kind: 'target' } }]
      assertIncludes(failed, { status: 'failed', test: true, deliveries }, 'the notification after the retry')
    }
  }),

  scenario('notifications.cancel', 200, "lets live and test keys cancel each other's notifications", async (context) => {
    const { params, body } = await createScheduledNotification(context)
    const { key } = await context.createKey({ mode: 'test' })
    const test = await context.http.expect('notifications.send', 202, { json: body, key })
    const canceled = await context.http.expect('notifications.cancel', 200, { params, key })
    assertIncludes(canceled.json, { status: 'canceled', test: false }, 'the notification sent with the live key')
    assertIncludes(
      await context.client.notifications.cancel(test.json.id),
      { status: 'canceled', test: true },
      'the notification sent with the test key',
    )
  }),
]
