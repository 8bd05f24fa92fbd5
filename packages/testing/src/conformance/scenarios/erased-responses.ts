import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createAttemptedDelivery } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { erase } from './erasures.ts'

/** Scenarios about the erasure of data that providers returned. */
export const erasedResponseScenarios: readonly Scenario[] = [
  scenario('erasures.get', 200, "removes the provider's text from the failure of a delivery", async (context) => {
    // The label after `+` makes the address unique, so nothing else is erased.
    const target = `bounce+${context.uniqueName().replaceAll(' ', '-')}@flowpost.test`
    const { notification, delivery } = await createAttemptedDelivery(context, target)
    const { failure } = delivery
    assert(failure !== null, 'the delivery must have a failure', delivery)
    const erasure = await erase(context, { target })
    const [erased] = (await context.client.notifications.get(notification.id)).deliveries
    assertIncludes(erased, { target: erasure.target, status: 'failed', attempts: [{ provider_response: null }] }, 'the delivery')
    assert(erased?.failure?.detail !== failure.detail, "the failure must not contain the provider's text", erased?.failure)
    assertEqual({ ...erased?.failure, detail: failure.detail }, failure, 'the failure apart from its detail')
  }),

  scenario(
    'erasures.get',
    200,
    "removes the provider's message id from a sent delivery",
    async (context) => {
      // This scenario erases the recipient `context.receiver` from the whole delivery log. That is safe only if nothing else uses
      // the deployment, so the scenario requires the option `queueLimit`, which is set only for such deployments.
      const project = await context.createProject()
      await context.createFlow(project)
      const { id } = await context.client.notifications.send({ project_id: project.id, subject: 'Conformance', message: 'A message.' })
      const [sent] = (await context.client.notifications.get(id, { wait: 30 })).deliveries
      assert(
        sent?.status === 'sent' && sent.provider_message_id !== null,
        "the message must be sent and have the provider's message id",
        sent,
      )
      const { source_type, target } = context.receiver
      const erasure = await erase(context, { target: `${source_type}:${target}` })
      const { deliveries } = await context.client.notifications.get(id)
      assertIncludes(deliveries, [{ target: erasure.target, status: 'sent', provider_message_id: null }], 'the deliveries')
    },
    ['queueLimit', 'mayDeliver'],
  ),
]
