import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about flow checks. */
export const flowCheckScenarios: readonly Scenario[] = [
  scenario(
    'flows.check',
    200,
    "returns the failed checks and stores the flow's health",
    async (context) => {
      const { source_type, target } = context.unconfiguredProvider()
      const project = await context.createProject()
      const flow = await context.createFlow(project, { source_type, target })
      const before = await context.client.flows.get(project.id, flow.id).withResponse()
      const check = await context.client.flows.check(project.id, flow.id)
      assertIncludes(check, { ok: false, checks: [{ ok: false, code: 'integration_missing' }] }, 'check')
      const after = await context.client.flows.get(project.id, flow.id).withResponse()
      assertIncludes(after.data.health, { status: 'unhealthy', code: 'integration_missing' }, 'health')
      assert(after.data.health.checked_at, 'the health must have checked_at')
      const etags = [before, after].map(({ response }) => response.headers.get('etag'))
      assertEqual(etags[1], etags[0], 'the ETag, which must not depend on the health')
    },
    ['unconfigured'],
  ),

  scenario(
    'flows.check',
    200,
    "resets the flow's health when its target or credentials change",
    async (context) => {
      const { source_type, target, settings, secrets } = context.unconfiguredProvider()
      const project = await context.createProject()
      const flow = await context.createFlow(project, { source_type, target })
      const healthAfter = async (change: PromiseLike<unknown>) => {
        await change
        return (await context.client.flows.get(project.id, flow.id)).health.status
      }
      // Makes the flow unhealthy. Without credentials, the check fails before it calls the provider.
      await context.client.flows.check(project.id, flow.id)
      assertEqual(
        await healthAfter(context.client.flows.patch(project.id, flow.id, { name: 'a' })),
        'unhealthy',
        'the health after a name change',
      )
      const put = context.client.integrations.put(project.id, source_type, { settings, secrets })
      assertEqual(await healthAfter(put), 'unknown', 'the health after new credentials are stored')
      await context.client.integrations.delete(project.id, source_type)
      await context.client.flows.check(project.id, flow.id)
      assertEqual(
        await healthAfter(context.client.flows.patch(project.id, flow.id, context.receiver)),
        'unknown',
        'the health after a target change',
      )
    },
    ['unconfigured'],
  ),

  scenario('integrations.delete', 204, 'resets the health of the flows that used the credentials', async (context) => {
    const project = await context.createProject()
    // Stores a URL named `other`. The flow's target is `ops`, so a check finds no URL and sends no request to Discord.
    const urls = { other: 'https://discord.com/api/webhooks/1/conformance' }
    await context.client.integrations.put(project.id, 'discord', { settings: {}, secrets: { urls } })
    const flow = await context.createFlow(project, { source_type: 'discord', target: 'ops' })
    const statusOf = async () => (await context.client.flows.get(project.id, flow.id)).health.status
    await context.client.flows.check(project.id, flow.id)
    assert((await statusOf()) !== 'unknown', 'a check must change the health')
    await context.client.integrations.delete(project.id, 'discord')
    assertEqual(await statusOf(), 'unknown', 'the health after the credentials are deleted')
  }),
]
