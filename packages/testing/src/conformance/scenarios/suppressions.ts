import type { NotificationSend } from '@flowpost/client'
import { assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { collectIds, idOf } from '../pages.ts'
import { farFutureMs, uniqueAddress } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }
const failure = { kind: 'target', code: 'suppressed', retryable: false }
const failed = { status: 'failed', attempt_count: 0, next_attempt_at: null, sent_at: null, failure }

/**
 * Creates a project with an email flow that accepts any target. The returned `send` uses a test key, so nothing is
 * delivered.
 */
export const createOpenFlow = async (context: ScenarioContext) => {
  const project = await context.createProject()
  const flow = await context.createFlow(project, { source_type: 'smtp', target: 'default@flowpost.test', override_target: true })
  const { key } = await context.createKey({ mode: 'test' })
  const send = async (fields: Partial<NotificationSend>, headers: Record<string, string> = {}) => {
    const json = { project_id: project.id, ...text, ...fields }
    const { json: notification } = await context.http.expect('notifications.send', 202, { json, key, headers })
    return notification as Awaited<ReturnType<typeof context.client.notifications.send>>
  }
  const later = async () => new Date(Date.parse(project.created_at) + farFutureMs).toISOString()
  return { project, flow, key, send, later }
}

/** Scenarios about suppression lists. */
export const suppressionScenarios: readonly Scenario[] = [
  scenario('suppressions.create', 201, 'returns the canonical address, the reason and the source', async (context) => {
    const { id } = await context.createProject()
    const created = await context.client.suppressions.create(id, { target: ' Bob@EXAMPLE.com ', reason: 'bounce' }).withResponse()
    assertIncludes(created.data, { target: 'Bob@EXAMPLE.com', source_type: null, reason: 'bounce', source: 'api' }, 'the suppression')
    const location = `/v1/settings/projects/${id}/suppressions/${created.data.id}`
    assertEqual([created.response.status, created.response.headers.get('location')], [201, location], 'the status and the Location header')
    const named = await context.client.suppressions.create(id, { target: 'slack:C024BE91L' })
    assertIncludes(named, { target: 'C024BE91L', source_type: 'slack', reason: 'manual' }, 'the suppression for a named provider')
  }),

  scenario('suppressions.create', 200, "returns a recipient's existing suppression", async (context) => {
    const { id } = await context.createProject()
    const first = await context.client.suppressions.create(id, { target: 'bob@example.com', reason: 'complaint' })
    const again = await context.client.suppressions.create(id, { target: 'BOB@example.com', reason: 'manual' }).withResponse()
    assertEqual([again.response.status, again.data], [200, first], 'status and suppression')
    const { data } = await context.client.suppressions.list(id)
    assertEqual(data, [first], 'the suppressions')
  }),

  scenario(
    'suppressions.create',
    422,
    'rejects an address that is invalid for the named provider, or for every provider if none is named',
    async (context) => {
      const { id } = await context.createProject()
      for (const target of ['not an address', 'smtp:ops', 'pigeon:loft']) {
        const request = { params: { project_id: id }, json: { target } }
        const { json } = await context.http.expect('suppressions.create', 422, request, 'validation_failed')
        assertIncludes(json.errors, [{ in: 'body', pointer: '/target', code: 'invalid_target' }], `errors for ${target}`)
      }
    },
  ),

  scenario('notifications.send', 202, 'immediately fails a delivery to a suppressed recipient', async (context) => {
    const { project, send } = await createOpenFlow(context)
    await context.client.suppressions.create(project.id, { target: 'bob@example.com' })
    const sent = await send({ target: 'bob@example.com' })
    assertIncludes(sent, { status: 'failed', deliveries: [{ target: 'bob@example.com', ...failed }] }, 'the response')
    const { deliveries, ...read } = await context.client.notifications.get(sent.id)
    assertIncludes(read, { status: 'failed', subject: text.subject }, 'the notification')
    assertIncludes(deliveries, [{ ...failed, attempts: [] }], 'the deliveries')
    const query = { project_id: project.id, failure_code: 'suppressed', target: 'bob@example.com' }
    assertEqual((await context.client.notifications.list(query)).data.map(idOf), [sent.id], 'the suppressed notifications')
  }),

  scenario('notifications.send', 202, 'delivers to the other recipients when one is suppressed', async (context) => {
    const { project, key, send, later } = await createOpenFlow(context)
    await context.client.suppressions.create(project.id, { target: 'bob@flowpost.test' })
    // A misspelled simulated recipient is rejected even if it is suppressed.
    const misspelled = { project_id: project.id, ...text, target: 'bob@flowpost.test;ok@flowpost.test', send_at: await later() }
    await context.http.expect('notifications.send', 422, { json: misspelled, key }, 'validation_failed')
    await context.client.suppressions.create(project.id, { target: 'slow.20s@flowpost.test' })
    const { id, status, deliveries } = await send({ target: 'slow.20s@flowpost.test;ok@flowpost.test' })
    assertEqual(status, 'sending', 'the notification status')
    assertIncludes(deliveries, [failed, { status: 'queued', failure: null }], 'deliveries')
    const completed = await context.client.notifications.get(id, { wait: 30 })
    assertIncludes(completed, { status: 'partially_sent', deliveries: [failed, { status: 'sent' }] }, 'the notification')
  }),

  scenario('notifications.get', 200, 'fails a queued message if its recipient is suppressed before the message is due', async (context) => {
    const { project, send } = await createOpenFlow(context)
    const sent = await send({ target: 'ok@flowpost.test', send_at: await context.serverTime(1_500) })
    assertIncludes(sent, { status: 'queued' }, 'the response')
    await context.client.suppressions.create(project.id, { target: 'ok@flowpost.test' })
    const completed = await context.client.notifications.get(sent.id, { wait: 30 })
    assertIncludes(completed, { status: 'failed', deliveries: [{ ...failed, attempts: [] }] }, 'the notification')
  }),

  scenario(
    'notifications.retry',
    202,
    'fails again while the recipient is suppressed, and succeeds after the suppression is deleted',
    async (context) => {
      const { project, send } = await createOpenFlow(context)
      const suppression = await context.client.suppressions.create(project.id, { target: 'ok@flowpost.test' })
      const { id } = await send({ target: 'ok@flowpost.test' })
      await context.client.notifications.retry(id)
      const again = await context.client.notifications.get(id, { wait: 30 })
      assertIncludes(again, { status: 'failed', deliveries: [failed] }, 'the notification after the first retry')
      await context.client.suppressions.delete(project.id, suppression.id)
      await context.client.notifications.retry(id)
      const sent = await context.client.notifications.get(id, { wait: 30 })
      assertIncludes(
        sent,
        { status: 'sent', deliveries: [{ status: 'sent', attempt_count: 1, failure: null }] },
        'the notification after the second retry',
      )
    },
  ),

  scenario('notifications.retry', 202, 'waits for `send_at` after a suppression is deleted, as does a bulk action', async (context) => {
    const { project, send } = await createOpenFlow(context)
    const suppression = await context.client.suppressions.create(project.id, { target: 'ok@flowpost.test' })
    const send_at = await context.serverTime(farFutureMs)
    const sent = [await send({ target: 'ok@flowpost.test', send_at }), await send({ target: 'ok@flowpost.test', send_at })] as const
    for (const { deliveries } of sent) assertIncludes(deliveries, [failed], 'the suppressed deliveries')
    await context.client.suppressions.delete(project.id, suppression.id)
    await context.client.notifications.retry(sent[0].id)
    const filter = { project_id: project.id, created_after: project.created_at }
    const { id } = await context.client.bulkActions.create({ action: 'retry', filter })
    assertIncludes(await context.client.bulkActions.get(id, { wait: 60 }), { status: 'done', done: 1 }, 'the bulk action')
    const waiting = { status: 'queued', attempt_count: 0, next_attempt_at: send_at, failure: null }
    for (const { id } of sent)
      assertIncludes(
        await context.client.notifications.get(id, { wait: 1 }),
        { status: 'queued', deliveries: [waiting] },
        'the notification',
      )
  }),

  scenario('notifications.preview', 200, 'shows the suppressed recipients, and ignores the case of addresses', async (context) => {
    const { project, flow } = await createOpenFlow(context)
    const mailgun = await context.createFlow(project, { source_type: 'mailgun', target: 'a@example.com', override_target: true })
    const other = await createOpenFlow(context)
    await context.client.suppressions.create(project.id, { target: 'Bob@example.com' })
    await context.client.suppressions.create(project.id, { target: 'mailgun:eve@example.com' })
    const target = 'bOB@Example.com;eve@example.com'
    const { flows } = await context.client.notifications.preview({ project_id: project.id, ...text, target })
    const expected = [
      { flow_id: flow.id, targets: ['bOB@Example.com', 'eve@example.com'], suppressed: ['bOB@Example.com'], faults: [] },
      { flow_id: mailgun.id, suppressed: ['bOB@Example.com', 'eve@example.com'] },
    ]
    assertIncludes(flows, expected, 'flows')
    const elsewhere = await context.client.notifications.preview({ project_id: other.project.id, ...text, target })
    assertIncludes(elsewhere.flows, [{ suppressed: [] }], "another project's flows")
  }),

  scenario('suppressions.list', 200, "lists a project's suppressions, oldest first, and filters by recipient", async (context) => {
    const [{ id }, other] = [await context.createProject(), await context.createProject()]
    await context.client.suppressions.create(other.id, { target: 'bob@example.com' })
    const created: string[] = []
    for (const target of ['bob@example.com', 'smtp:bob@example.com', 'slack:C024BE91L'])
      created.push((await context.client.suppressions.create(id, { target })).id)
    const pages = await collectIds(context.client.suppressions.list(id, { limit: 2 }))
    assertEqual(pages, [created.slice(0, 2), created.slice(2)], 'the ids on each page')
    const found = await context.client.suppressions.list(id, { target: 'BOB@EXAMPLE.COM' })
    assertEqual(found.data.map(idOf), created.slice(0, 2), 'the suppressions for one recipient')
    for (const target of ['nobody@example.com', 'not an address'])
      assertEqual((await context.client.suppressions.list(id, { target })).data, [], `the suppressions for ${target}`)
    const { next_cursor } = await context.client.suppressions.list(id, { limit: 1 })
    const query = { cursor: next_cursor ?? '', target: 'bob@example.com' }
    await context.http.expect('suppressions.list', 400, { params: { project_id: id }, query }, 'invalid_cursor')
    const params = { project_id: other.id }
    await context.http.expect('suppressions.list', 400, { params, query: { cursor: next_cursor ?? '' } }, 'invalid_cursor')
  }),

  scenario('suppressions.delete', 204, 'deletes a suppression only through its own project', async (context) => {
    const [{ id }, other] = [await context.createProject(), await context.createProject()]
    const suppression = await context.client.suppressions.create(id, { target: uniqueAddress(context) })
    await context.expectFailure(context.client.suppressions.delete(other.id, suppression.id), 404, 'not_found')
    await context.client.suppressions.delete(id, suppression.id)
    await context.expectFailure(context.client.suppressions.delete(id, suppression.id), 404, 'not_found')
    assertEqual((await context.client.suppressions.list(id)).data, [], 'the suppressions')
  }),
]
