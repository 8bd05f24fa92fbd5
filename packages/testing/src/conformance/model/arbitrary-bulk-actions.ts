import fc from 'fast-check'
import { type Body, omitUndefined, optionally, rarely } from './arbitrary-bodies.ts'
import type { FlowBodies } from './arbitrary-flows.ts'
import type { Step } from './sequence.ts'
import { inOrder, type Story } from './story.ts'

const longAgo = '2001-01-01T00:00:00Z'
const farAhead = '2999-01-01T00:00:00Z'
const kinds = ['credential', 'target', 'expired', 'lost']
const codes = ['integration_missing', 'suppressed', '5.1.1', '']

const filter = fc
  .record({
    project_id: fc.constantFrom('$project', '$project', '$project', '$project', 'nonsense'),
    created_after: fc.constantFrom(longAgo, longAgo, longAgo, '$earlier', farAhead, 'yesterday'),
    created_before: rarely(fc.constantFrom(farAhead, longAgo)),
    flow_id: rarely(fc.constantFrom('$flow', '$flow', 'nonsense')),
    source_type: rarely(fc.constantFrom('smtp', 'slack', 'pigeon')),
    status: optionally(fc.constantFrom('failed', 'queued', 'ambiguous', 'retrying', 'sent')),
    failure_kind: rarely(fc.constantFrom(...kinds)),
    failure_code: rarely(fc.constantFrom(...codes)),
  })
  .map(omitUndefined)

/**
 * The body for creating a bulk action. A positive `spread_seconds` appears only in dry runs. In a real run, it would make
 * each retry due at a random time.
 */
export const bulkActionBody = fc
  .tuple(
    fc.record({ action: fc.constantFrom('retry', 'cancel', 'cancel'), filter }),
    fc.constantFrom<Body>(
      {},
      {},
      {},
      { spread_seconds: 0 },
      { dry_run: true, spread_seconds: 60 },
      { dry_run: true },
      { spread_seconds: -1 },
    ),
    rarely(fc.constant<Body>({ colour: 'red' })),
  )
  .map(([request, options, wrong]): Body => ({ ...request, ...options, ...wrong }))

const ofProject: Body = { project_id: '$project', created_after: longAgo }
const create = (as: number | undefined, body: Body): Step => ({
  operation: 'bulkActions.create',
  project: 0,
  flow: -1,
  body,
  ...(as === undefined ? {} : { as }),
})

const testKey: Step = { operation: 'apiKeys.create', body: { name: '$name0', mode: 'test' } }
const send = (as: number | undefined, fields: Body): Step => ({
  operation: 'notifications.send',
  project: 0,
  body: { project_id: '$project', subject: 'a', message: 'b', ...fields },
  ...(as === undefined ? {} : { as }),
})

const read = fc.constantFrom<Step>(
  { operation: 'bulkActions.get', bulkAction: -1 },
  { operation: 'bulkActions.get', bulkAction: -1, query: { wait: '1' } },
  { operation: 'bulkActions.stop', bulkAction: -1 },
  { operation: 'bulkActions.list', query: { limit: '1' } },
)

/** Sends scheduled and failing messages, creates a bulk action, and then reads, stops or lists bulk actions. */
export const changedInBulk = ({ failingFlow }: Pick<FlowBodies, 'failingFlow'>): Story =>
  inOrder(
    failingFlow.map((body): Step => ({ operation: 'flows.create', project: 0, body })),
    fc.constant(testKey),
    optionally(fc.constantFrom(send(undefined, { send_at: '$later' }), send(-1, { send_at: '$later' }))),
    optionally(fc.constant(send(-1, {}))),
    fc.constantFrom(send(-1, {}), send(undefined, { send_at: '$later' })),
    optionally(fc.constant<Step>({ operation: 'flows.delete', flow: -1 })),
    fc
      .tuple(
        fc.constantFrom(-1, undefined),
        fc.constantFrom<Body>({ action: 'retry' }, { action: 'cancel' }),
        fc.constantFrom<Body>({}, {}, { flow_id: '$flow' }, { failure_kind: 'target' }, { failure_code: '5.1.1' }, { source_type: 'smtp' }),
        fc.constantFrom<Body>({}, {}, {}, { dry_run: true }),
      )
      .map(([as, action, filters, options]) => create(as, { ...action, filter: { ...ofProject, ...filters }, ...options })),
    read,
  )
