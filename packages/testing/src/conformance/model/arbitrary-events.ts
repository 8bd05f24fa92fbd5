import { subscribableEventTypes } from '@flowpost/contract'
import fc from 'fast-check'
import { type Body, mostlyValid, omitUndefined, optionally, rarely } from './arbitrary-bodies.ts'
import type { FlowBodies } from './arbitrary-flows.ts'
import type { Step } from './sequence.ts'
import { inOrder, type Story } from './story.ts'

const fields = {
  url: fc.constantFrom(null, null, null, null, 'ftp://example.com/', 'https://user:password@example.com/'),
  events: fc.oneof(
    { weight: 6, arbitrary: fc.subarray([...subscribableEventTypes], { minLength: 1 }) },
    { weight: 1, arbitrary: fc.constantFrom([], ['*'], ['delivery.sent', 'test.ping'], ['delivery.sent', 'delivery.sent']) },
  ),
  active: fc.constantFrom(true, true, false),
  description: fc.constantFrom('', ' Billing ', 'cafe\u0301', 'x'.repeat(256), 'two\nlines'),
}

/** The body for creating an event endpoint. */
export const endpointBody = mostlyValid(
  fc.record({ ...fields, active: optionally(fields.active), description: optionally(fields.description) }),
)

/** The body for replacing an event endpoint's fields. */
export const endpointUpdate = mostlyValid(fc.record({ ...fields, description: fc.oneof(fields.description, fc.constant(undefined)) }))

/** The body of an `eventEndpoints.replay` request, sometimes invalid. */
export const replayBody = fc.constantFrom<Body>({ after: null }, { after: 7 }, {})

/**
 * The query for reading the event feed, sometimes invalid. A valid query must match no events, because the server and the
 * mock may order events differently. It therefore selects the type `delivery.receipt`: no sequence causes such events. It
 * also selects a project that the sequence created, because an older project may have such events.
 */
export const eventQuery = fc
  .record({
    project_id: fc.constantFrom('$project', '$project', '$project', 'nonsense'),
    type: fc.constantFrom('delivery.receipt', 'delivery.receipt', 'delivery.receipt', 'test.ping'),
    limit: optionally(fc.constantFrom('1', '1000', '0', 'two')),
    wait: rarely(fc.constantFrom('0', '61', 'long')),
  })
  .map((drawn) => omitUndefined(drawn) as Record<string, string>)

const onlySettled: Body = { url: null, events: ['notification.settled'] }
const message: Body = { project_id: '$project', subject: 'a', message: 'b' }

const send = (body: Body): Step => ({ operation: 'notifications.send', project: -1, body })

/**
 * Sends a message in a project with an event endpoint, and reads the message's event. The message is already completed, but
 * its event may not be visible yet: Flowpost withholds new events while another transaction writes to any database on the
 * same PostgreSQL server. The read request therefore uses `wait`.
 */
export const observed = ({ sendingFlow }: FlowBodies): Story =>
  inOrder(
    fc.constant<Step>({ operation: 'projects.create', body: { name: '$unique' } }),
    sendingFlow.map((body): Step => ({ operation: 'flows.create', project: -1, body })),
    fc.constant<Step>({ operation: 'eventEndpoints.create', project: -1, body: onlySettled }),
    fc.constantFrom<readonly Step[]>(
      [send(message)],
      [send({ ...message, send_at: '$later' }), { operation: 'notifications.cancel', notification: -1 }],
    ),
    fc.constant<Step>({ operation: 'events.list', project: -1, query: { project_id: '$project', limit: '1', wait: '20' } }),
  )
