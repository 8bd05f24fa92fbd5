import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { sendWithoutCredentials } from '../failed-notifications.ts'
import { collectIds } from '../pages.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const pair = (count: number): Record<string, string> => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'a']))

/** Scenarios about the fields that senders can add to a notification, and about list filters. */
export const searchScenarios: readonly Scenario[] = [
  scenario('notifications.send', 202, 'returns reference, metadata and expires_at in every response', async (context) => {
    const { body } = await createScheduledNotification(context)
    const metadata = { 'A.b-c_1': '', customer: '\u{1f600}', constructor: 'Ferrari', prototype: 'F40' }
    const fields = { reference: 'order-1042', metadata }
    const expires_at = new Date(Date.parse(body.send_at) + 1).toISOString()
    const sent = await context.client.notifications.send({ ...body, ...fields, expires_at })
    assertIncludes(sent, { ...fields, expires_at }, 'the response')
    assertEqual(sent.metadata, fields.metadata, 'metadata')
    assertIncludes(await context.client.notifications.get(sent.id), { ...fields, expires_at }, 'the notification, read again')
    const listed = await context.client.notifications.list({ project_id: body.project_id, limit: 1 })
    assertIncludes(listed.data[0], { ...fields, expires_at }, 'the notification in a list')
    assertIncludes(await context.client.notifications.cancel(sent.id), { ...fields, expires_at }, 'the canceled notification')
  }),

  scenario('notifications.send', 202, 'returns {} for omitted metadata, and null for other omitted fields', async (context) => {
    const { notification } = await createScheduledNotification(context)
    assertIncludes(notification, { reference: null, metadata: {}, expires_at: null }, 'the notification')
  }),

  scenario(
    'notifications.send',
    202,
    'accepts a reference and metadata of the maximum size, and the latest possible expires_at',
    async (context) => {
      const { body } = await createScheduledNotification(context)
      const metadata = { ...pair(19), ['k'.repeat(64)]: '\u{1f600}'.repeat(500) }
      const fields = { reference: '\u{1f600}'.repeat(255), metadata, expires_at: '9999-12-31T23:59:59.999Z' }
      const sent = await context.client.notifications.send({ ...body, ...fields })
      assertIncludes(sent, fields, 'the notification')
      await context.client.notifications.cancel(sent.id)
    },
  ),

  ...(['notifications.send', 'notifications.preview'] as const).map((operation) =>
    scenario(operation, 422, 'rejects an invalid reference, metadata or expires_at', async (context) => {
      const { body } = await createScheduledNotification(context)
      const past = await context.serverTime(-1)
      for (const [fields, pointer, code] of [
        [{ reference: '' }, '/reference', 'too_short'],
        [{ reference: 'a'.repeat(256) }, '/reference', 'too_long'],
        [{ reference: null }, '/reference', 'invalid_type'],
        [{ metadata: pair(21) }, '/metadata', 'too_long'],
        [{ metadata: { ...pair(21), 'a b': 1 } }, '/metadata', 'too_long'],
        [{ metadata: { 'a b': 'c' } }, '/metadata/a b', 'invalid_value'],
        [{ metadata: { ['k'.repeat(65)]: 'c' } }, `/metadata/${'k'.repeat(65)}`, 'invalid_value'],
        [{ metadata: { '': 'c' } }, '/metadata/', 'invalid_value'],
        [{ metadata: { a: 'b'.repeat(501) } }, '/metadata/a', 'too_long'],
        [{ metadata: { a: 1 } }, '/metadata/a', 'invalid_type'],
        [{ metadata: { a: 'b\u0000' } }, '/metadata/a', 'invalid_text'],
        [{ metadata: [] }, '/metadata', 'invalid_type'],
        [{ expires_at: 'tomorrow' }, '/expires_at', 'invalid_value'],
        [{ expires_at: past }, '/expires_at', 'too_small'],
        [{ expires_at: past, send_at: undefined }, '/expires_at', 'too_small'],
        [{ expires_at: body.send_at }, '/expires_at', 'too_small'],
        [{ expires_at: '9999-12-31T23:59:59-05:00' }, '/expires_at', 'too_big'],
      ] as const) {
        const response = await context.http.expect(operation, 422, { json: { ...body, ...fields } }, 'validation_failed')
        const errors = response.json.errors as readonly { in: string; pointer: string; code: string }[]
        const isReported = errors.some((error) => error.in === 'body' && error.pointer === pointer && error.code === code)
        assert(isReported, `errors for ${JSON.stringify(fields).slice(0, 60)} must contain ${code} for ${pointer}`, errors)
      }
    }),
  ),

  scenario(
    'notifications.send',
    422,
    'rejects an idempotency key that was used with a different reference, metadata or expires_at',
    async (context) => {
      const { body } = await createScheduledNotification(context)
      const fields = { ...body, reference: 'a', metadata: { a: '1', b: '2' }, expires_at: '2999-01-01T00:00:00Z' }
      const options = { idempotencyKey: context.uniqueName().replace(' ', '-') }
      const sent = await context.client.notifications.send(fields, options)
      const again = await context.client.notifications.send({ ...fields, metadata: { b: '2', a: '1' } }, options)
      assertEqual(again, sent, 'the response to the repeated request')
      await context.client.notifications.cancel(sent.id)
      for (const change of [{ reference: 'b' }, { metadata: { a: '1' } }, { expires_at: '2999-01-02T00:00:00Z' }])
        await context.expectFailure(context.client.notifications.send({ ...fields, ...change }, options), 422, 'idempotency_key_reused')
    },
  ),

  scenario('notifications.list', 200, 'filters by exact reference', async (context) => {
    const { body } = await createScheduledNotification(context)
    const reference = context.uniqueName()
    const send = async (value: string) => (await context.client.notifications.send({ ...body, reference: value })).id
    const [first, , second] = [await send(reference), await send(`${reference} `), await send(reference)]
    const ids = async (query: object) => (await context.client.notifications.list(query)).data.map(({ id }) => id)
    assertEqual(await ids({ reference }), [second, first], 'the notifications with the reference')
    assertEqual(await ids({ reference: reference.slice(0, -1) }), [], 'the notifications found by a prefix of the reference')
    assertEqual(await ids({ reference, project_id: (await context.createProject()).id }), [], "another project's notifications")
    const pages = await collectIds(context.client.notifications.list({ reference, status: 'queued', limit: 1 }))
    assertEqual(
      pages.filter(({ length }) => length > 0),
      [[second], [first]],
      'the ids on each page',
    )
  }),

  scenario('notifications.list', 200, "filters by a target's canonical form", async (context) => {
    const { project, body } = await createScheduledNotification(context)
    const flow = await context.createFlow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    const send = async (target: string) => (await context.client.notifications.send({ ...body, flow_id: flow.id, target })).id
    const [first, second, other] = [await send('Ops@example.com'), await send('Ops@EXAMPLE.com'), await send('ops@example.com')]
    const ids = async (target: string, query: object = {}) =>
      (await context.client.notifications.list({ project_id: project.id, target, ...query })).data.map(({ id }) => id)
    assertEqual(await ids('Ops@Example.COM'), [second, first], 'the pending notifications to the recipient')
    assertEqual(await ids('ops@example.com', { source_type: 'smtp', flow_id: flow.id }), [other], 'the notifications to another recipient')
    for (const id of [first, second]) await context.client.notifications.cancel(id)
    assertEqual(await ids('Ops@Example.COM'), [second, first], 'the completed notifications to the recipient')
    assertEqual(await ids('Ops@Example.COM', { status: 'queued' }), [], 'the queued notifications to the recipient')
    assertEqual(await ids('Ops@Example.COM', { source_type: 'slack' }), [], 'the notifications through another provider')
    for (const target of ['example.com', 'nobody@example.com', 'Ops@example.com;ops@example.com', ' Ops@example.com'])
      assertEqual(await ids(target), [], `the notifications to ${JSON.stringify(target)}`)
  }),

  scenario(
    'notifications.list',
    200,
    'filters by acceptance time, with created_after inclusive and created_before exclusive',
    async (context) => {
      const { project, notification, body } = await createScheduledNotification(context)
      const second = await context.client.notifications.send(body)
      const at = (created_at: string, ms: number) => new Date(Date.parse(created_at) + ms).toISOString()
      const ids = async (query: object) =>
        (await context.client.notifications.list({ project_id: project.id, ...query })).data.map(({ id }) => id)
      const { created_at } = notification
      assert(
        (await ids({ created_after: created_at })).includes(notification.id),
        'created_after must include notifications accepted at that time',
      )
      assert(
        !(await ids({ created_before: created_at })).includes(notification.id),
        'created_before must exclude notifications accepted at that time',
      )
      assert(
        (await ids({ created_before: at(created_at, 1) })).includes(notification.id),
        'created_before must include notifications accepted before that time',
      )
      assertEqual(await ids({ created_after: at(second.created_at, 1) }), [], 'the notifications accepted after the last one')
      assertEqual(
        await ids({ created_after: created_at, created_before: at(second.created_at, 1) }),
        [second.id, notification.id],
        'the notifications with both filters',
      )
    },
  ),

  scenario('notifications.list', 422, 'rejects malformed filters', async (context) => {
    for (const [name, value, code] of [
      ['reference', '', 'too_short'],
      ['target', '', 'too_short'],
      ['source_type', '', 'too_short'],
      ['failure_kind', 'lost', 'invalid_value'],
      ['failure_code', 'a'.repeat(256), 'too_long'],
      ['created_after', 'yesterday', 'invalid_value'],
      ['created_before', '2026-11-21', 'invalid_value'],
    ] as const) {
      const response = await context.http.expect('notifications.list', 422, { query: { [name]: value } }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'query', pointer: `/${name}`, code }], `errors for ${name}`)
    }
  }),

  scenario('notifications.list', 400, 'rejects a cursor if any search filter has changed', async (context) => {
    const { body } = await createScheduledNotification(context)
    const reference = context.uniqueName()
    for (let sent = 0; sent < 2; sent += 1) await context.client.notifications.send({ ...body, reference })
    const { next_cursor } = await context.client.notifications.list({ reference, limit: 1 })
    assert(next_cursor, 'a list with more pages must have a next_cursor')
    const cursor = next_cursor ?? ''
    for (const query of [
      {},
      { reference: 'other' },
      { reference, created_before: '2999-01-01T00:00:00Z' },
      { reference, failure_kind: 'rate' },
    ])
      await context.http.expect('notifications.list', 400, { query: { ...query, cursor } }, 'invalid_cursor')
  }),

  scenario(
    'notifications.retry',
    409,
    'rejects a retry of an expired notification',
    async (context) => {
      const expires_at = await context.serverTime(4_000)
      const { settled } = await sendWithoutCredentials(context, async ({ flow }) => [{ flow_id: flow.id, expires_at }])
      const [failed] = await settled()
      assert(failed, 'the notification must exist')
      assertIncludes(failed, { status: 'failed', expires_at }, 'the notification')
      // Waits until `expires_at` has passed on the server's clock. The server waits up to 5 seconds for another notification to
      // complete. That notification is scheduled far ahead, so the server waits the full 5 seconds.
      const { notification } = await createScheduledNotification(context)
      await context.client.notifications.get(notification.id, { wait: 5 })
      await context.expectFailure(context.client.notifications.retry(failed.id), 409, 'not_retryable')
    },
    ['unconfigured'],
  ),
]
