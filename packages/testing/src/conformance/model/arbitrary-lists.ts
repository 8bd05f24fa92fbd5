import fc from 'fast-check'
import { mailgunBody, optionally, projectBody } from './arbitrary-bodies.ts'
import type { FlowBodies } from './arbitrary-flows.ts'
import { step } from './arbitrary-steps.ts'
import type { Step } from './sequence.ts'
import { inOrder, newest, type Story } from './story.ts'

const query = fc.constantFrom({ limit: '1' }, { limit: '1' }, { limit: '2' })

/**
 * Creates an arbitrary for paging through a list: steps that create resources, a step that lists them, and an optional
 * step that may change the list.
 */
const lists = (bodies: FlowBodies): fc.Arbitrary<{ setUp: readonly Step[]; list: Step; change: Step | undefined }> => {
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const body = { project_id: '$project', subject: 'a', message: 'b', send_at: '$later' }
  const send = step('notifications.send', {
    project: fc.constant(0),
    flow: newest,
    body: fc.constantFrom(body, { ...body, flow_id: '$flow' }),
  })
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
      inOrder(flow, optionally(flow), send, send, optionally(send)),
      step('notifications.list', { project: fc.constant(0), flow: fc.constantFrom(-1, -2), query: filtered }),
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

/** Uses a list's cursor to list a different resource type. */
export const crossed = (bodies: FlowBodies): Story => {
  const flow = step('flows.create', { project: fc.constant(0), body: bodies.newFlow })
  const flowList = step('flows.list', { project: fc.constant(0), query: fc.constant({ limit: '1' }) })
  const other = step('integrations.list', { project: fc.constant(0), cursor: fc.constant('other' as const) })
  const bound = fc.constant<Step>({ operation: 'apiKeys.create', project: 0, body: { name: 'bound', project_id: '$project' } })
  const projects = step('projects.create', { body: projectBody })
  const projectList = step('projects.list', { query: fc.constant({ limit: '1' }) })
  const keyList = step('apiKeys.list', { as: newest, cursor: fc.constant('other' as const) })
  return fc.oneof(inOrder(flow, flow, flowList, other), inOrder(projects, projects, bound, projectList, keyList))
}

/** Pages through a list, and may change the list between two pages. */
export const paged = (bodies: FlowBodies, any: fc.Arbitrary<Step>): Story => {
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
