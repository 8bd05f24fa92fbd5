import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/testing/src'

/** Bugs in the mock's events and event endpoints. */
export const mockEventMutants: readonly Mutant[] = [
  ...inFile(`${folder}/features/event-endpoints.ts`, [
    {
      name: 'in the mock, a project can have 21 event endpoints',
      find: 'endpointsOf(context, project.id).length >= maxEventEndpoints',
      replace: 'endpointsOf(context, project.id).length > maxEventEndpoints',
      killedBy: /^eventEndpoints\.create 409: rejects more/,
    },
    {
      name: 'the mock finds event endpoints of other projects',
      find: 'if (endpoint?.projectId !== project.id) throw notFound()',
      replace: 'if (!endpoint) throw notFound()',
      killedBy: /^eventEndpoints\.list 200: lists only/,
    },
    {
      name: 'in the mock, a rotation keeps the secret',
      find: `      record.secret = context.tokens.signingSecret()\n`,
      replace: '',
      killedBy: /^eventEndpoints\.rotateSecret 200/,
    },
    {
      name: 'the mock tests an endpoint without a URL',
      find: `      requireEndpointUrl(record)\n      const event`,
      replace: '      const event',
      killedBy: /^eventEndpoints\.test 409/,
    },
    {
      name: 'in the mock, a replay does nothing',
      find: `      record.position = body.after ?? ''\n`,
      replace: '',
      killedBy: /^eventEndpoints\.replay 200: sends events again/,
    },
    {
      name: 'in the mock, a replay can start after an event of another project',
      find: 'store.events.get(body.after)?.projectId !== record.projectId',
      replace: '!store.events.has(body.after)',
      killedBy: /^eventEndpoints\.replay 404: returns not_found for another project's event/,
    },
    {
      // The description of the status says: "`unknown` before the first event and after an update or a replay".
      name: 'in the mock, an event endpoint keeps its health after an update or a replay',
      find: '  endpoint.health = unknownEndpointHealth\n',
      replace: '',
      killedBy: /^eventEndpoints\.(update|replay) 200: resets the health/,
    },
  ]),
  ...inFile(`${folder}/events/event-pushes.ts`, [
    {
      // The description of `since` says: "When `status` last changed".
      name: 'in the mock, each request to an event endpoint resets health.since',
      find: 'const since = endpoint.health.status === health.status ? endpoint.health.since : timestamp(context)',
      replace: 'const since = timestamp(context)',
      killedBy: /^eventEndpoints\.get 200: returns health\.since, which changes only/,
    },
  ]),
  ...inFile(`${folder}/http/perform.ts`, [
    {
      name: 'the mock returns a signing secret again when the idempotency key is repeated',
      find: `  'eventEndpoints.create',\n  'eventEndpoints.rotateSecret',\n`,
      replace: '',
      killedBy: /^eventEndpoints\.create 409: does not replay/,
    },
  ]),
  ...inFile(`${folder}/events/event-log.ts`, [
    {
      name: 'in the mock, inactive endpoints store events',
      find: 'active && events.includes(type)',
      replace: 'events.includes(type)',
      killedBy: /^events\.list 200: stores only events/,
    },
    {
      name: 'in the mock, endpoints store events of every type',
      find: 'active && events.includes(type)',
      replace: 'active && events.length > 0 && type !== undefined',
      killedBy: /^events\.list 200: stores only events/,
    },
    {
      name: 'the mock repeats the event of a canceled delivery',
      find: '          delivery.isRecorded = true\n',
      replace: '',
      killedBy: /^events\.list 200/,
    },
    {
      name: 'in the mock, a second unhealthy check causes another event',
      find: `if (status === 'unknown' || status === before.status) return`,
      replace: `if (status === 'unknown') return`,
      killedBy: /^events\.list 200: returns an event when a flow/,
    },
    {
      name: 'in the mock, there is no event when a flow becomes healthy',
      find: `if (status === 'unknown' || status === before.status) return`,
      replace: `if (status !== 'unhealthy' || status === before.status) return`,
      killedBy: /^events\.list 200: returns an event when a sent message/,
    },
  ]),
  ...inFile(`${folder}/delivery/dispatcher.ts`, [
    {
      name: 'in the mock, a simulated complaint causes no event',
      find: `    if (outcome.status === 'sent' && outcome.receipt) events.recordReceipt(delivery)\n`,
      replace: '',
      killedBy: /^events\.list 200: returns an event for a simulated complaint/,
    },
  ]),
  ...inFile(`${folder}/features/receipts.ts`, [
    {
      // The description of deliveries.recordReceipt says: "Recording the same receipt again, or a less serious one than the current
      // receipt, changes nothing."
      name: 'in the mock, a receipt that changes nothing causes another event',
      find: '  if (kept === delivery.receipt) return\n',
      replace: '',
      killedBy: /^events\.list 200: returns an event only for a receipt/,
    },
  ]),
  ...inFile(`${folder}/features/change-deliveries.ts`, [
    {
      name: 'in the mock, a retry causes no more events',
      find: '  delivery.isRecorded = false\n',
      replace: '',
      killedBy: /^events\.list 200: returns new events after a retry/,
    },
  ]),
  ...inFile(`${folder}/features/event-feed.ts`, [
    {
      name: "the mock's feed contains the events of all users",
      find: 'userId === principal.userId &&',
      replace: `userId !== '' &&`,
      killedBy: /^events\.list 200: omits other users' events/,
    },
    {
      name: 'in the mock, a wait for events returns at once',
      find: 'wait !== undefined && wait > 0 && find().length === 0',
      replace: 'wait === -1',
      killedBy: /^events\.list 200: waits until/,
    },
    {
      name: "the cursor of the mock's feed does not advance",
      find: 'data.at(-1)?.id ?? after)',
      replace: 'data.at(0)?.id ?? after)',
      killedBy: /^events\.list 200: continues after the cursor/,
    },
  ]),
]
