import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createEventSource } from '../event-source.ts'
import { createAttemptedDelivery, createScheduledNotification, uniqueAddress, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { erase } from './erasures.ts'

const bounced = { status: 'bounced', at: '2026-11-21T09:30:00.000Z', code: '5.1.1', detail: 'No such user' } as const
const dayMs = 24 * 3_600_000
const smtp = { settings: { host: 'smtp.example.com', from: 'conformance@example.com' } }

/** Scenarios about delivery receipts, and about the inbound addresses to which providers report them. */
export const receiptScenarios: readonly Scenario[] = [
  scenario('deliveries.recordReceipt', 200, "records a receipt without changing the delivery's status", async (context) => {
    const { delivery, notification } = await createAttemptedDelivery(context)
    assertEqual(delivery.receipt, null, 'the receipt before the request')
    const recorded = await context.client.deliveries.recordReceipt(delivery.id, bounced)
    const { attempts: _, ...unchanged } = delivery
    assertEqual(recorded, { ...unchanged, receipt: bounced }, 'the response')
    const read = await context.client.notifications.get(notification.id)
    assertIncludes(read, { status: 'sent', deliveries: [{ status: 'sent', receipt: bounced }] }, 'the notification')
    const { data } = await context.client.notifications.deliveries(notification.id)
    assertIncludes(data, [{ receipt: bounced }], 'the list of deliveries')
  }),

  scenario('deliveries.recordReceipt', 200, 'keeps the more serious of two receipts, whichever comes first', async (context) => {
    const { delivery } = await createAttemptedDelivery(context)
    const record = async (status: 'delivered' | 'bounced' | 'complained', code: string) =>
      (await context.client.deliveries.recordReceipt(delivery.id, { status, code, at: bounced.at })).receipt?.code
    assertEqual(await record('delivered', '250'), '250', 'the stored code after a `delivered` receipt')
    assertEqual(await record('bounced', '5.1.1'), '5.1.1', 'the stored code after a `bounced` receipt')
    assertEqual(await record('delivered', '251'), '5.1.1', 'the stored code after a second `delivered` receipt')
    assertEqual(await record('complained', 'abuse'), 'abuse', 'the stored code after a `complained` receipt')
    assertEqual(await record('bounced', '5.1.2'), 'abuse', 'the stored code after a second `bounced` receipt')
  }),

  scenario('deliveries.recordReceipt', 200, 'keeps the earliest of several receipts with the same status', async (context) => {
    const { delivery } = await createAttemptedDelivery(context)
    const record = async (at: string, code: string) =>
      (await context.client.deliveries.recordReceipt(delivery.id, { ...bounced, at, code })).receipt?.code
    assertEqual(await record('2026-11-21T09:30:00.000Z', '5.1.1'), '5.1.1', 'the stored code after the first receipt')
    assertEqual(await record('2026-11-21T09:31:00+00:00', '5.1.2'), '5.1.1', 'the stored code after a receipt with a later time')
    assertEqual(await record('2026-11-21T10:29:59+01:00', '5.1.3'), '5.1.3', 'the stored code after a receipt with an earlier time')
  }),

  scenario('deliveries.recordReceipt', 200, 'stores no text from a receipt for an erased recipient', async (context) => {
    const address = uniqueAddress(context)
    const { send } = await createEventSource(context, address)
    const recordEarlier = async (code: string) => {
      const id = await send()
      const [delivery] = (await context.client.notifications.get(id)).deliveries
      const earlier = { status: 'delivered', code, detail: 'Queued for Bob' } as const
      await context.client.deliveries.recordReceipt(delivery?.id ?? '', earlier)
      return { delivery, read: async () => (await context.client.notifications.get(id)).deliveries }
    }
    const [{ delivery, read }, other] = [await recordEarlier('250'), await recordEarlier('Bob has moved')]
    await erase(context, { target: address })
    const erased = { status: 'delivered', detail: null }
    assertIncludes(await read(), [{ receipt: { ...erased, code: '250' } }], 'the deliveries after the erasure')
    assertIncludes(await other.read(), [{ receipt: { ...erased, code: null } }], 'the deliveries whose receipt had a text as its code')
    const record = async (code: string) => {
      const { json } = await context.http.expect('deliveries.recordReceipt', 200, {
        params: { delivery_id: delivery?.id ?? '' },
        json: { status: 'bounced', at: bounced.at, code, detail: `No ${address}` },
      })
      return json.receipt
    }
    assertIncludes(await record(address), { status: 'bounced', code: null, detail: null }, 'the receipt')
  }),

  scenario('deliveries.recordReceipt', 200, 'uses the current time if the given time is missing or in the future', async (context) => {
    const { delivery } = await createAttemptedDelivery(context)
    const { receipt } = await context.client.deliveries.recordReceipt(delivery.id, { status: 'delivered' })
    assertIncludes(receipt, { status: 'delivered', code: null, detail: null }, 'the receipt')
    assert(receipt && receipt.at >= (delivery.sent_at ?? ''), 'the time must not be before the message was sent', receipt)
    const future = await context.client.deliveries.recordReceipt(delivery.id, { status: 'bounced', at: '2999-01-01T00:00:00Z' })
    assert(Date.parse(future.receipt?.at ?? '') < Date.parse('2998-01-01T00:00:00Z'), 'the time must not be in the future', future.receipt)
  }),

  scenario('deliveries.recordReceipt', 200, 'reduces the detail to one line', async (context) => {
    const { delivery } = await createAttemptedDelivery(context)
    const { receipt } = await context.client.deliveries.recordReceipt(delivery.id, { status: 'bounced', detail: ' User\r\n\tunknown ' })
    assertEqual(receipt?.detail, 'User unknown', 'the detail')
  }),

  scenario('deliveries.recordReceipt', 200, 'adds no suppression for a captured message', async (context) => {
    const { delivery, project } = await createAttemptedDelivery(context)
    await context.client.deliveries.recordReceipt(delivery.id, { status: 'complained' })
    assertEqual((await context.client.suppressions.list(project.id)).data, [], 'the suppressions')
  }),

  scenario(
    'deliveries.recordReceipt',
    200,
    'suppresses the recipient after a bounce or a complaint, and records the reason',
    async (context) => {
      const { data: providers } = await context.client.providers.list()
      const { source_type, target } = context.receiver
      const isEmail = providers.find((provider) => provider.source_type === source_type)?.kind === 'email'
      for (const [receipt, reason] of [
        [{ status: 'bounced' }, 'bounce'],
        [{ status: 'bounced', code: '550' }, 'bounce'],
        // The mailbox is full, which does not suppress the address.
        [{ status: 'bounced', code: '5.2.2' }, null],
        // The sending account has reached its daily limit, which does not suppress the address.
        [{ status: 'bounced', code: '5.1.90' }, null],
        [{ status: 'bounced', code: '552' }, null],
        [{ status: 'complained' }, 'complaint'],
      ] as const) {
        const project = await context.createProject()
        await context.createFlow(project)
        const { id } = await context.client.notifications.send({ project_id: project.id, subject: 'Conformance', message: 'A message.' })
        const [delivery] = (await context.client.notifications.get(id, { wait: 30 })).deliveries
        await context.client.deliveries.recordReceipt(delivery?.id ?? '', receipt)
        const suppression = { target, source_type: isEmail ? null : source_type, reason, source: 'receipt' }
        const { data } = await context.client.suppressions.list(project.id)
        const expected = delivery?.captured || reason === null ? [] : [suppression]
        assertIncludes(data, expected, `the suppressions after ${JSON.stringify(receipt)}`)
      }
    },
    ['mayDeliver'],
  ),

  scenario('deliveries.recordReceipt', 409, 'rejects a receipt for a delivery without an attempt', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const params = { delivery_id: notification.deliveries[0]?.id ?? '' }
    const json = { status: 'delivered' }
    await context.http.expect('deliveries.recordReceipt', 409, { params, json }, 'delivery_not_attempted')
    const { deliveries } = await context.client.notifications.get(notification.id)
    assertIncludes(deliveries, [{ receipt: null }], 'the delivery')
  }),

  scenario('deliveries.recordReceipt', 403, 'does not let a test key record a receipt for a live message', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const params = { delivery_id: notification.deliveries[0]?.id ?? '' }
    const { key } = await context.createKey({ mode: 'test' })
    const json = { status: 'complained' }
    await context.http.expect('deliveries.recordReceipt', 403, { params, json, key }, 'scope_missing')
  }),

  scenario(
    'deliveries.recordReceipt',
    404,
    'returns not_found for an unknown delivery, and for an API key bound to another project',
    async (context) => {
      const { params } = await createAttemptedDelivery(context)
      const json = { status: 'delivered' }
      for (const delivery_id of [unknownId('delivery'), 'nonsense'])
        await context.http.expect('deliveries.recordReceipt', 404, { params: { delivery_id }, json }, 'not_found')
      const { key } = await context.createKey({ project_id: (await context.createProject()).id })
      await context.http.expect('deliveries.recordReceipt', 404, { params, json, key }, 'not_found')
    },
  ),

  scenario(
    'deliveries.recordReceipt',
    404,
    "returns not_found for another user's delivery",
    async (context) => {
      const { params } = await createAttemptedDelivery(context)
      const key = context.target.otherApiKey ?? null
      await context.http.expect('deliveries.recordReceipt', 404, { params, json: { status: 'delivered' }, key }, 'not_found')
    },
    ['otherApiKey'],
  ),

  scenario('deliveries.recordReceipt', 422, 'returns all issues of an invalid body together', async (context) => {
    const { params } = await createAttemptedDelivery(context)
    const json = { status: 'lost', at: 'yesterday', code: 'a\nb', detail: 'a'.repeat(1001), reason: 'none' }
    const response = await context.http.expect('deliveries.recordReceipt', 422, { params, json }, 'validation_failed')
    const issues = response.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    const expected = ['/at invalid_value', '/code invalid_text', '/detail too_long', '/reason unknown_field', '/status invalid_value']
    assertEqual(issues.sort(), expected, 'errors')
  }),

  scenario('notifications.retry', 202, 'removes the receipt when a delivery is retried', async (context) => {
    const { delivery, notification } = await createAttemptedDelivery(context, 'bounce@flowpost.test')
    assertEqual(delivery.status, 'failed', 'the status before the retry')
    await context.client.deliveries.recordReceipt(delivery.id, bounced)
    const retried = await context.client.notifications.retry(notification.id)
    assertIncludes(retried.deliveries, [{ receipt: null }], 'the deliveries')
  }),

  scenario('notifications.get', 200, 'simulates a complaint without adding a suppression', async (context) => {
    for (const attempt of ['first', 'second']) {
      const { notification, project } = await createAttemptedDelivery(context, 'complaint@flowpost.test')
      const receipt = { status: 'complained', code: 'abuse', detail: 'The recipient reported the message as spam.' }
      assertIncludes(notification, { status: 'sent', deliveries: [{ status: 'sent', receipt }] }, `the ${attempt} notification`)
      assertEqual((await context.client.suppressions.list(project.id)).data, [], 'the suppressions')
    }
  }),

  scenario('integrations.rotateInbound', 200, 'returns the inbound address once, and later only its timestamps', async (context) => {
    const project = await context.createProject()
    for (const source_type of ['smtp', 'mailgun']) {
      const settings = source_type === 'smtp' ? smtp.settings : { domain: 'mg.example.com', from: smtp.settings.from }
      const secrets = source_type === 'smtp' ? {} : { api_key: 'key-conformance', webhook_signing_key: 'conformance' }
      const before = await context.client.integrations.put(project.id, source_type, { settings, secrets })
      assertEqual(before.inbound, null, 'the inbound address before the first rotation')
      const created = await context.client.integrations.rotateInbound(project.id, source_type)
      assert(created.path.startsWith(`/v1/inbound/${source_type}/fpi_`), 'the path must contain the provider and a token', created.path)
      assertEqual(created.previous_expires_at, null, 'previous_expires_at after the first rotation')
      const { path: _, ...inbound } = created
      const read = await context.client.integrations.get(project.id, source_type)
      assertEqual(read, { ...before, inbound }, 'the integration')
      const rotated = await context.client.integrations.rotateInbound(project.id, source_type)
      assert(rotated.path !== created.path, 'the inbound address must change')
      const validMs = Date.parse(rotated.previous_expires_at ?? '') - Date.parse(rotated.rotated_at)
      assert(Math.abs(validMs - dayMs) < 60_000, 'the previous inbound address must stay valid for 24 hours', rotated)
      const changed = await context.client.integrations.put(project.id, source_type, { settings })
      assertIncludes(changed.inbound, { rotated_at: rotated.rotated_at }, 'the inbound address after the settings changed')
    }
  }),

  scenario(
    'integrations.rotateInbound',
    409,
    'rejects a provider without inbound reports, and rejects a repeated request instead of replaying its secret',
    async (context) => {
      const project = await context.createProject()
      await context.client.integrations.put(project.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
      await context.expectFailure(context.client.integrations.rotateInbound(project.id, 'slack'), 409, 'inbound_not_supported')
      await context.client.integrations.put(project.id, 'smtp', smtp)
      const request = {
        params: { project_id: project.id, source_type: 'smtp' },
        headers: { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') },
      }
      await context.http.expect('integrations.rotateInbound', 200, request)
      await context.http.expect('integrations.rotateInbound', 409, request, 'idempotency_not_replayable')
    },
  ),
]
