import { assertEqual } from '../assertions.ts'
import { sendWithoutCredentials } from '../failed-notifications.ts'
import { idOf } from '../pages.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { createOpenFlow } from './suppressions.ts'

/** Scenarios about lists of notifications that are filtered by failure. */
export const failureFilterScenarios: readonly Scenario[] = [
  scenario(
    'notifications.list',
    200,
    'matches a notification only if a single delivery matches all failure, provider, flow and target filters',
    async (context) => {
      const { project, flow, settled } = await sendWithoutCredentials(context, async (failing) => [
        { flow_id: failing.flow.id, reference: 'a' },
        {},
      ])
      await settled()
      const { source_type, target } = context.unconfiguredProvider()
      const count = async (query: object) => (await context.client.notifications.list({ project_id: project.id, ...query })).data.length
      const code = { failure_code: 'integration_missing' }
      for (const query of [
        code,
        { failure_kind: 'credential' },
        { ...code, failure_kind: 'credential' },
        { ...code, source_type, target },
      ] as const)
        assertEqual(await count(query), 2, `the number of notifications that match ${JSON.stringify(query)}`)
      assertEqual(
        await count({ ...code, reference: 'a', flow_id: flow.id, status: 'failed', target }),
        1,
        'the number of notifications with the reference',
      )
      for (const query of [
        { failure_code: 'other' },
        { failure_kind: 'target' },
        { ...code, failure_kind: 'rate' },
        { ...code, source_type: 'pigeon' },
      ] as const)
        assertEqual(await count(query), 0, `the number of notifications that match ${JSON.stringify(query)}`)
    },
    ['unconfigured'],
  ),

  scenario('notifications.list', 200, 'finds a retried delivery by its latest failure, not by an earlier one', async (context) => {
    const { project, send } = await createOpenFlow(context)
    // The label after `+` makes the address unique, so nothing else is found.
    const target = `bounce+${context.uniqueName().replaceAll(' ', '-')}@flowpost.test`
    const suppression = await context.client.suppressions.create(project.id, { target })
    const { id } = await send({ target })
    const find = async (failure_code: string) =>
      (await context.client.notifications.list({ target, failure_code, created_after: project.created_at })).data.map(idOf)
    assertEqual(await find('suppressed'), [id], 'the notifications found by the first failure before the retry')
    await context.client.suppressions.delete(project.id, suppression.id)
    await context.client.notifications.retry(id)
    const { deliveries } = await context.client.notifications.get(id, { wait: 30 })
    assertEqual(await find('suppressed'), [], 'the notifications found by the first failure after the retry')
    assertEqual(await find(deliveries[0]?.failure?.code ?? ''), [id], 'the notifications found by the latest failure')
  }),

  scenario(
    'notifications.list',
    200,
    'omits a notification if one delivery matches the target filter, and another one the failure filter',
    async (context) => {
      const { project, flow, send } = await createOpenFlow(context)
      const { id } = await send({ target: 'bounce@flowpost.test;ok@flowpost.test' })
      const { deliveries } = await context.client.notifications.get(id, { wait: 30 })
      const failure = deliveries.find(({ target }) => target === 'bounce@flowpost.test')?.failure
      for (const filter of [{ failure_code: failure?.code ?? '' }, { failure_kind: failure?.kind as 'target' }]) {
        const find = async (target: string) =>
          (await context.client.notifications.list({ project_id: project.id, flow_id: flow.id, target, ...filter })).data.map(idOf)
        const what = Object.keys(filter).join()
        assertEqual(await find('bounce@flowpost.test'), [id], `the notifications found by ${what} and the target that failed`)
        assertEqual(await find('ok@flowpost.test'), [], `the notifications found by ${what} and the target that did not fail`)
      }
    },
  ),
]
