import type { Erasure, ErasureCreate } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { idOf } from '../pages.ts'
import { uniqueAddress } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { historyOf } from '../settings-history.ts'
import { createOpenFlow } from './suppressions.ts'

const pollMs = 50

/** Erases a recipient and waits until the erasure is done. */
export const erase = async ({ client }: Pick<ScenarioContext, 'client'>, body: ErasureCreate): Promise<Erasure> => {
  const { id } = await client.erasures.create(body)
  for (;;) {
    const erasure = await client.erasures.get(id)
    if (erasure.status === 'done') return erasure
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Asserts that a value does not contain an address, regardless of case. */
const assertWithout = (value: unknown, address: string, what: string): void =>
  assert(!JSON.stringify(value).toLowerCase().includes(address.toLowerCase()), `${what} must not contain the address`, value)

/** Scenarios about erasures. */
export const erasureScenarios: readonly Scenario[] = [
  scenario('erasures.create', 202, 'returns the erasure with a digest instead of the address', async (context) => {
    const target = uniqueAddress(context)
    const { data, response } = await context.client.erasures.create({ target }).withResponse()
    assertEqual(response.headers.get('location'), `/v1/erasures/${data.id}`, 'the Location header')
    assert(/^erased:[0-9a-f-]{36}$/.test(data.target), 'the target must be a digest', data.target)
    const done = await erase(context, { target: `smtp:${target.toUpperCase()}`, block: true })
    assertIncludes(done, { status: 'done', source_type: 'smtp', block: true, deliveries: 0, target: data.target }, 'the second erasure')
    assert(done.done_at !== null && done.done_at >= done.created_at, 'done_at must be set, and must not be before created_at', done.done_at)
    assertWithout([data, done], target, 'an erasure')
  }),

  scenario('erasures.create', 202, 'names the key that requested the erasure', async (context) => {
    const { id, key } = await context.createKey({})
    const { json } = await context.http.expect('erasures.create', 202, { json: { target: uniqueAddress(context) }, key })
    assertEqual(json.requested_by, id, 'requested_by')
    assertEqual((await context.client.erasures.get(json.id)).requested_by, id, 'requested_by, read again')
  }),

  scenario('erasures.get', 200, 'removes the recipient from the settings history, but not from the settings', async (context) => {
    const target = uniqueAddress(context)
    const project = await context.createProject()
    const flow = await context.createFlow(project, { source_type: 'smtp', target, message_template: `Ask ${target}: {{message}}` })
    await context.client.flows.patch(project.id, flow.id, { active: false })
    const erasure = await erase(context, { target })
    const entries = (await historyOf(context, project.id)).slice(1)
    assertIncludes(
      entries,
      [{ after: { target: erasure.target } }, { before: { target: erasure.target }, after: { target: erasure.target } }],
      'the entries',
    )
    assertWithout(entries, target, 'the history')
    assertEqual((await context.client.flows.get(project.id, flow.id)).target, target, "the flow's target")
  }),

  scenario('erasures.get', 200, 'removes the recipient from completed and pending deliveries, regardless of case', async (context) => {
    const { project, send, later } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const sent = await send({ target: target.toUpperCase().replace('EXAMPLE.COM', 'example.com') })
    await context.client.notifications.get(sent.id, { wait: 30 })
    const scheduled = await send({ target: `${target};other@example.com`, send_at: await later(), subject: 'For both' })
    context.onCleanup(({ client }) => client.notifications.cancel(scheduled.id))
    const erasure = await erase(context, { target })
    assertEqual(erasure.deliveries, 2, 'the number of erased deliveries')

    const completed = await context.client.notifications.get(sent.id)
    const erased = { target: erasure.target, provider_message_id: null }
    assertIncludes(
      completed,
      { status: 'sent', subject: null, deliveries: [{ ...erased, status: 'sent', attempt_count: 1 }] },
      'the sent notification',
    )
    assertEqual(
      completed.deliveries[0]?.attempts.map((attempt) => attempt.provider_response),
      [null],
      "the provider's responses",
    )
    const pending = await context.client.notifications.get(scheduled.id)
    const canceled = { ...erased, status: 'canceled', next_attempt_at: null, failure: { kind: 'target', code: 'erased' } }
    const other = { target: 'other@example.com', status: 'queued', failure: null }
    assertIncludes(pending, { status: 'sending', subject: 'For both', deliveries: [canceled, other] }, 'the scheduled notification')

    const { data } = await context.client.notifications.list({ project_id: project.id })
    assertWithout(data, target, 'the notification list')
    const find = async (text: string) => (await context.client.notifications.list({ project_id: project.id, target: text })).data.map(idOf)
    assertEqual(await find(target), [], 'the ids found by the address')
    assertEqual(await find(erasure.target), [scheduled.id, sent.id], 'the ids found by the digest')
    await context.expectFailure(context.client.notifications.retry(sent.id), 409, 'not_retryable')
  }),

  scenario('erasures.get', 200, 'replaces the address in the text fields of other notifications', async (context) => {
    const { send, later } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const fields = {
      reference: `for ${target}`,
      metadata: { customer: target, also: 'kept', other: `jim.${target}` },
      subject: `About ${target.toUpperCase()}`,
    }
    const { id } = await send({ target: 'admin@example.com', send_at: await later(), ...fields })
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const erasure = await erase(context, { target })
    assertEqual(erasure.deliveries, 0, 'the number of erased deliveries')
    const expected = {
      status: 'queued',
      // The subject is part of the message, which must not become longer.
      subject: `About ${erasure.target.slice(0, target.length)}`,
      reference: `for ${erasure.target}`,
      metadata: { customer: erasure.target, also: 'kept', other: `jim.${target}` },
      deliveries: [{ target: 'admin@example.com', status: 'queued' }],
    }
    assertIncludes(await context.client.notifications.get(id), expected, 'the notification')
  }),

  scenario('erasures.get', 200, 'replaces the address where it is encoded for Markdown, HTML or a URL', async (context) => {
    const { send, later } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const encode = (at: string) => `from ${target.replace('@', at)}`
    const metadata = { markdown: encode('\\@'), html: encode('&#64;'), url: encode('%40').replaceAll(' ', '%20') }
    const { id } = await send({ target: 'admin@example.com', send_at: await later(), metadata })
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const { target: digest } = await erase(context, { target })
    const erased = { markdown: `from ${digest}`, html: `from ${digest}`, url: `from%20${digest}` }
    assertEqual((await context.client.notifications.get(id)).metadata, erased, 'the metadata')
  }),

  scenario('erasures.get', 200, 'replaces an id in the names of metadata', async (context) => {
    const { project, send, later } = await createOpenFlow(context)
    await context.createFlow(project, { source_type: 'slack', target: 'C024BE91L', override_target: true })
    const id = context.uniqueName().replace('conformance ', 'C0').toUpperCase()
    const fields = { target: `smtp:ops@example.com;slack:${id}`, send_at: await later(), metadata: { [id]: 'a', channel: id } }
    const earlier = await send(fields)
    const { target } = await erase(context, { target: `slack:${id}`, block: true })
    const expected = { [target.replace(':', '-')]: 'a', channel: target }
    const blocked = await send(fields)
    for (const notification of [earlier, blocked]) {
      context.onCleanup(({ client }) => client.notifications.cancel(notification.id))
      assertEqual((await context.client.notifications.get(notification.id)).metadata, expected, 'the metadata')
    }
    assertEqual(blocked.metadata, expected, 'the metadata in the response')
  }),

  scenario('erasures.get', 200, 'erases only deliveries through the named provider', async (context) => {
    const { project, send, later } = await createOpenFlow(context)
    await context.createFlow(project, { source_type: 'mailgun', target: 'a@example.com', override_target: true })
    const target = uniqueAddress(context)
    const { id } = await send({ target, send_at: await later() })
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const erasure = await erase(context, { target: `smtp:${target}` })
    assertEqual(erasure.deliveries, 1, 'the number of erased deliveries')
    const { deliveries } = await context.client.notifications.get(id)
    const found = Object.fromEntries(deliveries.map((delivery) => [delivery.source_type, [delivery.target, delivery.status]]))
    assertEqual(found, { smtp: [erasure.target, 'canceled'], mailgun: [target, 'queued'] }, 'the target and status for each provider')
  }),

  scenario('notifications.send', 202, 'replays a response without the erased address, and sends nothing', async (context) => {
    const { project, send, later } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const body = { target, send_at: await later() }
    const first = await send(body, headers)
    const erasure = await erase(context, { target })
    const again = await send(body, headers)
    assertIncludes(again, { id: first.id, subject: null, deliveries: [{ target: erasure.target }] }, 'the replayed response')
    assertWithout(again, target, 'the replayed response')
    assertEqual((await context.client.notifications.list({ project_id: project.id })).data.map(idOf), [first.id], 'the notification ids')
  }),

  scenario('notifications.send', 202, 'stores neither the address nor the message if an erasure blocked the recipient', async (context) => {
    const { project, send } = await createOpenFlow(context)
    const target = uniqueAddress(context)
    const erasure = await erase(context, { target, block: true })
    const { data } = await context.client.suppressions.list(project.id)
    const suppression = { target: erasure.target, source_type: null, reason: 'erasure', source: 'erasure' }
    assertIncludes(data, [suppression], 'the suppressions')
    for (const filter of [target, erasure.target])
      assertEqual((await context.client.suppressions.list(project.id, { target: filter })).data, data, `the suppressions for ${filter}`)
    const sent = await send({ target: target.toUpperCase(), reference: `for ${target}`, metadata: { customer: target } })
    const failed = { target: erasure.target, status: 'failed', failure: { code: 'suppressed' } }
    const reference = `for ${erasure.target}`
    const expected = { status: 'failed', subject: null, reference, metadata: { customer: erasure.target }, deliveries: [failed] }
    assertIncludes(sent, expected, 'the response')
    assertIncludes(await context.client.notifications.get(sent.id), expected, 'the notification')
    await context.expectFailure(context.client.notifications.retry(sent.id), 409, 'not_retryable')
  }),

  scenario('erasures.create', 202, 'adds a suppression only if block is set, and keeps existing suppressions', async (context) => {
    const [one, other] = [await createOpenFlow(context), await createOpenFlow(context)]
    const target = uniqueAddress(context)
    const suppression = await context.client.suppressions.create(one.project.id, { target, reason: 'complaint' })
    const erasure = await erase(context, { target })
    const { data } = await context.client.suppressions.list(one.project.id)
    assertEqual(data, [{ ...suppression, target: erasure.target }], 'the suppressions')
    assertIncludes(await one.send({ target }), { status: 'failed', deliveries: [{ target: erasure.target }] }, 'a suppressed notification')
    const sent = await other.send({ target, send_at: await other.later() })
    context.onCleanup(({ client }) => client.notifications.cancel(sent.id))
    assertIncludes(sent, { status: 'queued', deliveries: [{ target }] }, 'a notification in another project')
  }),

  scenario('erasures.create', 403, 'rejects a credential bound to a project', async (context) => {
    const { key } = await context.createKey({ project_id: (await context.createProject()).id })
    await context.http.expect('erasures.create', 403, { json: { target: uniqueAddress(context) }, key }, 'scope_missing')
    const { id } = await context.client.erasures.create({ target: uniqueAddress(context) })
    await context.http.expect('erasures.get', 403, { params: { erasure_id: id }, key }, 'scope_missing')
  }),

  scenario(
    'erasures.create',
    422,
    'rejects an address that is invalid for the named provider, or for every provider if none is named',
    async (context) => {
      for (const target of ['not an address', 'smtp:ops', 'pigeon:loft']) {
        const { json } = await context.http.expect('erasures.create', 422, { json: { target } }, 'validation_failed')
        assertIncludes(json.errors, [{ in: 'body', pointer: '/target', code: 'invalid_target' }], `the errors for ${target}`)
      }
    },
  ),

  scenario(
    'erasures.get',
    200,
    "leaves another user's deliveries to the same recipient unchanged",
    async (context) => {
      const { send, later } = await createOpenFlow(context)
      const target = uniqueAddress(context)
      const { id } = await send({ target, send_at: await later() })
      context.onCleanup(({ client }) => client.notifications.cancel(id))
      const erasure = await erase({ client: context.otherClient() }, { target, block: true })
      assertEqual(erasure.deliveries, 0, 'the number of erased deliveries')
      assertIncludes(await context.client.notifications.get(id), { status: 'queued', deliveries: [{ target }] }, 'the notification')
      const own = await erase(context, { target })
      assert(own.target !== erasure.target, 'two users must have different digests for the same address')
    },
    ['otherApiKey'],
  ),
]
