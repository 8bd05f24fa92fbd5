import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createFailed, createScheduled, runToEnd } from '../bulk-actions.ts'
import { collectIds } from '../pages.ts'
import { createScheduledNotification, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about bulk actions. */
export const bulkActionScenarios: readonly Scenario[] = [
  scenario('bulkActions.create', 202, 'cancels each matching delivery once', async (context) => {
    const { filter, other, statuses } = await createScheduled(context)
    const done = await runToEnd(context, { action: 'cancel', filter: { ...filter, flow_id: other.id } })
    const applied = { flow_id: other.id, project_id: filter.project_id, created_before: null, status: null, failure_code: null }
    assertIncludes(done, { action: 'cancel', status: 'done', matched: 1, done: 1, skipped: 0, filter: applied }, 'the action')
    assert(done.completed_at !== null, 'an action that is done must have completed_at')
    assertEqual(await statuses(), ['queued', 'canceled'], 'the notification statuses')
    assertIncludes(await runToEnd(context, { action: 'cancel', filter }), { matched: 1, done: 1 }, 'an action without a flow filter')
    assertEqual(await statuses(), ['canceled', 'canceled'], 'the notification statuses after both actions')
    assertIncludes(await runToEnd(context, { action: 'cancel', filter }), { status: 'done', matched: 0 }, 'a repeated action')
  }),

  scenario('bulkActions.create', 202, 'leaves other projects unchanged', async (context) => {
    const { filter, body } = await createScheduled(context)
    const elsewhere = await createScheduledNotification(context)
    const last = await context.client.notifications.send(body)
    context.onCleanup(({ client }) => client.notifications.cancel(last.id))
    await runToEnd(context, { action: 'cancel', filter })
    assertIncludes(await context.client.notifications.get(last.id), { status: 'canceled' }, "the project's last notification")
    assertIncludes(
      await context.client.notifications.get(elsewhere.notification.id),
      { status: 'queued' },
      'a notification in another project',
    )
  }),

  scenario('bulkActions.create', 202, 'selects deliveries by status, provider, failure and time', async (context) => {
    const { filter, notification, second, statuses } = await createScheduled(context)
    const none = [
      { status: 'retrying' as const },
      { source_type: 'pigeon' },
      { failure_kind: 'rate' as const },
      { failure_code: 'rate_limited' },
      { created_after: new Date(Date.parse(second.created_at) + 1).toISOString() },
      { created_before: notification.created_at },
    ].filter((fields) => fields.created_before === undefined || fields.created_before > filter.created_after)
    for (const fields of none)
      assertIncludes(
        await runToEnd(context, { action: 'cancel', filter: { ...filter, ...fields } }),
        { status: 'done', matched: 0 },
        `the action with the filter ${JSON.stringify(fields)}`,
      )
    assertEqual(await statuses(), ['queued', 'queued'], 'the notification statuses')
    const exact = { ...filter, status: 'queued' as const, source_type: context.receiver.source_type }
    assertIncludes(await runToEnd(context, { action: 'cancel', filter: exact }), { matched: 2, done: 2 }, 'the matching action')
  }),

  scenario('bulkActions.create', 202, 'excludes notifications that are accepted after the action is created', async (context) => {
    const { filter, body, statuses } = await createScheduled(context)
    const created = await context.client.bulkActions.create({ action: 'cancel', filter })
    const later = await context.client.notifications.send(body)
    context.onCleanup(({ client }) => client.notifications.cancel(later.id))
    assert('id' in created, 'the response must be an action', created)
    assertIncludes(await context.client.bulkActions.get(created.id, { wait: 30 }), { matched: 2, done: 2 }, 'the action')
    assertEqual(await statuses(), ['canceled', 'canceled', 'queued'], 'the notification statuses')
  }),

  scenario('bulkActions.create', 202, 'retries each matching failed delivery once', async (context) => {
    const { filter, code, settled } = await createFailed(context)
    const other = await runToEnd(context, { action: 'retry', filter: { ...filter, failure_code: `${code}?` } })
    assertIncludes(other, { status: 'done', matched: 0, done: 0 }, 'an action with another failure code')
    const exact = { ...filter, failure_code: code, failure_kind: 'target' as const, status: 'failed' as const }
    assertIncludes(await runToEnd(context, { action: 'retry', filter: exact }), { matched: 2, done: 2, skipped: 0 }, 'the action')
    for (const notification of await settled())
      assertIncludes(notification, { status: 'failed', deliveries: [{ attempt_count: 2 }] }, 'a notification after the retry')
  }),

  scenario('bulkActions.create', 202, 'spreads retries over time', async (context) => {
    const { filter, ids } = await createFailed(context, 1)
    const done = await runToEnd(context, { action: 'retry', filter, spread_seconds: 86_400 })
    assertIncludes(done, { spread_seconds: 86_400, matched: 1, done: 1 }, 'the action')
    const notification = await context.client.notifications.get(ids[0] ?? '')
    assertIncludes(notification, { status: 'queued', deliveries: [{ status: 'queued', attempt_count: 1 }] }, 'the notification')
    const dueAt = Date.parse(notification.deliveries[0]?.next_attempt_at ?? '')
    const latest = Date.parse(done.created_at) + 86_400_000
    assert(dueAt >= Date.parse(done.created_at) && dueAt <= latest, 'a retry must be due within spread_seconds', dueAt)
    const canceled = await runToEnd(context, { action: 'cancel', filter })
    assertIncludes(canceled, { matched: 1, done: 1 }, 'the cancellation of a delayed retry')
  }),

  scenario('bulkActions.create', 202, 'replays the response to a repeated request', async (context) => {
    const { filter } = await createScheduled(context)
    const request = { json: { action: 'cancel', filter }, headers: { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') } }
    const first = await context.http.expect('bulkActions.create', 202, request)
    assertEqual(first.headers.get('location'), `/v1/bulk-actions/${first.json.id}`, 'the Location header')
    await context.client.bulkActions.get(first.json.id, { wait: 30 })
    const again = await context.http.expect('bulkActions.create', 202, request)
    assertEqual(
      [again.json, again.headers.get('idempotency-replayed')],
      [first.json, 'true'],
      'the replayed action and the Idempotency-Replayed header',
    )
  }),

  scenario('bulkActions.create', 202, 'finishes the action even if the credential that created it is revoked', async (context) => {
    const { filter } = await createScheduled(context)
    const { id, key } = await context.client.apiKeys.create({ name: context.uniqueName() })
    const { json } = await context.http.expect('bulkActions.create', 202, { json: { action: 'cancel', filter }, key })
    await context.client.apiKeys.delete(id)
    assertIncludes(await context.client.bulkActions.get(json.id, { wait: 30 }), { status: 'done', matched: 2, done: 2 }, 'the action')
  }),

  scenario(
    'bulkActions.create',
    422,
    'rejects a status filter that does not fit the action, an empty time range, and other invalid fields',
    async (context) => {
      const project = await context.createProject()
      const base = { project_id: project.id, created_after: project.created_at }
      const expectErrors = async (json: object, pointers: readonly string[]) => {
        const response = await context.http.expect('bulkActions.create', 422, { json }, 'validation_failed')
        const found = response.json.errors.map(({ pointer }: { pointer: string }) => pointer)
        assertEqual(found.sort(), pointers, `the errors for ${JSON.stringify(json)}`)
      }
      await expectErrors({ action: 'retry', filter: { ...base, status: 'queued' } }, ['/filter/status'])
      await expectErrors({ action: 'cancel', filter: { ...base, status: 'failed' } }, ['/filter/status'])
      await expectErrors({ action: 'retry', filter: { ...base, status: 'sent' } }, ['/filter/status'])
      await expectErrors({ action: 'retry', filter: { ...base, created_before: base.created_after } }, ['/filter/created_before'])
      await expectErrors({ action: 'retry', filter: base, spread_seconds: 86_401 }, ['/spread_seconds'])
      await expectErrors({ action: 'retry', filter: {} }, ['/filter/created_after', '/filter/project_id'])
      await expectErrors({ action: 'delete', filter: base }, ['/action'])
    },
  ),

  scenario('bulkActions.create', 404, 'returns not_found for an unknown project, and for a flow outside the project', async (context) => {
    const { filter } = await createScheduled(context)
    const foreign = await context.createFlow(await context.createProject())
    for (const fields of [
      { project_id: unknownId('project') },
      { project_id: 'nonsense' },
      { flow_id: unknownId('flow') },
      { flow_id: foreign.id },
    ])
      for (const dry_run of [true, false]) {
        const json = { action: 'cancel', filter: { ...filter, ...fields }, dry_run }
        await context.http.expect('bulkActions.create', 404, { json }, 'not_found')
      }
  }),

  scenario('bulkActions.create', 404, "returns not_found for a project other than the credential's project", async (context) => {
    const { filter, statuses } = await createScheduled(context)
    const { key } = await context.createKey({ project_id: (await context.createProject()).id })
    await context.http.expect('bulkActions.create', 404, { json: { action: 'cancel', filter }, key }, 'not_found')
    assertEqual(await statuses(), ['queued', 'queued'], 'the notification statuses')
  }),

  scenario(
    'bulkActions.create',
    404,
    "returns not_found for another user's project",
    async (context) => {
      const { filter, statuses } = await createScheduled(context)
      const key = context.target.otherApiKey ?? null
      for (const dry_run of [true, false])
        await context.http.expect('bulkActions.create', 404, { json: { action: 'cancel', filter, dry_run }, key }, 'not_found')
      assertEqual(await statuses(), ['queued', 'queued'], 'the notification statuses')
    },
    ['otherApiKey'],
  ),

  scenario('bulkActions.list', 200, "pages through the actions in the credential's project, newest first", async (context) => {
    const { filter } = await createScheduled(context)
    const { filter: otherFilter } = await createScheduled(context)
    const first = await runToEnd(context, { action: 'cancel', filter })
    const other = await runToEnd(context, { action: 'cancel', filter: otherFilter })
    const second = await runToEnd(context, { action: 'cancel', filter })
    const pages = await collectIds(context.client.bulkActions.list({ limit: 100 }), 1_000)
    const ours = pages.flat().filter((id) => [first.id, other.id, second.id].includes(id))
    assertEqual(ours, [second.id, other.id, first.id], 'the ids listed with an unbound credential')
    const { key } = await context.createKey({ project_id: filter.project_id })
    const page = await context.http.expect('bulkActions.list', 200, { key, query: { limit: '1' } })
    assertIncludes(page.json.data, [second], 'the first page')
    const next = await context.http.expect('bulkActions.list', 200, { key, query: { limit: '1', cursor: page.json.next_cursor } })
    assertIncludes(next.json, { data: [first], next_cursor: null }, 'the last page')
  }),

  scenario('bulkActions.get', 200, 'returns a completed action without waiting', async (context) => {
    const { filter } = await createScheduled(context)
    const done = await runToEnd(context, { action: 'cancel', filter })
    assertEqual(await context.client.bulkActions.get(done.id), done, 'the action')
    const before = Date.parse(await context.serverTime(0))
    assertEqual(await context.client.bulkActions.get(done.id, { wait: 20 }), done, 'the action, read with a wait')
    const elapsedMs = Date.parse(await context.serverTime(0)) - before
    assert(elapsedMs < 10_000, 'a wait for a completed action must take less than 10,000 ms', elapsedMs)
  }),

  scenario('bulkActions.get', 422, 'rejects a wait outside 1 to 60 seconds', async (context) => {
    const { filter } = await createScheduled(context)
    const { id } = await runToEnd(context, { action: 'cancel', filter })
    for (const wait of ['0', '61', '1.5', ''])
      await context.http.expect('bulkActions.get', 422, { params: { action_id: id }, query: { wait } }, 'validation_failed')
  }),

  scenario('bulkActions.stop', 200, 'stops a running action, and does not change a completed one', async (context) => {
    const { filter } = await createScheduled(context)
    const created = await context.http.expect('bulkActions.create', 202, { json: { action: 'cancel', filter } })
    const stopped = await context.client.bulkActions.stop(created.json.id)
    // A short action may finish before the stop request arrives.
    assert(stopped.status === 'stopped' || stopped.status === 'done', 'an action must end when it is stopped', stopped)
    assert(stopped.completed_at !== null, 'an action that has ended must have completed_at')
    assertEqual(await context.client.bulkActions.get(stopped.id, { wait: 5 }), stopped, 'the stopped action, read again')
    const done = await runToEnd(context, { action: 'cancel', filter })
    assertEqual(await context.client.bulkActions.stop(done.id), done, 'the completed action')
  }),
]
