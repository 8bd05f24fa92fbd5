import type { NotificationBatchItem } from '@flowpost/client'
import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import type { PlainResponse } from '../http.ts'
import { idOf } from '../pages.ts'
import { samples, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const createKey = (context: ScenarioContext): string => context.uniqueName().replaceAll(' ', '-')

/** Creates a project with a flow, and returns a valid batch item for the project. */
const createItem = async (context: ScenarioContext): Promise<NotificationBatchItem> => {
  const { json } = await samples['notifications.send'](context)
  return json as NotificationBatchItem
}

const send = (context: ScenarioContext, notifications: readonly unknown[], key?: string): Promise<PlainResponse> =>
  context.http.expect('notifications.sendBatch', 200, {
    json: { notifications },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })

interface Result {
  readonly status: number
  readonly notification?: { readonly id: string; readonly subject: string; readonly deliveries: readonly { flow_id: string }[] }
  readonly problem?: { readonly request_id: string; readonly code: string; readonly errors?: readonly { pointer: string; code: string }[] }
}

const resultsOf = ({ json }: PlainResponse): readonly Result[] => json.results

/** Returns the subject or the problem code of each result. */
const outcomesOf = (response: PlainResponse): readonly (string | undefined)[] =>
  resultsOf(response).map(({ notification, problem }) => notification?.subject ?? problem?.code)

const idsOf = (response: PlainResponse): readonly (string | undefined)[] => resultsOf(response).map(({ notification }) => notification?.id)

const countStored = async (context: ScenarioContext, { project_id }: NotificationBatchItem): Promise<number> =>
  (await context.client.notifications.list({ project_id })).data.length

/** Scenarios about notification batches. */
export const batchScenarios: readonly Scenario[] = [
  scenario('notifications.sendBatch', 200, 'accepts items for several projects and returns results in the same order', async (context) => {
    const items = [await createItem(context), await createItem(context)]
    const all = [...items, ...items].map((item, index) => ({ ...item, subject: `Conformance ${index}` }))
    const response = await send(context, all)
    for (const [index, { status, notification }] of resultsOf(response).entries()) {
      assertEqual(status, 202, `status of item ${index}`)
      const stored = await context.client.notifications.get(notification?.id ?? '')
      assertEqual(
        [stored.subject, stored.project_id, stored.status],
        [all[index]?.subject, all[index]?.project_id, 'queued'],
        'subject, project_id and status of the stored notification',
      )
    }
  }),

  scenario('notifications.sendBatch', 200, 'triggers the flow that each item names, or all flows of the project', async (context) => {
    const item = await createItem(context)
    const projectId = item.project_id ?? ''
    await context.createFlow({ id: projectId })
    const flows = (await context.client.flows.list(projectId)).data.map(idOf).sort()
    const items = [...flows, undefined, flows[0]].map((flow_id) => ({ ...item, ...(flow_id && { flow_id }) }))
    const flowsOf = ({ notification }: Result) => notification?.deliveries.map(({ flow_id }) => flow_id).sort()
    const expected = [[flows[0]], [flows[1]], flows, [flows[0]]]
    assertEqual(resultsOf(await send(context, items)).map(flowsOf), expected, "the flows of each notification's deliveries")
  }),

  scenario(
    'notifications.sendBatch',
    200,
    'rejects only the invalid notifications, each with the problem that notifications.send would return',
    async (context) => {
      const item = await createItem(context)
      const project = await context.createProject()
      const invalid = [
        { ...item, subject: '', colour: 'red' },
        { ...item, constructor: 'Ferrari', prototype: 'F40' },
        { ...item, subject: '', send_at: '2999-01-01T00:00:00Z', target: 'smtp:nonsense;smtp:' },
        { ...item, send_at: '2999-01-01T00:00:00Z', expires_at: '1999-01-01T00:00:00Z', target: 'smtp:nonsense' },
        { ...item, message: undefined },
        { ...item, project_id: unknownId('project') },
        { ...item, project_id: project.id },
        { ...item, target: 'pigeon:coop' },
        { ...item, target: 'one@example.com' },
        { ...item, send_at: '2999-01-01T00:00:00Z' },
        { ...item, subject: 'a\u0000b', metadata: { '\ud800': 'x' } },
        null,
        [],
        'text',
        7,
      ]
      const response = await send(context, [item, ...invalid, item])
      const results = resultsOf(response)
      assertEqual(
        [results.length, results[0]?.status, results.at(-1)?.status],
        [invalid.length + 2, 202, 202],
        'the number of results, and the statuses of the valid notifications',
      )
      for (const [index, json] of invalid.entries()) {
        const alone = await context.http.call('notifications.send', { json })
        const result = results[index + 1]
        assertEqual(result?.status, alone.status, `status of item ${index + 1}`)
        assertEqual({ ...result?.problem, request_id: '' }, { ...alone.json, request_id: '' }, `problem of item ${index + 1}`)
        assertEqual(result?.problem?.request_id, response.headers.get('x-request-id'), 'request_id in the problem')
      }
      assertEqual(await countStored(context, item), 2, 'number of notifications')
    },
  ),

  scenario('notifications.sendBatch', 200, 'lists 1,000 errors, and then only the first error of each later item', async (context) => {
    const unknownFields = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`colour-${index}`, 'red']))
    const item = { ...(await createItem(context)), ...unknownFields }
    const counts = resultsOf(await send(context, [item, item, item, item])).map(({ problem }) => problem?.errors?.length)
    assertEqual(counts, [600, 400, 1, 1], 'the number of errors of each problem')
  }),

  scenario('notifications.sendBatch', 200, 'returns not_found for items outside the project of the API key', async (context) => {
    const [own, other] = [await createItem(context), await createItem(context)]
    const { key } = await context.createKey({ project_id: own.project_id ?? '', scopes: ['notifications:send'] })
    const response = await context.http.expect('notifications.sendBatch', 200, { json: { notifications: [other, own] }, key })
    assertEqual(outcomesOf(response), ['not_found', own.subject], 'outcomes')
  }),

  scenario('notifications.sendBatch', 422, 'rejects a body that is not a batch', async (context) => {
    const item = await createItem(context)
    for (const [json, pointer, code] of [
      [{}, '/notifications', 'required'],
      [{ notifications: [] }, '/notifications', 'too_short'],
      [{ notifications: Array.from({ length: 501 }, () => item) }, '/notifications', 'too_long'],
      [{ notifications: item }, '/notifications', 'invalid_type'],
      [{ notifications: [item], colour: 'red' }, '/colour', 'unknown_field'],
      [[item], '', 'invalid_type'],
    ] as const) {
      const { json: problem } = await context.http.expect('notifications.sendBatch', 422, { json }, 'validation_failed')
      assertEqual([problem.errors[0]?.pointer, problem.errors[0]?.code], [pointer, code], 'pointer and code of the first error')
    }
    assertEqual(await countStored(context, item), 0, 'number of notifications')
  }),

  scenario('notifications.sendBatch', 422, 'rejects an idempotency key that was used with a different batch', async (context) => {
    const item = await createItem(context)
    const key = createKey(context)
    await send(context, [{ ...item, subject: '' }, item], key)
    for (const notifications of [[item], [{ ...item, subject: '' }, item, item], [{ ...item, subject: 'Other' }, item]])
      await context.http.expect(
        'notifications.sendBatch',
        422,
        { json: { notifications }, headers: { 'idempotency-key': key } },
        'idempotency_key_reused',
      )
    assertEqual(await countStored(context, item), 1, 'number of notifications')
  }),

  scenario('notifications.sendBatch', 200, 'replays the accepted items of a repeated batch and retries rejected ones', async (context) => {
    const item = await createItem(context)
    const project = await context.createProject()
    const notifications = [item, { ...item, project_id: project.id }, { ...item, subject: '' }]
    const key = createKey(context)
    const first = await send(context, notifications, key)
    assertEqual(outcomesOf(first), [item.subject, 'no_active_flows', 'validation_failed'], 'outcomes')
    await context.createFlow(project)
    const second = await send(context, notifications, key)
    assertEqual(outcomesOf(second), [item.subject, item.subject, 'validation_failed'], 'outcomes of the repeated batch')
    assertEqual(idsOf(second)[0], idsOf(first)[0], 'id of the accepted notification')
    assertEqual(second.headers.get('idempotency-replayed'), null, 'the Idempotency-Replayed header when an item is new')
    const third = await send(context, notifications, key)
    assertEqual(idsOf(third), idsOf(second), 'the notification ids')
    assertEqual(third.headers.get('idempotency-replayed'), 'true', 'the Idempotency-Replayed header when all accepted items are replayed')
    assertEqual(await countStored(context, item), 1, 'number of notifications')
  }),

  scenario('notifications.sendBatch', 200, 'shares idempotency keys between batch items and single sends', async (context) => {
    const item = await createItem(context)
    const [sentAlone, sentInBatch] = [createKey(context), createKey(context)]
    const headersOf = (key: string) => ({ headers: { 'idempotency-key': key } })
    const alone = await context.http.expect('notifications.send', 202, { json: item, ...headersOf(sentAlone) })
    const response = await send(context, [
      { ...item, idempotency_key: sentAlone },
      { ...item, idempotency_key: sentInBatch },
      { ...item, idempotency_key: sentAlone, subject: 'Other' },
    ])
    assertEqual(outcomesOf(response), [item.subject, item.subject, 'idempotency_key_reused'], 'outcomes')
    assertEqual(idsOf(response)[0], alone.json.id, 'id of the replayed notification')
    const replayed = await context.http.expect('notifications.send', 202, { json: item, ...headersOf(sentInBatch) })
    assertEqual(
      [replayed.json.id, replayed.headers.get('idempotency-replayed')],
      [idsOf(response)[1], 'true'],
      'the id and the Idempotency-Replayed header',
    )
    assertEqual(replayed.headers.get('location'), `/v1/notifications/${idsOf(response)[1]}`, 'the Location header')
    assertEqual(await countStored(context, item), 2, 'number of notifications')
  }),

  scenario('notifications.sendBatch', 200, 'binds an idempotency key to the first accepted item that has it', async (context) => {
    const item = { ...(await createItem(context)), idempotency_key: createKey(context) }
    const other = { ...item, subject: 'Other' }
    const response = await send(context, [{ ...item, project_id: unknownId('project') }, item, other, item])
    assertEqual(outcomesOf(response), ['not_found', item.subject, 'idempotency_key_reused', item.subject], 'outcomes')
    assertEqual(idsOf(response)[3], idsOf(response)[1], 'id of the notification for the repeated item')
    assertEqual(await countStored(context, item), 1, 'number of notifications')
  }),

  scenario('notifications.sendBatch', 200, "prefers a notification's idempotency key to the batch's key", async (context) => {
    const item = { ...(await createItem(context)), idempotency_key: createKey(context) }
    const [first, second] = [await send(context, [item], createKey(context)), await send(context, [item], createKey(context))]
    assertEqual(idsOf(second), idsOf(first), 'the notification ids')
    const { idempotency_key, ...body } = item
    const headers = { 'idempotency-key': idempotency_key }
    const replayed = await context.http.expect('notifications.send', 202, { json: body, headers })
    assertEqual(replayed.json.id, idsOf(first)[0], 'id of the replayed notification')
  }),

  scenario('notifications.sendBatch', 200, "requires 1 to 255 visible characters in an item's idempotency key", async (context) => {
    const item = await createItem(context)
    const key = createKey(context).padEnd(255, '~')
    const response = await send(
      context,
      [key, `${key}~`, '', 'with a blank', 7].map((idempotency_key) => ({ ...item, idempotency_key })),
    )
    assertEqual(
      resultsOf(response).map(({ status, problem }) => [status, problem?.errors?.[0]?.pointer]),
      [[202, undefined], ...Array.from({ length: 4 }, () => [422, '/idempotency_key'])],
      'status and first error pointer of each result',
    )
  }),

  scenario(
    'notifications.sendBatch',
    200,
    'stores the notifications once for concurrent batches with the same idempotency key',
    async (context) => {
      const item = await createItem(context)
      const key = createKey(context)
      const responses = await Promise.all(Array.from({ length: 5 }, () => send(context, [item, item], key)))
      const ids = new Set(responses.flatMap(idsOf).filter((id) => id !== undefined))
      assert(ids.size <= 2, 'repeated batches must not store additional notifications', [...ids])
      assertEqual(await countStored(context, item), 2, 'number of notifications')
    },
  ),

  scenario('notifications.sendBatch', 200, 'captures notifications sent with a test key, and marks them as tests', async (context) => {
    const item = await createItem(context)
    const { key } = await context.createKey({ mode: 'test' })
    const { json } = await context.http.expect('notifications.sendBatch', 200, { json: { notifications: [item] }, key })
    const { test, deliveries } = json.results[0].notification
    assertEqual([test, deliveries[0].captured], [true, true], '`test` and `captured`')
  }),
]
