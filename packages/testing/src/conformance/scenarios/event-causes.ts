import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createEventSource } from '../event-source.ts'
import { uniqueAddress } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { erase } from './erasures.ts'

const settled = (id: string, status: string) => ({ type: 'notification.settled', data: { id, status } })

/** Scenarios about events caused by receipts, sent messages, suppressions, erasures and bulk actions. */
export const eventCauseScenarios: readonly Scenario[] = [
  scenario('events.list', 200, 'returns the failure event for a message to a suppressed recipient', async (context) => {
    const address = uniqueAddress(context)
    const { project, send, read } = await createEventSource(context, address)
    await context.client.suppressions.create(project.id, { target: address })
    const id = await send()
    const { data } = await read(2)
    const failed = { type: 'delivery.failed', data: { notification_id: id, failure: { code: 'suppressed' } } }
    assertIncludes(data, [failed, settled(id, 'failed')], 'the events')
  }),

  scenario(
    'events.list',
    200,
    'returns events for deliveries that an erasure canceled, and removes the address from existing events',
    async (context) => {
      const address = uniqueAddress(context)
      const { send, schedule, read } = await createEventSource(context, address)
      const sent = await send({ metadata: { customer: address } })
      const before = await read(2)
      const id = await schedule()
      await erase(context, { target: address })
      const { data } = await read(2, before.cursor)
      assertIncludes(data, [{ type: 'delivery.canceled', data: { notification_id: id } }, settled(id, 'canceled')], 'the events')
      const all = await read(4)
      assertIncludes(
        all.data.slice(0, 2),
        [{ type: 'delivery.sent', data: { notification_id: sent } }, settled(sent, 'sent')],
        'the first events',
      )
      assert(!JSON.stringify(all.data).includes(address), 'no event may contain the address')
    },
  ),

  scenario('events.list', 200, "removes the provider's texts about an erased recipient from existing events", async (context) => {
    const address = uniqueAddress(context)
    const { send, read } = await createEventSource(context, address, { events: ['notification.settled', 'delivery.receipt'] })
    const id = await send()
    const [delivery] = (await context.client.notifications.get(id)).deliveries
    const receipt = { status: 'bounced', at: '2026-11-21T09:30:00.000Z', code: '5.1.1', detail: 'Bob has moved' } as const
    const request = { idempotencyKey: context.uniqueName().replaceAll(' ', '-') }
    await context.client.deliveries.recordReceipt(delivery?.id ?? '', receipt, request)
    assertIncludes((await read(2)).data, [{}, { type: 'delivery.receipt', data: { receipt } }], 'the events before the erasure')
    await erase(context, { target: address })
    const erased = { attempt_count: 1, attempts: [{ number: 1, provider_response: null }] }
    const withoutDetail = { ...receipt, detail: null }
    const { data } = await read(2)
    assertIncludes(
      data,
      [
        { type: 'notification.settled', data: { id, deliveries: [{ ...erased, receipt: null }] } },
        { type: 'delivery.receipt', data: { ...erased, receipt: withoutDetail } },
      ],
      'the events after the erasure',
    )
    const replayed = await context.client.deliveries.recordReceipt(delivery?.id ?? '', receipt, request)
    assertIncludes(replayed, { receipt: withoutDetail }, 'the replayed response')
  }),

  scenario('events.list', 200, 'returns the events for deliveries canceled by a bulk action', async (context) => {
    const { project, schedule, read } = await createEventSource(context)
    const id = await schedule()
    const filter = { project_id: project.id, created_after: project.created_at }
    const action = await context.client.bulkActions.create({ action: 'cancel', filter })
    await context.client.bulkActions.get(action.id, { wait: 60 })
    const { data } = await read(2)
    assertIncludes(data, [{ type: 'delivery.canceled', data: { notification_id: id } }, settled(id, 'canceled')], 'the events')
  }),

  scenario('events.list', 200, 'returns an event only for a receipt that changes the delivery', async (context) => {
    const { send, read } = await createEventSource(context, undefined, { events: ['delivery.receipt'] })
    const id = await send()
    const [delivery] = (await context.client.notifications.get(id)).deliveries
    // The second receipt repeats the first. The third changes nothing, because `delivered` is less serious than `bounced`.
    for (const status of ['bounced', 'bounced', 'delivered', 'complained'] as const)
      await context.client.deliveries.recordReceipt(delivery?.id ?? '', { status, at: '2026-11-21T09:30:00.000Z' })
    const receiptEvent = (status: string) => ({ type: 'delivery.receipt', data: { notification_id: id, receipt: { status } } })
    assertIncludes((await read(2)).data, [receiptEvent('bounced'), receiptEvent('complained')], 'the events')
  }),

  scenario('events.list', 200, 'returns an event for a simulated complaint', async (context) => {
    const { project, send } = await createEventSource(context, 'complaint@flowpost.test', { events: ['delivery.receipt'] })
    const id = await send()
    const { data } = await context.client.events.list({ project_id: project.id, wait: 10 })
    const complained = { type: 'delivery.receipt', data: { notification_id: id, receipt: { status: 'complained' } } }
    assertIncludes(data, [complained], 'the events')
  }),

  scenario(
    'events.list',
    200,
    'returns an event when a sent message makes a flow healthy, but not for the next message',
    async (context) => {
      const project = await context.createProject()
      const project_id = project.id
      await context.client.eventEndpoints.create(project_id, { url: null, events: ['flow.healthy'] })
      const flow = await context.createFlow(project)
      const body = { project_id, subject: 'Conformance', message: 'A message.' }
      const send = async () => context.client.notifications.get((await context.client.notifications.send(body)).id, { wait: 30 })
      const sent = await send()
      assertIncludes(sent, { status: 'sent' }, 'the notification')
      // A captured message does not change the flow's health, so it causes no event.
      const isCaptured = sent.deliveries[0]?.captured === true
      const { data, cursor } = await context.client.events.list({ project_id, ...(isCaptured ? {} : { wait: 10 }) })
      const healthy = { type: 'flow.healthy', data: { id: flow.id, health: { status: 'healthy' } } }
      assertIncludes(data, isCaptured ? [] : [healthy], 'the events')
      await send()
      assertEqual((await context.client.events.list({ project_id, cursor })).data, [], 'the events after the next message')
    },
    ['mayDeliver'],
  ),
]
