import type { Notification } from '@flowpost/client'
import { assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, type Document, documentOf, flowOf } from '../settings-documents.ts'

const nobody = { notifications: 0, notification_id: null }

/** Returns the consequences of applying a settings document, according to a dry run. */
const consequencesOf = async (context: ScenarioContext, document: Document, prune = false) =>
  (await apply(context, { ...document, prune, dry_run: true, consequences: true })).consequences

/**
 * Creates a project with one active flow and schedules `count` notifications in it. Also returns two expected values, to
 * compare with the `consequences` in a response:
 *
 * - `none`: the whole `consequences` of a settings document that affects none of the notifications
 * - `affected`: the value of a field such as `changed_targets`, if that field counts all of the notifications
 */
const createWithNotifications = async (context: ScenarioContext, count: number, message = 'M') => {
  const created = await create(context)
  const send_at = await context.serverTime(farFutureMs)
  const notifications: Notification[] = []
  for (let number = 0; number < count; number += 1) {
    const body = { project_id: created.projectId, subject: 'S', message, send_at }
    const notification = await context.client.notifications.send(body)
    context.onCleanup(({ client }) => client.notifications.cancel(notification.id))
    notifications.unshift(notification)
  }
  const [newest] = notifications
  return {
    ...created,
    affected: { notifications: count, notification_id: newest?.id ?? null },
    none: {
      examined: count,
      not_examined: 0,
      since: notifications.at(-1)?.created_at ?? null,
      complete: true,
      deliveries: [],
      rejected: [],
      without_flow: nobody,
      changed_messages: nobody,
      changed_targets: nobody,
    },
  }
}

/** Returns the document with changes to the flow `ops`. */
const withOps = (context: ScenarioContext, document: Document, fields: Parameters<typeof flowOf>[2]): Document => ({
  ...document,
  flows: [flowOf(context, 'ops', fields), flowOf(context, 'alerts', { active: false })],
})

/** Scenarios about the consequences that a dry run of a settings document returns. */
export const consequencesScenarios: readonly Scenario[] = [
  scenario('settings.apply', 200, 'returns consequences only on request; they are empty for unchanged settings', async (context) => {
    const { document, none } = await createWithNotifications(context, 2)
    assertEqual((await apply(context, { ...document, dry_run: true })).consequences, undefined, 'unrequested consequences')
    assertEqual(await consequencesOf(context, document), none, 'the consequences of unchanged settings')
  }),

  scenario('settings.apply', 200, 'counts additional deliveries, changed messages and changed targets', async (context) => {
    const { document, none, affected } = await createWithNotifications(context, 2)
    const { source_type } = context.receiver
    const alerts = { ...document, flows: [flowOf(context, 'ops'), flowOf(context, 'alerts'), flowOf(context, 'new')] }
    assertEqual(
      await consequencesOf(context, alerts),
      { ...none, deliveries: [{ source_type, before: 2, after: 6 }] },
      'the consequences of adding flows',
    )
    const template = withOps(context, document, { message_template: 'Changed: {{message}}' })
    assertEqual(await consequencesOf(context, template), { ...none, changed_messages: affected }, 'the consequences of changing a template')
    const moved = withOps(context, document, { source_type: 'webhook', target: 'ops' })
    const { changed_targets, deliveries } = (await consequencesOf(context, moved)) ?? {}
    assertEqual(changed_targets, affected, '`changed_targets` after changing the provider')
    const toWebhooks = deliveries?.find((entry) => entry.source_type === 'webhook')
    assertEqual(toWebhooks, { source_type: 'webhook', before: 0, after: 2 }, 'the deliveries through the new provider')
  }),

  scenario('settings.apply', 200, 'counts notifications that would be rejected, and names the newest one', async (context) => {
    const { document, none, affected } = await createWithNotifications(context, 2, 'M'.repeat(40_000))
    const long = withOps(context, document, { message_template: '{{message}}'.repeat(32) })
    const expected = {
      ...none,
      deliveries: [{ source_type: context.receiver.source_type, before: 2, after: 0 }],
      rejected: [{ code: 'content_too_long', ...affected }],
    }
    assertEqual(await consequencesOf(context, long), expected, 'consequences')
  }),

  scenario('settings.apply', 200, 'counts notifications that would reach no flow', async (context) => {
    const { document, none, affected } = await createWithNotifications(context, 1)
    const expected = { ...none, deliveries: [{ source_type: context.receiver.source_type, before: 1, after: 0 }], without_flow: affected }
    assertEqual(
      await consequencesOf(context, withOps(context, document, { active: false })),
      expected,
      'the consequences of deactivating the flow',
    )
    assertEqual(await consequencesOf(context, { ...document, flows: [] }, true), expected, 'the consequences of deleting the flow')
    assertEqual(await consequencesOf(context, { ...document, flows: [] }), none, 'the consequences of omitting the flow if prune is false')
  }),

  scenario('settings.apply', 200, 'uses the flow_id and target of the original request', async (context) => {
    const target = context.receiver.target
    // The project has only this flow, so a request without `flow_id` would create the same delivery. The delivery thus does not
    // show that the request had a `flow_id`. The server must store the request's `flow_id` separately.
    const flows = [flowOf(context, 'other', { override_target: true })]
    const { document, projectId, idOf } = await create(context, { flows })
    const send_at = await context.serverTime(farFutureMs)
    const named = { project_id: projectId, flow_id: idOf('other'), subject: 'S', message: 'M', target, send_at }
    const { id } = await context.client.notifications.send(named)
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const consequences = await consequencesOf(context, { ...document, flows: [flowOf(context, 'ops')] }, true)
    assertIncludes(consequences ?? {}, { examined: 1, without_flow: { notifications: 1, notification_id: id } }, 'consequences')
    const fixed = await consequencesOf(context, { ...document, flows: [flowOf(context, 'other')] })
    const rejected = [{ code: 'override_not_allowed', notifications: 1, notification_id: id }]
    assertIncludes(fixed ?? {}, { examined: 1, rejected }, 'the consequences of no longer allowing requests to set the target')
    const more = await consequencesOf(context, { ...document, flows: [...flows, flowOf(context, 'more', { override_target: true })] })
    assertIncludes(more ?? {}, { examined: 1, deliveries: [] }, 'the consequences of adding a flow')
  }),

  scenario('settings.apply', 200, 'does not examine notifications sent before the last change to their flows', async (context) => {
    const { document, projectId, idOf, none, affected } = await createWithNotifications(context, 1)
    // Waits one second, so that the flow changes after the notification was sent. A change in the same millisecond as the
    // notification would not count as later.
    await context.client.notifications.get(affected.notification_id ?? '', { wait: 1 })
    await context.client.flows.patch(projectId, idOf('ops'), {})
    assertEqual(await consequencesOf(context, document), none, 'the consequences after a write that changes nothing')
    // Changes only the name, not the template. The stored message would not match a new template, and for that reason alone, the
    // server would not examine the notification. The test would then pass even if the server ignored the time of the change.
    await context.client.flows.patch(projectId, idOf('ops'), { name: 'Renamed' })
    const consequences = await consequencesOf(context, { ...document, flows: [] }, true)
    assertEqual(consequences, { ...none, examined: 0, not_examined: 1 }, 'consequences')
  }),

  scenario('settings.apply', 200, 'ignores messages sent with test keys and messages in other projects', async (context) => {
    const { projectId, document } = await create(context)
    const [test, other] = [await context.createKey({ mode: 'test' }), await createWithNotifications(context, 1)]
    const json = { project_id: projectId, subject: 'S', message: 'M' }
    await context.http.expect('notifications.send', 202, { json, key: test.key })
    assertEqual(await consequencesOf(context, document), { ...other.none, examined: 0, since: null }, 'consequences')
    assertEqual(
      await consequencesOf(context, documentOf(context)),
      { ...other.none, examined: 0, since: null },
      'the consequences for a new project',
    )
  }),

  scenario('settings.apply', 422, 'rejects consequences without dry_run', async (context) => {
    const json = { ...documentOf(context), consequences: true }
    const response = await context.http.expect('settings.apply', 422, { json }, 'validation_failed')
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '/consequences' }], 'errors')
  }),
]
