import type { FlowCreate, Project } from '@flowpost/client'
import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { uniqueKey } from '../settings-documents.ts'
import { momentAfter } from '../settings-history.ts'

const mail = { source_type: 'smtp', override_target: true }

/**
 * Creates a project with three flows, one of them inactive. Returns the project, its `key`, the flows, and `message`: the
 * fields of a request that schedules a message far ahead.
 */
const createFlows = async (context: ScenarioContext) => {
  const key = uniqueKey(context)
  const project = await context.client.projects.create({ name: context.uniqueName(), key })
  context.onCleanup(({ client }) => client.projects.delete(project.id))
  const createFlow = (fields: Partial<FlowCreate>) => context.createFlow(project, { ...mail, ...fields })
  const ops = await createFlow({ key: 'ops', target: 'ops@example.com' })
  const sales = await createFlow({ key: 'sales', target: 'sales@example.com' })
  const chat = await createFlow({ source_type: 'discord', target: 'ops', active: false })
  const send_at = await context.serverTime(farFutureMs)
  const message = { subject: 'Conformance', message: 'This message must not be delivered.', send_at }
  return { project, key, ops, sales, chat, message }
}

const cancelLater = (context: ScenarioContext, id: string) => context.onCleanup(({ client }) => client.notifications.cancel(id))

/** Returns the `request` field of a notification's explanation, and each flow's id, outcome and reason. */
const outcomesOf = async (context: ScenarioContext, notificationId: string) => {
  const { flows, unknown, request } = await context.client.notifications.explanation(notificationId)
  assertEqual(unknown, null, 'the `unknown` field of the explanation')
  return { request, outcomes: (flows ?? []).map(({ flow_id, outcome, reason }) => [flow_id, outcome, reason]) }
}

/** Sends a notification to a project. Returns the notification's id and the result of {@link outcomesOf}. */
const explain = async (context: ScenarioContext, project: Pick<Project, 'id'>, body: object) => {
  const { id } = await context.client.notifications.send({ project_id: project.id, ...body } as never)
  cancelLater(context, id)
  return { id, ...(await outcomesOf(context, id)) }
}

/** Scenarios about notification explanations. */
export const explanationScenarios: readonly Scenario[] = [
  scenario('notifications.explanation', 200, 'names the triggered flows and the skipped inactive flows', async (context) => {
    const { project, ops, sales, chat, message } = await createFlows(context)
    const sent = await context.client.notifications.send({ project_id: project.id, ...message })
    cancelLater(context, sent.id)
    const triggered = ({ id, key, name, source_type }: typeof ops) => ({
      flow_id: id,
      key,
      name,
      source_type,
      outcome: 'triggered',
      reason: null,
    })
    assertEqual(
      await context.client.notifications.explanation(sent.id),
      {
        notification_id: sent.id,
        accepted_at: sent.created_at,
        request: { flow_id: null, has_target: false },
        flows: [triggered(ops), triggered(sales), { ...triggered(chat), outcome: 'skipped', reason: 'inactive' }],
        unknown: null,
      },
      'the explanation',
    )
  }),

  scenario('notifications.explanation', 200, 'lists the flows skipped when a request names another flow or provider', async (context) => {
    const { project, key, ops, sales, chat, message } = await createFlows(context)
    const notNamed = [
      [ops.id, 'triggered', null],
      [sales.id, 'skipped', 'not_named'],
      [chat.id, 'skipped', 'not_named'],
    ]
    const byId = await explain(context, project, { ...message, flow_id: ops.id })
    assertEqual(
      [byId.request, byId.outcomes],
      [{ flow_id: ops.id, has_target: false }, notNamed],
      'the explanation of a request that names a flow by id',
    )
    const byKey = await context.client.notifications.send({ project: key, flow: 'ops', ...message })
    cancelLater(context, byKey.id)
    const { request, outcomes } = await outcomesOf(context, byKey.id)
    assertEqual(
      [request, outcomes],
      [{ flow_id: ops.id, has_target: false }, notNamed],
      'the explanation of a request that names a flow by key',
    )

    const webhook = await context.createFlow(project, { source_type: 'webhook', target: 'ops' })
    const toMail = await explain(context, project, { ...message, target: 'smtp:ada@example.com' })
    assertEqual(
      [toMail.request, toMail.outcomes],
      [
        { flow_id: null, has_target: true },
        [
          [ops.id, 'triggered', null],
          [sales.id, 'triggered', null],
          [chat.id, 'skipped', 'inactive'],
          [webhook.id, 'skipped', 'not_targeted'],
        ],
      ],
      'the explanation of a request with a target',
    )
    const both = await explain(context, project, { ...message, flow_id: sales.id, target: 'ada@example.com' })
    assertEqual(both.request, { flow_id: sales.id, has_target: true }, 'the `request` field for a request with a flow and a target')
    const triggered = both.outcomes.filter(([, outcome]) => outcome === 'triggered').map(([flowId]) => flowId)
    assertEqual(triggered, [sales.id], 'the flows triggered by a request that names a flow and a target')
  }),

  scenario('notifications.explanation', 200, 'stays the same after flows are changed or deleted', async (context) => {
    const { project, ops, sales, chat, message } = await createFlows(context)
    const { id } = await explain(context, project, message)
    const before = await context.client.notifications.explanation(id)
    await momentAfter(context, before.accepted_at)
    await context.client.flows.patch(project.id, chat.id, { active: true, name: 'Renamed', key: 'chat' })
    await context.client.flows.patch(project.id, sales.id, { active: false })
    await context.createFlow(project)
    assertEqual(await context.client.notifications.explanation(id), before, 'the explanation after changes')
    await context.client.flows.delete(project.id, ops.id)
    await context.client.flows.delete(project.id, sales.id)
    assertEqual(await context.client.notifications.explanation(id), before, 'the explanation after deletions')
    await context.client.projects.delete(project.id)
    assertEqual(await context.client.notifications.explanation(id), before, 'the explanation after the project is deleted')
  }),

  scenario('notifications.explanation', 200, 'explains a notification with the settings that applied when it was sent', async (context) => {
    const { project, ops, sales, chat, message } = await createFlows(context)
    const { updated_at } = await context.client.flows.patch(project.id, ops.id, { active: false, name: 'Renamed' })
    await momentAfter(context, updated_at)
    const { id, outcomes } = await explain(context, project, message)
    assertEqual(
      outcomes,
      [
        [ops.id, 'skipped', 'inactive'],
        [sales.id, 'triggered', null],
        [chat.id, 'skipped', 'inactive'],
      ],
      'outcomes',
    )
    const { flows } = await context.client.notifications.explanation(id)
    assertEqual(flows?.[0]?.name, 'Renamed', "the changed flow's name")
  }),

  scenario('notifications.explanation', 200, 'explains batch items, and notifications sent with a test key', async (context) => {
    const { project, key, ops, sales, chat, message } = await createFlows(context)
    const { results } = await context.client.notifications.sendBatch({
      notifications: [
        { project_id: project.id, ...message },
        { project: key, flow: 'sales', ...message },
      ],
    })
    const ids = results.map((result) => (result.status === 202 ? result.notification.id : ''))
    for (const id of ids) cancelLater(context, id)
    const outcomes = await Promise.all(ids.map(async (id) => (await outcomesOf(context, id)).outcomes))
    assertEqual(
      outcomes,
      [
        [
          [ops.id, 'triggered', null],
          [sales.id, 'triggered', null],
          [chat.id, 'skipped', 'inactive'],
        ],
        [
          [ops.id, 'skipped', 'not_named'],
          [sales.id, 'triggered', null],
          [chat.id, 'skipped', 'not_named'],
        ],
      ],
      'the outcomes for each batch item',
    )
    const test = await context.createKey({ mode: 'test' })
    const json = { project_id: project.id, ...message, flow_id: sales.id, target: 'ok@flowpost.test' }
    const sent = await context.http.expect('notifications.send', 202, { json, key: test.key })
    cancelLater(context, sent.json.id)
    const explained = await outcomesOf(context, sent.json.id)
    assertEqual(explained.request, { flow_id: sales.id, has_target: true }, 'the `request` field for the test notification')
    assertEqual(explained.outcomes, outcomes[1], 'the outcomes for the test notification')
  }),

  scenario('notifications.explanation', 200, 'contains no address', async (context) => {
    const { project, ops, message } = await createFlows(context)
    const { id } = await explain(context, project, { ...message, target: 'ada@example.com' })
    const { text } = await context.http.expect('notifications.explanation', 200, { params: { notification_id: id } })
    assert(!text.includes('ada@example.com') && !text.includes(ops.target), 'the explanation must not contain an address', text)
  }),
]
