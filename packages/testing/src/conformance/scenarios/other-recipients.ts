import { assertEqual, assertIncludes } from '../assertions.ts'
import { uniqueAddress } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { historyOf } from '../settings-history.ts'
import { erase } from './erasures.ts'
import { createOpenFlow } from './suppressions.ts'

/** Scenarios about data that an erasure keeps, because it concerns another recipient, provider or user. */
export const otherRecipientScenarios: readonly Scenario[] = [
  scenario('notifications.send', 202, 'keeps the subject and other recipients in a replayed response after an erasure', async (context) => {
    const { send, later } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const body = { target: `${target};other@example.com`, subject: 'For both', send_at: await later() }
    const { id } = await send(body, headers)
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const erasure = await erase(context, { target })
    const deliveries = [{ target: erasure.target }, { target: 'other@example.com' }]
    assertIncludes(await send(body, headers), { id, subject: 'For both', deliveries }, 'the replayed response')
  }),

  scenario('notifications.send', 202, 'keeps the target of a provider that an erasure does not cover', async (context) => {
    const { project, send, later } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const flow = await context.createFlow(project, { source_type: 'mailgun', target })
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const body = { flow_id: flow.id, send_at: await later() }
    const { id } = await send(body, headers)
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    await erase(context, { target: `smtp:${target}` })
    assertIncludes((await context.client.notifications.get(id)).deliveries, [{ target, status: 'queued' }], 'the deliveries')
    assertIncludes(await send(body, headers), { id, deliveries: [{ target }] }, 'the replayed response')
    assertEqual((await historyOf(context, project.id)).at(-1)?.after?.['target'], target, 'the target in the settings history')
  }),

  scenario('erasures.create', 202, 'keeps the address in suppressions for providers that the erasure does not cover', async (context) => {
    const { project } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    for (const provider of ['smtp:', 'mailgun:', ''])
      await context.client.suppressions.create(project.id, { target: `${provider}${target}` })
    const targets = async () =>
      (await context.client.suppressions.list(project.id)).data.map((suppression) => [suppression.source_type, suppression.target])
    const { target: digest } = await erase(context, { target: `smtp:${target}` })
    const erased = [
      ['smtp', digest],
      ['mailgun', target],
      [null, digest],
    ]
    assertEqual(await targets(), erased, 'the suppressions after an erasure for one provider')
    await erase(context, { target })
    assertEqual(
      (await targets()).flat().includes(target),
      false,
      'whether any suppression still has the address after an erasure for all providers',
    )
  }),

  scenario(
    'erasures.create',
    202,
    "does not change another user's suppressions",
    async (context) => {
      const [listed, empty] = [await context.createProject(), await context.createProject()]
      const target = uniqueAddress(context)
      const suppression = await context.client.suppressions.create(listed.id, { target })
      await erase({ client: context.otherClient() }, { target, block: true })
      const suppressions = async () => [
        (await context.client.suppressions.list(listed.id)).data,
        (await context.client.suppressions.list(empty.id)).data,
      ]
      assertEqual(await suppressions(), [[suppression], []], 'the suppressions')
    },
    ['otherApiKey'],
  ),
]
