import type { Flowpost } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createFailed } from '../bulk-actions.ts'
import type { ScenarioContext } from '../context.ts'
import type { PlainResponse } from '../http.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { createOpenFlow } from './suppressions.ts'

const assertRetryAfter = ({ headers }: Pick<PlainResponse, 'headers'>, maxSeconds: number): void => {
  const text = headers.get('retry-after') ?? ''
  assert(/^[1-9]\d*$/.test(text) && Number(text) <= maxSeconds, `Retry-After must be 1 to ${maxSeconds} seconds`, text)
}

const pollMs = 50
const maxRunningActions = 10

/**
 * Schedules messages until the user has as many pending messages as allowed, and returns the notification ids. Retries
 * rejected messages, because a server may still count recently canceled deliveries.
 */
const fillQueue = async (context: ScenarioContext): Promise<readonly string[]> => {
  const send = await createSender(context, context.client, context.target.apiKey)
  const ids: string[] = []
  while (ids.length < Math.ceil((context.target.queueLimit ?? 0) / 2)) {
    const { status, json } = await send(1)
    if (status === 202) ids.push(json.id)
    else await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return ids
}

/** Creates a project for `owner`. Returns a function that tries to schedule a message to `count` recipients. */
const createSender = async (context: ScenarioContext, owner: Flowpost, key: string) => {
  const project = await owner.projects.create({ name: context.uniqueName() })
  const isOther = key !== context.target.apiKey
  context.onCleanup(({ client, otherClient }) => (isOther ? otherClient() : client).projects.delete(project.id))
  await owner.flows.create(project.id, {
    name: 'a',
    source_type: 'smtp',
    target: 'a@example.com',
    override_target: true,
  })
  const send_at = await context.serverTime(farFutureMs)
  return (count: number) => {
    const target = Array.from({ length: count }, (_, index) => `user-${index}@example.com`).join(';')
    const json = { project_id: project.id, subject: 'Conformance', message: 'This message must not be delivered.', target, send_at }
    return context.http.call('notifications.send', { json, key })
  }
}

/** Scenarios about deployments with small limits. */
export const overloadScenarios: readonly Scenario[] = [
  scenario(
    null,
    503,
    'limits each user to half of the queue, and limits due and scheduled deliveries separately',
    async (context) => {
      const { queueLimit = 0, apiKey, otherApiKey = '' } = context.target
      const userLimit = Math.ceil(queueLimit / 2)
      const send = await createSender(context, context.client, apiKey)
      const sendAsOther = await createSender(context, context.otherClient(), otherApiKey)
      const expectStatus = async (sending: Promise<PlainResponse>, status: number, what: string) => {
        const response = await sending
        assertEqual(
          [response.status, response.json?.code],
          [status, status === 503 ? 'queue_full' : undefined],
          `the status and code for ${what}`,
        )
        if (status === 503) assertRetryAfter(response, 3_600)
      }
      await expectStatus(send(userLimit + 1), 503, 'deliveries that exceed the user limit by one')
      await expectStatus(send(userLimit), 202, 'deliveries that reach the user limit')
      await expectStatus(send(1), 503, 'another delivery for the same user')
      await expectStatus(sendAsOther(queueLimit - userLimit), 202, "another user's deliveries that fill the queue")
      await expectStatus(sendAsOther(1), 503, 'another delivery while the queue is full')
      const project = await context.createProject()
      await context.createFlow(project)
      const due = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.' }
      await expectStatus(
        context.http.call('notifications.send', { json: due }),
        202,
        'sending a message that is due now, while scheduled deliveries fill the queue',
      )
    },
    ['queueLimit', 'otherApiKey', 'mayDeliver'],
  ),

  scenario(
    'notifications.send',
    202,
    'does not count deliveries to suppressed recipients toward the queue limit',
    async (context) => {
      const { project, send } = await createOpenFlow(context)
      const targets = Array.from({ length: Math.ceil((context.target.queueLimit ?? 0) / 2) + 1 }, (_, index) => `user-${index}@example.com`)
      for (const target of targets) await context.client.suppressions.create(project.id, { target })
      const { status, deliveries } = await send({ target: targets.join(';') })
      assertEqual([status, deliveries.length], ['failed', targets.length], 'the status and the number of deliveries')
    },
    ['queueLimit'],
  ),

  scenario(
    'notifications.sendBatch',
    200,
    'returns Retry-After when a full queue rejects notifications',
    async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      await fillQueue(context)
      const send_at = await context.serverTime(farFutureMs)
      const item = { project_id: project.id, subject: 'Conformance', message: 'This message must not be delivered.', send_at }
      const response = await context.http.expect('notifications.sendBatch', 200, { json: { notifications: [item] } })
      assertIncludes(response.json.results, [{ status: 503, problem: { code: 'queue_full' } }], 'the results')
      assertRetryAfter(response, 3_600)
    },
    ['queueLimit'],
  ),

  scenario(
    'notifications.sendBatch',
    200,
    'rejects later items with the idempotency key of an item that exceeded the queue limit, even if they fit',
    async (context) => {
      const project = await context.createProject()
      const recipients = Array.from({ length: (context.target.queueLimit ?? 0) + 1 }, (_, index) => `user-${index}@example.com`)
      await context.createFlow(project, { source_type: 'smtp', target: 'a@example.com', override_target: true })
      const send_at = await context.serverTime(farFutureMs)
      const small = { project_id: project.id, subject: 'Conformance', message: 'This message must not be delivered.', send_at }
      const large = { ...small, target: recipients.join(';') }
      const key = { idempotency_key: context.uniqueName().replaceAll(' ', '-') }
      const notifications = [{ ...large, ...key }, { ...small, ...key }, small]
      const trySend = async () => (await context.http.expect('notifications.sendBatch', 200, { json: { notifications } })).json.results
      let results = await trySend()
      // The server may still count the deliveries of earlier scenarios.
      while (results[2].status === 503) {
        await new Promise((resolve) => setTimeout(resolve, pollMs))
        results = await trySend()
      }
      const rejected = { status: 503, problem: { code: 'queue_full' } }
      assertIncludes(results, [rejected, rejected, { status: 202 }], 'the results')
    },
    ['queueLimit'],
  ),

  scenario(
    'bulkActions.stop',
    200,
    'stops an action that is waiting for space in the queue',
    async (context) => {
      const { filter, ids } = await createFailed(context, 1)
      const [first = '', ...others] = await fillQueue(context)
      const spread = { action: 'retry' as const, filter, spread_seconds: 86_400 }
      const created = await context.http.expect('bulkActions.create', 202, { json: spread })
      const running = await context.client.bulkActions.get(created.json.id, { wait: 1 })
      assertIncludes(running, { status: 'running', done: 0, completed_at: null }, 'the action while the queue is full')
      const stopped = await context.client.bulkActions.stop(running.id)
      assertIncludes(stopped, { status: 'stopped', done: 0 }, 'the stopped action')
      assert(stopped.completed_at !== null, 'a stopped action must have completed_at')
      for (const id of others) await context.client.notifications.cancel(id)
      // The queue has space now. If the bulk action were still running, it would retry the notification `ids[0]` within 4 s.
      // The next call serves only to wait 4 s. The call does not return earlier, because the notification `first` is scheduled
      // for a later day.
      await context.client.notifications.get(first, { wait: 4 })
      assertEqual(await context.client.bulkActions.get(stopped.id), stopped, 'the stopped action, read again')
      assertIncludes(await context.client.notifications.get(ids[0] ?? ''), { status: 'failed' }, 'the notification')
    },
    ['queueLimit', 'mayDeliver'],
  ),

  scenario(
    null,
    429,
    `limits each user to ${maxRunningActions} running bulk actions, and returns Retry-After`,
    async (context) => {
      const { filter } = await createFailed(context, 1)
      // The actions keep running, because the queue has no space for the delivery that they retry.
      await fillQueue(context)
      const json = { action: 'retry', filter, spread_seconds: 86_400 }
      const ids: string[] = []
      const create = async () => {
        const created = await context.http.expect('bulkActions.create', 202, { json })
        ids.push(created.json.id)
        context.onCleanup(({ client }) => client.bulkActions.stop(created.json.id))
      }
      while (ids.length < maxRunningActions) await create()
      const rejected = await context.http.call('bulkActions.create', { json })
      assertEqual([rejected.status, rejected.json?.code], [429, 'rate_limited'], 'status and code')
      assertRetryAfter(rejected, 3_600)
      await context.client.bulkActions.stop(ids[0] ?? '')
      await create()
    },
    ['queueLimit'],
  ),

  scenario(
    'bulkActions.get',
    401,
    'rejects a key that expires during the wait',
    async (context) => {
      const { filter } = await createFailed(context, 1)
      await fillQueue(context)
      const json = { action: 'retry', filter, spread_seconds: 86_400 }
      const { json: running } = await context.http.expect('bulkActions.create', 202, { json })
      context.onCleanup(({ client }) => client.bulkActions.stop(running.id))
      const { key } = await context.createKey({ expires_at: await context.serverTime(2_000) })
      const params = { action_id: running.id }
      await context.http.expect('bulkActions.get', 200, { params, key })
      // The key expires within two seconds. The wait takes three, in case the server's clock is set back by up to a second.
      await context.http.expect('bulkActions.get', 401, { params, key, query: { wait: '3' } }, 'unauthenticated')
    },
    ['queueLimit'],
  ),

  scenario(
    null,
    429,
    "limits each credential's requests, and returns Retry-After",
    async ({ http, target }) => {
      const { requests, seconds } = target.rateLimit ?? { requests: 0, seconds: 0 }
      const request = (key = target.apiKey) => http.call('providers.list', { query: { limit: '1' }, key })
      for (let left = requests - 1; left >= 0; left -= 1) {
        const { status, headers } = await request()
        assertEqual(
          [status, /;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]],
          [200, String(left)],
          'status, and the number of remaining requests in the RateLimit header',
        )
      }
      const rejected = await request()
      assertEqual([rejected.status, rejected.json?.code], [429, 'rate_limited'], 'status and code')
      assertRetryAfter(rejected, seconds)
      assert(rejected.headers.get('ratelimit'), 'the response must have a RateLimit header')
      const policy = rejected.headers.get('ratelimit-policy') ?? ''
      assert(policy.endsWith(`;q=${requests};w=${seconds}`), 'RateLimit-Policy must state the limit', policy)
      assertEqual((await request(target.otherApiKey)).status, 200, 'the status for another credential')
    },
    ['rateLimit', 'otherApiKey'],
  ),
]
