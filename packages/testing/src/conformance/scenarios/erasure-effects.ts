import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { uniqueAddress } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { createSending } from '../sending-notifications.ts'
import { historyOf } from '../settings-history.ts'
import { erase } from './erasures.ts'
import { createOpenFlow } from './suppressions.ts'

/** Scenarios about the effects of an erasure, other than those on completed and pending deliveries. */
export const erasureEffectScenarios: readonly Scenario[] = [
  scenario('erasures.get', 200, 'ends a delivery that is being sent as ambiguous', async (context) => {
    // The label after `+` makes the address unique, so nothing else is erased.
    const target = `slow.20s+${context.uniqueName().replaceAll(' ', '-')}@flowpost.test`
    const { id } = await createSending(context, target)
    const erasure = await erase(context, { target })
    const deliveries = [{ target: erasure.target, status: 'ambiguous', failure: { code: 'erased' }, attempts: [{ outcome: 'ambiguous' }] }]
    assertIncludes((await context.client.notifications.get(id)).deliveries, deliveries, 'the deliveries')
  }),

  scenario('erasures.get', 200, 'deletes an idempotency key that contains the address', async (context) => {
    const { send } = await createOpenFlow(context)
    const address = uniqueAddress(context)
    const headers = { 'idempotency-key': `welcome:${address}` }
    const first = await send({ target: address }, headers)
    await context.client.notifications.get(first.id, { wait: 30 })
    await erase(context, { target: address })
    // If the key still existed, this request would be rejected, because its body differs.
    const second = await send({ target: 'ok@flowpost.test' }, headers)
    assert(second.id !== first.id, 'the second request must create another notification', second.id)
  }),

  scenario('erasures.get', 200, 'replaces the address in the request ids of the settings history', async (context) => {
    const address = uniqueAddress(context)
    const headers = { 'x-request-id': `for-${address}` }
    const created = await context.http.expect('projects.create', 201, { json: { name: context.uniqueName() }, headers })
    context.onCleanup(({ client }) => client.projects.delete(created.json.id))
    const requestIds = async () => (await historyOf(context, created.json.id)).map(({ request_id }) => request_id)
    assertEqual(await requestIds(), [headers['x-request-id']], 'the request ids before the erasure')
    const erasure = await erase(context, { target: address })
    assertEqual(await requestIds(), [erasure.target], 'the request ids after the erasure')
  }),

  scenario('erasures.get', 200, 'removes a chat target that may be a common word from the settings history', async (context) => {
    // Without digits, the target may be a word. It is unique, so nothing else is erased.
    const toLetter = (digit: string) => (Number(digit) + 16).toString(36)
    const target = context.uniqueName().replace(/\d/g, toLetter).replace(' ', '-')
    const project = await context.createProject()
    const flow = await context.createFlow(project, { source_type: 'discord', target })
    await context.client.flows.patch(project.id, flow.id, { target: 'other' })
    const erasure = await erase(context, { target: `discord:${target}` })
    const targets = (await historyOf(context, project.id)).slice(1).map(({ before, after }) => [before?.['target'], after?.['target']])
    const expected = [
      [undefined, erasure.target],
      [erasure.target, 'other'],
    ]
    assertEqual(targets, expected, 'the targets before and after each change of the flow')
  }),

  scenario(
    'notifications.send',
    202,
    'does not store the address of a blocked recipient who is also suppressed by request',
    async (context) => {
      const { project, send } = await createOpenFlow(context)
      const target = uniqueAddress(context)
      const erasure = await erase(context, { target: `smtp:${target}`, block: true })
      await context.client.suppressions.create(project.id, { target })
      const { id } = await send({ target })
      const failed = { target: erasure.target, status: 'failed', failure: { code: 'suppressed' } }
      assertIncludes((await context.client.notifications.get(id)).deliveries, [failed], 'the deliveries')
    },
  ),

  scenario('flows.create', 201, 'replays a response without the erased address', async (context) => {
    const project = await context.createProject()
    const target = uniqueAddress(context)
    const request = {
      params: { project_id: project.id },
      json: { name: context.uniqueName(), source_type: 'smtp', target },
      headers: { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') },
    }
    const { json: flow } = await context.http.expect('flows.create', 201, request)
    const erasure = await erase(context, { target })
    const { json: replayed } = await context.http.expect('flows.create', 201, request)
    assertIncludes(replayed, { id: flow.id, target: erasure.target }, 'the replayed response')
  }),

  scenario(
    'deliveries.recordReceipt',
    200,
    'suppresses an erased recipient after a bounce',
    async (context) => {
      // This scenario erases the recipient `context.receiver` from the whole delivery log. That is safe only if nothing else uses
      // the deployment, so the scenario requires the option `queueLimit`, which is set only for such deployments.
      const project = await context.createProject()
      await context.createFlow(project)
      const send = async () => {
        const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }
        const { id } = await context.client.notifications.send({ project_id: project.id, ...text })
        return context.client.notifications.get(id, { wait: 30 })
      }
      const [delivery] = (await send()).deliveries
      const { source_type, target } = context.receiver
      const erasure = await erase(context, { target: `${source_type}:${target}` })
      await context.client.deliveries.recordReceipt(delivery?.id ?? '', { status: 'bounced' })
      // A receipt for a captured message suppresses nobody.
      const isCaptured = delivery?.captured === true
      const suppression = { target: erasure.target, reason: 'bounce', source: 'receipt' }
      const { data } = await context.client.suppressions.list(project.id)
      assertIncludes(data, isCaptured ? [] : [suppression], 'the suppressions')
      const failed = { status: 'failed', deliveries: [{ target: erasure.target, failure: { code: 'suppressed' } }] }
      assertIncludes(await send(), isCaptured ? { status: 'sent' } : failed, 'the next notification to the recipient')
    },
    ['queueLimit', 'mayDeliver'],
  ),
]
