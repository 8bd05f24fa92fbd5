import type { FlowpostEvent } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createEventSource } from '../event-source.ts'
import { unreachableUrl } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const typesOf = (events: readonly FlowpostEvent[]): string[] => events.map(({ type }) => type)

const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id)

/** Scenarios about the event feed. */
export const eventFeedScenarios: readonly Scenario[] = [
  scenario('events.list', 200, 'returns the events for a sent notification in order, without its subject and message', async (context) => {
    const { project, flow, send, read } = await createEventSource(context)
    const id = await send({ reference: 'order-1042', metadata: { customer: 'c-7' } })
    const { data } = await read(2)
    assertEqual(typesOf(data), ['delivery.sent', 'notification.settled'], 'the event types')
    const notification = await context.client.notifications.get(id)
    const { subject: _, ...settled } = notification
    assertEqual(data[1]?.data, settled, 'the data of notification.settled')
    const common = { notification_id: id, project_id: project.id, test: true, reference: 'order-1042', metadata: { customer: 'c-7' } }
    assertEqual(data[0]?.data, { ...notification.deliveries[0], ...common }, 'the data of delivery.sent')
    assertEqual(notification.deliveries[0]?.flow_id, flow.id, "the delivery's flow_id")
    assert(!/Secret (subject|message)/.test(JSON.stringify(data)), 'events must not contain the subject or the message')
  }),

  scenario('events.list', 200, 'returns the events for failed and canceled deliveries', async (context) => {
    const { project, schedule, send, read } = await createEventSource(context, 'bounce@flowpost.test')
    const failed = await send()
    const canceled = await schedule()
    await context.client.notifications.cancel(canceled)
    await context.client.notifications.cancel(canceled)
    const deleted = await schedule()
    const [flow] = (await context.client.flows.list(project.id)).data
    await context.client.flows.delete(project.id, flow?.id ?? '')
    const { data } = await read(6)
    const settled = (notificationId: string, status: string) => ({ type: 'notification.settled', data: { id: notificationId, status } })
    const delivery = (type: string, notification_id: string) => ({ type, data: { notification_id, status: type.split('.')[1] } })
    const expected = [
      delivery('delivery.failed', failed),
      settled(failed, 'failed'),
      delivery('delivery.canceled', canceled),
      settled(canceled, 'canceled'),
      delivery('delivery.canceled', deleted),
      settled(deleted, 'canceled'),
    ]
    assertIncludes(data, expected, 'the events')
  }),

  scenario('events.list', 200, 'returns one event for each delivery', async (context) => {
    const { project, flow, schedule, read } = await createEventSource(context)
    const other = await context.createFlow(project)
    const id = await schedule()
    await context.client.flows.delete(project.id, other.id)
    await context.client.notifications.cancel(id)
    const { data, cursor } = await read(3)
    const expected = [
      { type: 'delivery.canceled', data: { flow_id: other.id, notification_id: id } },
      { type: 'delivery.canceled', data: { flow_id: flow.id, notification_id: id } },
      { type: 'notification.settled', data: { id, status: 'canceled' } },
    ]
    assertIncludes(data, expected, 'the events')
    assertEqual((await context.client.events.list({ project_id: project.id, cursor })).data, [], 'the events after the cursor')
  }),

  scenario('events.list', 200, 'returns new events after a retry', async (context) => {
    const { send, read } = await createEventSource(context, 'bounce@flowpost.test')
    const id = await send()
    const first = await read(2)
    await context.client.notifications.retry(id)
    const { data } = await read(2, first.cursor)
    const deliveries = [{ attempt_count: 2 }]
    assertIncludes(
      data,
      [
        { type: 'delivery.failed', data: { attempt_count: 2 } },
        { type: 'notification.settled', data: { id, deliveries } },
      ],
      'the events',
    )
    assertIncludes(first.data, [{ data: { attempt_count: 1 } }, { data: { deliveries: [{ attempt_count: 1 }] } }], 'the first events')
  }),

  scenario('events.list', 200, 'stores only events to which an active endpoint in the project subscribes', async (context) => {
    const { project, endpoint, send, read } = await createEventSource(context, undefined, { events: ['delivery.failed'], active: false })
    const fields = { url: null, description: '' }
    const update = (changes: { events: 'delivery.sent'[]; active: boolean }) =>
      context.client.eventEndpoints.update(project.id, endpoint.id, { ...fields, ...changes })
    await send()
    // Adds an active endpoint for another event type. Without an active endpoint, a project stores no events at all.
    await context.client.eventEndpoints.create(project.id, { url: null, events: ['delivery.ambiguous'] })
    await update({ events: ['delivery.sent'], active: false })
    await send()
    await update({ events: ['delivery.sent'], active: true })
    const stored = await send()
    await context.client.eventEndpoints.delete(project.id, endpoint.id)
    await send()
    const { data, cursor } = await read(1)
    assertIncludes(data, [{ type: 'delivery.sent', data: { notification_id: stored } }], 'the events')
    assertEqual((await context.client.events.list({ project_id: project.id, cursor })).data, [], 'the events after the cursor')
  }),

  scenario('events.list', 200, 'continues after the cursor, even if the previous response was empty', async (context) => {
    const { project, send, read } = await createEventSource(context, undefined, { events: ['delivery.sent'] })
    const project_id = project.id
    const empty = await context.client.events.list({ project_id })
    assertEqual(empty.data, [], 'the events before the first message')
    const sent = [await send(), await send(), await send()]
    const { data, cursor } = await read(3, empty.cursor)
    const notifications = data.map((event) => (event.data as { notification_id?: string }).notification_id)
    assertEqual(notifications, sent, 'the notification ids in the events, oldest first')
    const ids = idsOf(data)
    for (const filter of [{}, { type: 'delivery.sent' as const }]) {
      const pages: string[][] = []
      let position: string | undefined
      for (let page = 0; page < 4; page += 1) {
        const start = position === undefined ? {} : { cursor: position }
        const feed = await context.client.events.list({ project_id, limit: 2, ...filter, ...start })
        pages.push(idsOf(feed.data))
        position = feed.cursor
      }
      assertEqual(pages, [ids.slice(0, 2), ids.slice(2), [], []], `the event ids on each page, filtered by ${JSON.stringify(filter)}`)
    }
    const later = await send()
    assertIncludes((await read(1, cursor)).data, [{ data: { notification_id: later } }], 'the events after the cursor')
  }),

  scenario('events.list', 200, 'filters by type and project', async (context) => {
    const [one, other] = [await createEventSource(context), await createEventSource(context, 'bounce@flowpost.test')]
    await one.send()
    await other.send()
    for (const { read } of [one, other]) await read(2)
    const list = async (query: Record<string, string>) =>
      (await context.http.expect('events.list', 200, { query: { limit: '1000', ...query } })).json.data as FlowpostEvent[]
    const settled = await list({ type: 'notification.settled', project_id: one.project.id })
    assertEqual(typesOf(settled), ['notification.settled'], 'the event types')
    const { key } = await context.createKey({ project_id: other.project.id })
    const bound = await context.http.expect('events.list', 200, { key })
    assertEqual(
      typesOf(bound.json.data),
      ['delivery.failed', 'notification.settled'],
      'the event types for a credential bound to the project',
    )
    await context.http.expect('events.list', 404, { key, query: { project_id: one.project.id } }, 'not_found')
  }),

  scenario('events.list', 404, 'returns not_found for an unknown project', async (context) => {
    for (const project_id of ['prj_0000000001e008000000000000', 'nonsense'])
      await context.http.expect('events.list', 404, { query: { project_id } }, 'not_found')
  }),

  scenario('events.list', 400, 'rejects an invalid cursor, and a cursor from a list with different filters', async (context) => {
    const { project } = await createEventSource(context)
    const { cursor } = await context.client.events.list({ project_id: project.id })
    for (const query of [{ cursor }, { cursor, project_id: project.id, type: 'delivery.sent' }, { cursor: 'nonsense' }, { cursor: '' }])
      await context.http.expect('events.list', 400, { query }, 'invalid_cursor')
  }),

  scenario('events.list', 422, 'rejects an invalid wait, type or limit', async (context) => {
    for (const [name, value] of [
      ['wait', '-1'],
      ['wait', '61'],
      ['wait', '1.5'],
      ['type', '*'],
      ['type', 'test.ping'],
      ['limit', '0'],
      ['limit', '1001'],
    ] as const) {
      const { json } = await context.http.expect('events.list', 422, { query: { [name]: value } }, 'validation_failed')
      assertIncludes(json.errors, [{ in: 'query', pointer: `/${name}` }], `the errors for ${name}=${value}`)
    }
  }),

  scenario('events.list', 200, 'waits until there is an event or the requested time has passed', async (context) => {
    const { project, send } = await createEventSource(context, undefined, { events: ['delivery.sent'] })
    const project_id = project.id
    const { cursor } = await context.client.events.list({ project_id, wait: 0 })
    const before = Date.parse(await context.serverTime(0))
    const empty = await context.client.events.list({ project_id, cursor, wait: 1 })
    const elapsedMs = Date.parse(await context.serverTime(0)) - before
    assertEqual(empty.data, [], 'the events after a wait of 1 s')
    assert(elapsedMs >= 900 && elapsedMs < 10_000, 'a wait of 1 s must take 900 to 10,000 ms', elapsedMs)
    const startedAt = Date.parse(await context.serverTime(0))
    const waitForEvent = async () => {
      const { data } = await context.client.events.list({ project_id, cursor, wait: 30 })
      return { data, waitedMs: Date.parse(await context.serverTime(0)) - startedAt }
    }
    const [{ data, waitedMs }, id] = await Promise.all([waitForEvent(), send()])
    assertIncludes(data, [{ type: 'delivery.sent', data: { notification_id: id } }], 'the events after a wait')
    assert(waitedMs < 20_000, 'a wait of 30 s must take less than 20,000 ms if there is an event', waitedMs)
  }),

  scenario(
    'events.list',
    200,
    "omits other users' events",
    async (context) => {
      const { project, send, read } = await createEventSource(context)
      await send()
      await read(2)
      const other = context.otherClient()
      for (const filter of [{}, { type: 'notification.settled' as const }]) {
        const { data } = await other.events.list({ limit: 1000, ...filter })
        assert(!JSON.stringify(data).includes(project.id), "the feed must not contain another user's events")
      }
      await context.expectFailure(other.events.list({ project_id: project.id }), 404, 'not_found')
    },
    ['otherApiKey'],
  ),

  scenario(
    'events.list',
    200,
    'returns an event when a flow becomes unhealthy',
    async (context) => {
      const { project, read } = await createEventSource(context)
      const { source_type, target } = context.unconfiguredProvider()
      const flow = await context.createFlow(project, { source_type, target })
      // The first check makes the flow unhealthy. The deployment has no credentials for the provider, so the check fails before
      // it calls the provider. The second check changes nothing.
      for (let count = 0; count < 2; count += 1) await context.client.flows.check(project.id, flow.id)
      const { data, cursor } = await read(1)
      assertIncludes(data, [{ type: 'flow.unhealthy', data: { id: flow.id, health: { status: 'unhealthy' } } }], 'the events')
      assertEqual((await context.client.events.list({ project_id: project.id, cursor })).data, [], 'the events after the second check')
    },
    ['unconfigured'],
  ),

  scenario('eventEndpoints.replay', 200, 'sends events again with the same ids', async (context) => {
    const { project, endpoint, send, read } = await createEventSource(context, undefined, {
      url: unreachableUrl,
      events: ['delivery.sent'],
    })
    await send()
    await send()
    const { data } = await read(2)
    const [first, second] = idsOf(data)
    const countAttempts = async () =>
      (await context.client.eventEndpoints.attempts(project.id, endpoint.id)).data.filter(({ event_id }) => event_id === second).length
    const before = await countAttempts()
    const replayed = await context.client.eventEndpoints.replay(project.id, endpoint.id, { after: first ?? '' })
    assertIncludes(replayed, { id: endpoint.id, url: unreachableUrl }, 'the endpoint')
    // Each round waits one second on the server's clock.
    for (let round = 0; round < 20 && (await countAttempts()) === before; round += 1)
      await context.client.events.list({ project_id: project.id, type: 'flow.healthy', wait: 1 })
    assert((await countAttempts()) > before, 'the event that follows the one in `after` must be sent again')
  }),
]
