import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { idOf } from '../pages.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }

/** The providers whose sent deliveries must have a message id. */
const providersWithIds = ['smtp', 'mailgun', 'slack']

/** Scenarios about the outcomes of deliveries. */
export const outcomeScenarios: readonly Scenario[] = [
  scenario(
    'notifications.get',
    200,
    'returns partially_sent when some deliveries were sent and others canceled',
    async (context) => {
      const project = await context.createProject()
      const flows = [await context.createFlow(project), await context.createFlow(project)]
      const send_at = await context.serverTime(2_000)
      const { id } = await context.client.notifications.send({ project_id: project.id, ...text, send_at })
      await context.client.flows.delete(project.id, flows[1]?.id ?? '')
      const settled = await context.client.notifications.get(id, { wait: 30 })
      const deliveries = [
        { flow_id: flows[0]?.id, status: 'sent' },
        { flow_id: flows[1]?.id, status: 'canceled', sent_at: null, attempt_count: 0 },
      ]
      assertIncludes(settled, { status: 'partially_sent', deliveries }, 'notification')
      const [sent] = settled.deliveries
      if (sent && !sent.captured && providersWithIds.includes(sent.source_type))
        assert(sent.provider_message_id, "a sent delivery must have the provider's message id")
      assert((sent?.sent_at ?? '') >= send_at, 'a message must not be sent before send_at', sent?.sent_at)
      const { data } = await context.client.notifications.list({ project_id: project.id, status: 'partially_sent' })
      assertEqual(data.map(idOf), [id], 'the notifications with the status partially_sent')
      await context.expectFailure(context.client.notifications.retry(id), 409, 'not_retryable')
    },
    ['mayDeliver'],
  ),

  scenario('notifications.get', 200, 'cancels a delivery whose notification expires before an attempt succeeds', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { source_type: 'smtp', target: 'outage.100@flowpost.test' })
    const { key } = await context.createKey({ mode: 'test' })
    const json = { project_id: project.id, ...text, expires_at: await context.serverTime(6_000) }
    const sent = await context.http.expect('notifications.send', 202, { json, key })
    const deliveries = [{ status: 'canceled', sent_at: null, next_attempt_at: null, failure: { code: 'expired' } }]
    assertIncludes(await context.client.notifications.get(sent.json.id, { wait: 30 }), { status: 'canceled', deliveries }, 'notification')
  }),

  scenario(
    'notifications.send',
    202,
    'marks captured deliveries',
    async (context) => {
      const { source_type, target } = context.unconfiguredProvider()
      const project = await context.createProject()
      const flow = await context.createFlow(project, { source_type, target })
      const { id, deliveries } = await context.client.notifications.send({ project_id: project.id, ...text })
      assertIncludes(deliveries, [{ captured: true }], 'deliveries')
      const captured = await context.client.notifications.get(id, { wait: 30 })
      const expected = [{ status: 'sent', captured: true, provider_message_id: null, attempts: [{ outcome: 'captured' }] }]
      assertIncludes(captured, { status: 'sent', deliveries: expected }, 'notification')
      const { health } = await context.client.flows.get(project.id, flow.id)
      assertIncludes(health, { status: 'unknown' }, "the flow's health, which a captured message does not change")
    },
    ['capturesWithoutCredentials'],
  ),

  scenario(
    'notifications.send',
    202,
    "captures the deliveries that a preview reports as captured, even right after the provider's credentials change",
    async (context) => {
      const { source_type, target, settings, secrets } = context.unconfiguredProvider()
      const project = await context.createProject()
      await context.createFlow(project, { source_type, target })
      const body = { project_id: project.id, ...text, send_at: await context.serverTime(farFutureMs) }
      const sendAndCompare = async (when: string) => {
        const { id, deliveries } = await context.client.notifications.send(body)
        context.onCleanup(({ client }) => client.notifications.cancel(id))
        const { flows } = await context.client.notifications.preview(body)
        const captured = flows.map((flow) => flow.captured)
        assertEqual(
          deliveries.map((delivery) => delivery.captured),
          captured,
          `whether each delivery is captured instead of sent to its provider, ${when}`,
        )
      }
      await sendAndCompare('without credentials')
      await context.client.integrations.put(project.id, source_type, { settings, secrets })
      await sendAndCompare('with credentials')
      await context.client.integrations.delete(project.id, source_type)
      await sendAndCompare('after the credentials are deleted')
    },
    ['capturesWithoutCredentials'],
  ),

  scenario(
    'notifications.send',
    202,
    'marks no delivery as captured when the deployment captures nothing',
    async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      const send_at = await context.serverTime(farFutureMs)
      const { id, deliveries } = await context.client.notifications.send({ project_id: project.id, ...text, send_at })
      context.onCleanup(({ client }) => client.notifications.cancel(id))
      assertIncludes(deliveries, [{ captured: false }], 'deliveries')
    },
    ['rejectsWithoutCredentials'],
  ),
]
