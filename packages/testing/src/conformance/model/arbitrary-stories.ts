import { scopes } from '@flowpost/contract'
import fc from 'fast-check'
import { apiKeyBody, type Body, mailgunBody, optionally, projectBody } from './arbitrary-bodies.ts'
import type { FlowBodies } from './arbitrary-flows.ts'
import { anyTag, few, putIntegration, step } from './arbitrary-steps.ts'
import type { Step } from './sequence.ts'

type Story = fc.Arbitrary<readonly Step[]>

const hourMs = 3_600_000

/** Concatenates stories. A part that is `undefined` is left out. */
const inOrder = (...parts: fc.Arbitrary<Step | readonly Step[] | undefined>[]): Story =>
  fc.tuple(...parts).map((drawn) => drawn.flatMap((part) => part ?? []))

const keyBody = (fields: Partial<Record<'scopes' | 'project_id' | 'expires_at', fc.Arbitrary<unknown>>>): fc.Arbitrary<Body> =>
  fc.record({ name: fc.constant('$name0'), ...fields }) as fc.Arbitrary<Body>

const someScopes = fc.subarray([...scopes], { minLength: 1 })
const parentScopes = fc.oneof(someScopes, someScopes).map((chosen) => [...new Set([...chosen, 'keys:write', 'settings:read'])])
const newest = fc.constant(-1)
const last = fc.constant(-2)

/** A request with an idempotency key, repeated unchanged, and then with a change. */
const repeated = (bodies: FlowBodies, any: fc.Arbitrary<Step>): Story => {
  const idempotencyKey = few
  const first = fc.oneof(
    step('projects.create', { body: projectBody, idempotencyKey }),
    step('flows.create', { project: few, body: bodies.newFlow, idempotencyKey }),
    step('apiKeys.create', { project: few, body: apiKeyBody, idempotencyKey }),
    step('notifications.send', { project: few, flow: few, body: bodies.message, idempotencyKey }),
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
    fc.constant({ isPathRespelled: true }),
    fc.constantFrom({ advanceMs: 23 * hourMs }, { advanceMs: 25 * hourMs }),
  )
  const setUp = fc.tuple(optionally(flow), fc.oneof({ weight: 2, arbitrary: first }, { weight: 1, arbitrary: send }))
  return fc
    .tuple(setUp, optionally(any), optionally(change))
    .map(([[flowStep, drawn], between, changed]) => [
      ...(flowStep ? [flowStep] : []),
      drawn,
      ...(between ? [between] : []),
      drawn,
      ...(changed ? [{ ...drawn, ...changed }] : []),
    ])
}

/** A project with two flows and scheduled messages, some of whose resources are deleted. */
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

const query = fc.constantFrom({ limit: '1' }, { limit: '1' }, { limit: '2' })

/** Steps that create the resources of a list, the list, and a step that deletes one of them. */
const lists = (bodies: FlowBodies): fc.Arbitrary<{ setUp: readonly Step[]; list: Step; change: Step | undefined }> => {
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const body = { project_id: '$project', subject: 'a', message: 'b', send_at: '$later' }
  const send = step('notifications.send', { project: fc.constant(0), flow: newest, body: fc.constant(body) })
  const project = step('projects.create', { body: projectBody })
  const bound = fc.constant<Step>({ operation: 'apiKeys.create', project: 0, body: { name: 'parent', project_id: '$project' } })
  const child = (as: number) => fc.constant<Step>({ operation: 'apiKeys.create', as, body: { name: 'child' } })
  const mailgun = step('integrations.put', { project: fc.constant(0), source_type: fc.constant('mailgun'), body: mailgunBody })
  const teams = fc.constant<Step>({
    operation: 'integrations.put',
    project: 0,
    source_type: 'teams',
    body: { settings: {}, secrets: { urls: { ops: 'https://a.logic.azure.com/x' } } },
  })
  const filtered = fc.constantFrom<Record<string, string>>(
    { limit: '1' },
    { limit: '1', project_id: '$project' },
    { limit: '1', status: 'queued', project_id: '$project' },
    { limit: '1', status: 'canceled' },
    { limit: '1', flow_id: '$flow' },
    { limit: '1', flow_id: '$flow', status: 'queued' },
  )
  const of = (setUp: Story, list: fc.Arbitrary<Step>, change: fc.Arbitrary<Step>) =>
    fc.record({ setUp, list, change: fc.option(change, { nil: undefined }) })
  const oldest = fc.constantFrom(-1, -2, -3)
  return fc.oneof(
    of(inOrder(project, project), step('projects.list', { query }), step('projects.delete', { project: oldest })),
    of(inOrder(flow, flow, flow), step('flows.list', { project: fc.constant(0), query }), step('flows.delete', { flow: oldest })),
    of(
      inOrder(mailgun, teams),
      step('integrations.list', { project: fc.constant(0), query }),
      step('integrations.delete', { project: fc.constant(0), source_type: fc.constantFrom('mailgun', 'teams') }),
    ),
    of(
      inOrder(bound, child(-1), child(-2)),
      step('apiKeys.list', { query, as: fc.constant(-3) }),
      step('apiKeys.delete', { apiKey: fc.constantFrom(-1, -2) }),
    ),
    of(
      inOrder(flow, send, send, optionally(send)),
      step('notifications.list', { project: fc.constant(0), flow: newest, query: filtered }),
      step('notifications.cancel', { notification: oldest }),
    ),
    of(
      inOrder(flow, flow, send),
      step('notifications.deliveries', { notification: newest, query }),
      step('flows.delete', { flow: oldest }),
    ),
    of(fc.constant([]), step('providers.list', { query }), step('providers.list')),
  )
}

/** A cursor of one list in another list with the same filters. */
const crossed = (bodies: FlowBodies): Story => {
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const flowList = step('flows.list', { project: fc.constant(0), query: fc.constant({ limit: '1' }) })
  const other = step('integrations.list', { project: fc.constant(0), cursor: fc.constant('other' as const) })
  const bound = fc.constant<Step>({ operation: 'apiKeys.create', project: 0, body: { name: 'bound', project_id: '$project' } })
  const projects = step('projects.create', { body: projectBody })
  const projectList = step('projects.list', { query: fc.constant({ limit: '1' }) })
  const keyList = step('apiKeys.list', { as: newest, cursor: fc.constant('other' as const) })
  return fc.oneof(inOrder(flow, flow, flowList, other), inOrder(projects, projects, bound, projectList, keyList))
}

/** A walk through a list, with a change on the way. */
const paged = (bodies: FlowBodies, any: fc.Arbitrary<Step>): Story => {
  const next = fc.constantFrom<Partial<Step>>(
    {},
    {},
    {},
    { query: { limit: '2' } },
    { query: {} },
    { cursor: 'changed' },
    { project: 1 },
    { cursor: 'other' },
  )
  return fc
    .tuple(lists(bodies), optionally(any), next)
    .map(([{ setUp, list, change }, between, changed]) => [
      ...setUp,
      list,
      ...(change ? [change] : []),
      { ...list, cursor: 'last' },
      ...(between ? [between] : []),
      { ...list, cursor: 'last', ...changed },
    ])
}

/** Credentials that are stored, read, changed and deleted, with conditional requests. */
const integrated = (): Story => {
  const path = { project: fc.constant(0), source_type: fc.constant('mailgun') }
  const anything = putIntegration.map((put): Step => ({ ...put, project: 0 }))
  const put = step('integrations.put', { ...path, body: mailgunBody })
  const conditional = fc.oneof(
    step('integrations.put', { ...path, body: mailgunBody, ifMatch: anyTag }),
    step('integrations.get', { ...path, ifNoneMatch: anyTag }),
    step('integrations.delete', { ...path, ifMatch: anyTag }),
  )
  return inOrder(put, conditional, optionally(anything), conditional, conditional)
}

/** A key that creates a child key. The keys revoke each other, and are used afterwards. */
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
    // Also revokes the keys that are bound to the project.
    { weight: 1, arbitrary: step('projects.delete', { project: fc.constant(0) }) },
  )
  return inOrder(
    parent,
    child,
    optionally(use(either)),
    revocation,
    optionally(use(either)),
    step('apiKeys.list', { as: optionally(last) }),
  )
}

/** A key that expires, and its child key. */
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
 * Creates arbitraries of steps whose differences only show together, with their weights.
 *
 * @param any Any step.
 */
export const createWeightedStories = (bodies: FlowBodies, any: fc.Arbitrary<Step>): readonly { weight: number; arbitrary: Story }[] => [
  { weight: 6, arbitrary: repeated(bodies, any) },
  { weight: 3, arbitrary: deleted(bodies) },
  { weight: 5, arbitrary: paged(bodies, any) },
  { weight: 1, arbitrary: crossed(bodies) },
  { weight: 2, arbitrary: integrated() },
  { weight: 2, arbitrary: keys(any) },
  { weight: 1, arbitrary: expiring(any) },
]
