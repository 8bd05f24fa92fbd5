import { scopes } from '@flowpost/contract'
import fc from 'fast-check'
import { apiKeyBody, type Body, mailgunBody, optionally, projectBody } from './arbitrary-bodies.ts'
import { changedInBulk } from './arbitrary-bulk-actions.ts'
import { observed } from './arbitrary-events.ts'
import type { FlowBodies } from './arbitrary-flows.ts'
import { crossed, paged } from './arbitrary-lists.ts'
import { anyTag, few, putIntegration, step } from './arbitrary-steps.ts'
import type { Step } from './sequence.ts'
import { inOrder, newest, type Story } from './story.ts'

const hourMs = 3_600_000

const keyBody = (fields: Partial<Record<'scopes' | 'project_id' | 'expires_at', fc.Arbitrary<unknown>>>): fc.Arbitrary<Body> =>
  fc.record({ name: fc.constant('$name0'), ...fields }) as fc.Arbitrary<Body>

const someScopes = fc.subarray([...scopes], { minLength: 1 })
const parentScopes = fc.oneof(someScopes, someScopes).map((chosen) => [...new Set([...chosen, 'keys:write', 'settings:read'])])
const last = fc.constant(-2)

/** A request with an idempotency key. The request is repeated unchanged, and then sometimes with a change. */
const repeated = (bodies: FlowBodies, any: fc.Arbitrary<Step>): Story => {
  const idempotencyKey = few
  const first = fc.oneof(
    step('projects.create', { body: projectBody, idempotencyKey }),
    step('flows.create', { project: few, body: bodies.newFlow, idempotencyKey }),
    step('apiKeys.create', { project: few, body: apiKeyBody, idempotencyKey }),
    step('notifications.send', { project: few, flow: few, body: bodies.message, idempotencyKey }),
    step('notifications.sendBatch', { project: few, flow: few, body: bodies.batch, idempotencyKey }),
    step('notifications.retry', { notification: few, idempotencyKey }),
    step('notifications.cancel', { notification: few, idempotencyKey }),
  )
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const body = fc.constantFrom<Body>(
    { project_id: '$project', subject: 'a', message: 'b' },
    { message: 'b', project_id: '$project', subject: 'a', send_at: '$later' },
  )
  const send = step('notifications.send', { project: fc.constant(0), body, idempotencyKey })
  const change = fc.oneof(
    few.map((as) => ({ as })),
    projectBody.map((body) => ({ body })),
    fc.constantFrom({ as: -1 }, { isPathRespelled: true }),
    fc.constantFrom({ advanceMs: 23 * hourMs }, { advanceMs: 25 * hourMs }),
  )
  // Creates an API key that is bound to the project. The last step may use this key to repeat a request that was first sent with
  // an unbound key. The server must then not replay the stored response.
  const bound = fc.constant<Step>({ operation: 'apiKeys.create', project: 0, body: { name: 'bound', project_id: '$project' } })
  const setUp = fc.tuple(
    inOrder(optionally(flow), fc.option(bound, { nil: undefined, freq: 2 })),
    fc.oneof({ weight: 2, arbitrary: first }, { weight: 1, arbitrary: send }),
  )
  return fc
    .tuple(setUp, optionally(any), optionally(change))
    .map(([[before, drawn], between, changed]) => [
      ...before,
      drawn,
      ...(between ? [between] : []),
      drawn,
      ...(changed ? [{ ...drawn, ...changed }] : []),
    ])
}

/** A message, and a request whose response depends on the message's status. */
const sent = (bodies: FlowBodies): Story => {
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const send = step('notifications.send', { project: fc.constant(0), flow: newest, body: bodies.message })
  const next = fc.oneof(
    step('notifications.cancel', { notification: newest }),
    step('notifications.retry', { notification: newest }),
    step('notifications.list', { project: fc.constant(0), query: fc.constantFrom({ status: 'sent' }, { status: 'queued' }) }),
    step('flows.get', { flow: newest }),
  )
  return inOrder(optionally(flow), send, next)
}

/**
 * A story that sends a message with a test key, or with a child key of a test key. The message's `target` is often a
 * simulated recipient, and sometimes a misspelled one. The recipients `outage` and `slow` are not used, because their
 * outcomes depend on time. The last step retries the message, previews another message, or revokes one of the keys.
 */
const tested = (bodies: FlowBodies): Story => {
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const mode = fc.constantFrom<Body>({ mode: 'test' }, { mode: 'test' }, { mode: 'live' }, {})
  const key = step('apiKeys.create', { body: fc.constant({ name: '$name0', mode: 'test' }) })
  const child = step('apiKeys.create', { as: newest, body: mode.map((fields) => ({ name: '$name0', ...fields })) })
  const body = { project_id: '$project', flow_id: '$flow', subject: 'a', message: 'b' }
  const target = fc.constantFrom('ok@flowpost.test', 'bounce+1@flowpost.test', 'bounse@flowpost.test', 'C0TEST_bounce', 'C0TEST_okay')
  const message = optionally(target).map((chosen) => (chosen === undefined ? body : { ...body, target: chosen }))
  const send = step('notifications.send', { project: fc.constant(0), flow: newest, as: newest, body: message })
  const then = fc.oneof(
    step('notifications.retry', { notification: newest, as: optionally(newest) }),
    step('notifications.preview', { project: fc.constant(0), flow: newest, as: newest, body: message }),
    step('apiKeys.delete', { apiKey: fc.constantFrom(-1, -2), as: newest }),
  )
  return inOrder(flow, key, optionally(child), send, then)
}

/** A project with flows and scheduled messages. Then flows or the project are deleted, or a message is canceled. */
const deleted = (bodies: FlowBodies): Story => {
  const create = step('projects.create', { body: fc.constant({ name: '$name3' }) })
  const flow = step('flows.create', { project: newest, body: bodies.newFlow })
  const send = (flowId: fc.Arbitrary<Body>) =>
    step('notifications.send', {
      project: newest,
      flow: newest,
      body: flowId.map((fields) => ({ project_id: '$project', subject: 'a', message: 'b', send_at: '$later', ...fields })),
    })
  const ifMatch = optionally(anyTag)
  const deletion = fc.oneof(
    step('flows.delete', { flow: fc.constantFrom(-1, -2), ifMatch }),
    step('projects.delete', { project: newest, ifMatch }),
    step('projects.deleteByQuery', { project: newest, query: fc.constant({ project_id: '$project' }), ifMatch }),
    step('notifications.cancel', { notification: newest }),
  )
  const message = send(fc.constantFrom<Body>({}, {}, { flow_id: '$flow' }))
  const read = fc.oneof(
    step('notifications.get', { notification: newest, query: fc.constantFrom({}, {}, { wait: '1' }) }),
    step('notifications.retry', { notification: newest }),
    step('notifications.deliveries', { notification: newest }),
  )
  return inOrder(optionally(create), flow, optionally(flow), message, optionally(message), deletion, optionally(deletion), read)
}

/** Credentials that are stored, read, changed and deleted, with conditional requests. */
const integrated = (): Story => {
  const path = { project: fc.constant(0), source_type: fc.constant('mailgun') }
  const anything = putIntegration.map((put): Step => ({ ...put, project: 0 }))
  const put = step('integrations.put', { ...path, body: mailgunBody })
  // `If-Match` never matches credentials that do not exist, even if it is `*`.
  const onlyIfPresent = step('integrations.put', { ...path, body: mailgunBody, ifMatch: fc.constant('any' as const) })
  const first = fc.oneof({ weight: 3, arbitrary: put }, { weight: 1, arbitrary: onlyIfPresent })
  const conditional = fc.oneof(
    step('integrations.put', { ...path, body: mailgunBody, ifMatch: anyTag }),
    step('integrations.get', { ...path, ifNoneMatch: anyTag }),
    step('integrations.delete', { ...path, ifMatch: anyTag }),
  )
  return inOrder(first, conditional, optionally(anything), conditional, conditional)
}

/** An API key and a child key created with it. One of the two is revoked. Either may be used before and after that. */
const keys = (any: fc.Arbitrary<Step>): Story => {
  const binding = optionally(fc.constant('$project'))
  const parent = step('apiKeys.create', { project: fc.constant(0), body: keyBody({ scopes: parentScopes, project_id: binding }) })
  const child = step('apiKeys.create', {
    project: fc.constant(0),
    as: newest,
    body: keyBody({ scopes: optionally(someScopes), project_id: binding }),
  })
  const use = (as: fc.Arbitrary<number>) => fc.tuple(any, as).map(([drawn, index]): Step => ({ ...drawn, as: index }))
  const either = fc.constantFrom(-1, -2)
  const revocation = fc.oneof(
    { weight: 4, arbitrary: step('apiKeys.delete', { apiKey: either, as: fc.option(fc.constantFrom(-1, -2, 0), { nil: undefined }) }) },
    // Deleting a project revokes the keys that are bound to it.
    { weight: 1, arbitrary: step('projects.delete', { project: fc.constant(0) }) },
  )
  const related = inOrder(parent, child, optionally(use(either)), revocation, optionally(use(either)))
  const limited = step('apiKeys.create', { as: newest, body: keyBody({ scopes: fc.constant(['settings:read', 'keys:write']) }) })
  // The child key has fewer scopes than its parent, so it cannot revoke its parent.
  const excessive = inOrder(step('apiKeys.create', { body: keyBody({}) }), limited, step('apiKeys.delete', { apiKey: last, as: newest }))
  const story = fc.oneof({ weight: 3, arbitrary: related }, { weight: 1, arbitrary: excessive })
  return inOrder(story, step('apiKeys.list', { as: optionally(last) }))
}

/** An API key that expires, and sometimes a child key created with it. */
const expiring = (any: fc.Arbitrary<Step>): Story => {
  const parent = step('apiKeys.create', { body: keyBody({ scopes: parentScopes, expires_at: fc.constant('$soon') }) })
  const expires_at = optionally(fc.constantFrom('$soon', '$later', '$earlier'))
  const child = step('apiKeys.create', { as: newest, body: keyBody({ expires_at }) })
  const use = fc
    .tuple(any, fc.constantFrom(-1, -2), fc.constantFrom(hourMs / 2, hourMs - 1, 2 * hourMs))
    .map(([drawn, as, advanceMs]): Step => ({ ...drawn, as, advanceMs }))
  const revocation = step('apiKeys.delete', { apiKey: fc.constantFrom(-1, -2), as: optionally(fc.constantFrom(-1, -2)) })
  return inOrder(parent, optionally(child), use, optionally(revocation), step('apiKeys.list'))
}

/**
 * Creates fast-check arbitraries for all kinds of stories (short sequences of related steps), with their weights.
 *
 * @param any An arbitrary that generates any single step.
 */
export const createWeightedStories = (bodies: FlowBodies, any: fc.Arbitrary<Step>): readonly { weight: number; arbitrary: Story }[] => [
  { weight: 6, arbitrary: repeated(bodies, any) },
  { weight: 10, arbitrary: sent(bodies) },
  { weight: 4, arbitrary: tested(bodies) },
  { weight: 3, arbitrary: deleted(bodies) },
  { weight: 5, arbitrary: paged(bodies, any) },
  { weight: 1, arbitrary: crossed(bodies) },
  { weight: 2, arbitrary: integrated() },
  { weight: 3, arbitrary: keys(any) },
  { weight: 1, arbitrary: expiring(any) },
  { weight: 2, arbitrary: observed(bodies) },
  { weight: 2, arbitrary: changedInBulk(bodies) },
]
