import type { Flow } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'A message from the conformance suite.' }

/** For each provider, a function that returns a simulated recipient's address. */
const addressOf: Readonly<Record<string, (name: string) => string>> = {
  mailgun: (name) => `${name}@flowpost.test`,
  smtp: (name) => `${name}@flowpost.test`,
  slack: (name) => `C0TEST_${name}`,
  discord: (name) => `C0TEST_${name}`,
  teams: (name) => `C0TEST_${name}`,
  webhook: (name) => `C0TEST_${name}`,
}

/** Sends a notification with a test key to a simulated recipient of each built-in provider. */
const sendTo = async (context: ScenarioContext, name: string) => {
  const { data: served } = await context.client.providers.list({ limit: 1000 })
  const project = await context.createProject()
  const flows: Flow[] = []
  for (const { source_type } of served) {
    const target = addressOf[source_type]?.(name)
    if (target !== undefined) flows.push(await context.createFlow(project, { source_type, target }))
  }
  assert(flows.length > 0, 'the deployment must have a built-in provider')
  const { key } = await context.createKey({ mode: 'test' })
  const { json } = await context.http.expect('notifications.send', 202, { json: { project_id: project.id, ...text }, key })
  context.onCleanup(({ client }) => client.notifications.cancel(json.id))
  /** Returns an array with one `value` per delivery. Each flow has one delivery. */
  const each = <T>(value: T): T[] => flows.map(() => value)
  const read = (wait?: number) => context.client.notifications.get(json.id, wait === undefined ? {} : { wait })
  return { project, flows, each, read, key }
}

/** Returns each delivery's attempt outcomes. */
const outcomesOf = (notification: { deliveries: readonly { attempts: readonly { outcome: string }[] }[] }) =>
  notification.deliveries.map(({ attempts }) => attempts.map(({ outcome }) => outcome))

/** Scenarios about recipients that simulate provider outcomes for messages sent with a test key. */
export const simulatedRecipientScenarios: readonly Scenario[] = [
  ...(['ok', 'complaint'] as const).map((name) =>
    scenario('notifications.get', 200, `simulates a recipient that accepts the message (${name})`, async (context) => {
      const { each, read } = await sendTo(context, name)
      const sent = await read(30)
      assertIncludes(
        sent,
        { status: 'sent', test: true, deliveries: each({ status: 'sent', captured: true, failure: null }) },
        `the notification to ${name}`,
      )
      assertEqual(outcomesOf(sent), each(['captured']), 'the attempt outcomes')
    }),
  ),

  scenario('notifications.get', 200, "simulates a permanent rejection (bounce), which does not change a flow's health", async (context) => {
    const { project, flows, each, read } = await sendTo(context, 'bounce')
    const failed = await read(30)
    const delivery = { status: 'failed', captured: true, sent_at: null, failure: { retryable: false } }
    assertIncludes(failed, { status: 'failed', test: true, deliveries: each(delivery) }, 'notification')
    assertEqual(outcomesOf(failed), each(['failed']), 'the attempt outcomes')
    for (const { failure } of failed.deliveries)
      assert(failure?.kind !== 'provider', 'a bounce must not count as a provider failure', failure)
    for (const { id } of flows) assertIncludes((await context.client.flows.get(project.id, id)).health, { status: 'unknown' }, 'health')
  }),

  scenario('notifications.get', 200, 'simulates two transient failures, then a success (outage.2)', async (context) => {
    const { each, read } = await sendTo(context, 'outage.2')
    const sent = await read(30)
    assertIncludes(sent, { status: 'sent', deliveries: each({ status: 'sent', attempt_count: 3, failure: null }) }, 'notification')
    assertEqual(outcomesOf(sent), each(['retrying', 'retrying', 'captured']), 'the attempt outcomes')
  }),

  scenario('notifications.get', 200, 'simulates a provider that is unavailable (outage.100)', async (context) => {
    const { each, read } = await sendTo(context, 'outage.100')
    const isRetrying = ({ deliveries }: Awaited<ReturnType<typeof read>>) =>
      deliveries.every(({ failure }) => failure !== null) && deliveries.some(({ status }) => status === 'retrying')
    let notification = await read()
    while (!isRetrying(notification)) notification = await read(1)
    assertIncludes(
      notification,
      { status: 'sending', deliveries: each({ failure: { kind: 'provider', retryable: true } }) },
      'notification',
    )
    for (const { status, next_attempt_at, attempts } of notification.deliveries)
      if (status === 'retrying')
        assert((next_attempt_at ?? '') > (attempts.at(-1)?.started_at ?? ''), 'next_attempt_at must be later than the last attempt')
  }),

  scenario('notifications.get', 200, 'simulates a provider that takes a second to respond (slow.1s)', async (context) => {
    const { each, read } = await sendTo(context, 'slow.1s')
    const sent = await read(30)
    assertIncludes(sent, { status: 'sent', deliveries: each({ status: 'sent', attempt_count: 1, failure: null }) }, 'notification')
    assertEqual(outcomesOf(sent), each(['captured']), 'the attempt outcomes')
    for (const { attempts } of sent.deliveries) {
      const [attempt] = attempts
      assert((attempt?.duration_ms ?? 0) >= 1_000, 'the attempt must take at least a second', attempt)
    }
  }),

  scenario('notifications.get', 200, 'simulates a lost response (ambiguous)', async (context) => {
    const { each, read } = await sendTo(context, 'ambiguous')
    const settled = await read(30)
    // FLOWPOST_AMBIGUOUS decides whether the server retries the delivery or holds it.
    if (settled.status === 'sent') {
      assertIncludes(settled.deliveries, each({ status: 'sent', attempt_count: 2, failure: null }), 'deliveries')
      assertEqual(outcomesOf(settled), each(['retrying', 'captured']), 'the attempt outcomes')
    } else {
      assertIncludes(settled.deliveries, each({ status: 'ambiguous', attempt_count: 1, failure: { kind: 'ambiguous' } }), 'deliveries')
      assertEqual(outcomesOf(settled), each(['ambiguous']), 'the attempt outcomes')
    }
  }),

  scenario('notifications.get', 200, 'ignores a label after + in a simulated address', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { source_type: 'smtp', target: 'ok@flowpost.test', override_target: true })
    const { key } = await context.createKey({ mode: 'test' })
    const target = 'bounce+1@flowpost.test;bounce+2@FLOWPOST.TEST;ok+3@flowpost.test'
    const json = { project_id: project.id, ...text, target }
    const sent = await context.http.expect('notifications.send', 202, { json, key })
    const { status, deliveries } = await context.client.notifications.get(sent.json.id, { wait: 30 })
    assertEqual(
      [status, ...deliveries.map((delivery) => delivery.status)],
      ['partially_sent', 'failed', 'failed', 'sent'],
      'the statuses of the notification and its deliveries',
    )
  }),

  scenario(
    'notifications.send',
    422,
    'rejects a misspelled simulated recipient for a test key, but not for a live key',
    async (context) => {
      const project = await context.createProject()
      const flow = await context.createFlow(project, { source_type: 'smtp', target: 'bounse@flowpost.test', override_target: true })
      const { key } = await context.createKey({ mode: 'test' })
      const json = { project_id: project.id, ...text }
      for (const target of [
        undefined,
        'outage.0@flowpost.test',
        'outage.101@flowpost.test',
        'slow.601s@flowpost.test',
        'slow.1@flowpost.test',
      ])
        for (const operation of ['notifications.send', 'notifications.preview'] as const) {
          const request = { json: target === undefined ? json : { ...json, target }, key }
          const { json: problem } = await context.http.expect(operation, 422, request, 'validation_failed')
          assertIncludes(problem.errors, [{ in: 'body', pointer: '/target', code: 'invalid_target' }], 'errors')
          const [{ message }] = problem.errors
          for (const part of [target ?? flow.target, 'ok@flowpost.test', 'complaint@flowpost.test'])
            assert(message.includes(part), `the error message must name ${part}`, message)
        }
      await context.http.expect('notifications.preview', 200, { json })
    },
  ),

  scenario('flows.create', 422, 'rejects a misspelled simulated channel', async (context) => {
    const project = await context.createProject()
    const params = { project_id: project.id }
    const { data: served } = await context.client.providers.list({ limit: 1000 })
    for (const { source_type } of served.filter((provider) => provider.kind === 'chat' && addressOf[provider.source_type])) {
      const json = { name: 'a', source_type, target: 'C0TEST_okay' }
      const { json: problem } = await context.http.expect('flows.create', 422, { params, json }, 'validation_failed')
      assertIncludes(problem.errors, [{ pointer: '/target', code: 'invalid_target' }], 'errors')
    }
  }),
]
