import type * as contract from '@flowpost/contract'
import { verifyEvent } from '../src/events.ts'
import {
  createFlowpost,
  type DeliverySentEvent,
  type EventDelivery,
  type EventNotification,
  type Flow,
  type FlowpostEvent,
  type TestPingEvent,
  type UnknownEvent,
} from '../src/index.ts'
import type { Equal, Expand, Expect, Opened } from './type-equality.ts'

// A comparison with a known type selects its data, and excludes unknown types.
export const select = (event: FlowpostEvent): unknown => {
  switch (event.type) {
    case 'delivery.sent': {
      const data: Expect<Equal<typeof event, DeliverySentEvent>> = true
      return [data, event.data.provider_message_id]
    }
    case 'delivery.failed':
    case 'delivery.ambiguous':
    case 'delivery.canceled':
    case 'delivery.receipt': {
      const data: Expect<Equal<typeof event.data, EventDelivery>> = true
      return [data, event.data.failure]
    }
    case 'notification.settled': {
      const data: Expect<Equal<typeof event.data, EventNotification>> = true
      return [data, event.data.status]
    }
    case 'flow.healthy':
    case 'flow.unhealthy': {
      const data: Expect<Equal<typeof event.data, Flow>> = true
      return [data, event.data.health]
    }
    case 'test.ping':
      return event.data.endpoint_id
    default: {
      // A newer server can send other types.
      const data: Expect<Equal<typeof event, UnknownEvent>> = true
      return [data, event.id, String(event.type) === 'later.added', event.type.startsWith('delivery.'), event.data]
    }
  }
}

export const receive = async (request: Request): Promise<unknown> => {
  const fromHeaders = await verifyEvent(await request.text(), request.headers, 'whsec_x')
  await verifyEvent(new Uint8Array(), { 'webhook-id': 'evt_1', other: undefined, list: ['a'] }, ['whsec_x'], { now: () => 0 })
  // @ts-expect-error a parsed body cannot be verified
  await verifyEvent({ id: 'evt_1' }, request.headers, 'whsec_x')
  // @ts-expect-error the secret is required
  await verifyEvent('', request.headers)
  const isTyped: Expect<Equal<typeof fromHeaders, FlowpostEvent>> = true
  return isTyped && select(fromHeaders)
}

export const follow = async (signal: AbortSignal): Promise<unknown> => {
  const stream = createFlowpost().events.follow({ cursor: undefined, type: 'delivery.failed', project_id: 'prj_1', limit: 10, signal })
  for await (const event of stream) {
    const isTyped: Expect<Equal<typeof event, FlowpostEvent>> = true
    if (isTyped) select(event)
  }
  // @ts-expect-error there is no wildcard
  createFlowpost().events.follow({ type: '*' })
  // @ts-expect-error `follow` sets `wait` itself
  createFlowpost().events.follow({ wait: 10 })
  // @ts-expect-error `cursor` is read-only
  stream.cursor = 'c1'
  return stream.cursor
}

export type TestPing = Expect<Equal<Expand<TestPingEvent>, Opened<(typeof contract.TestPingEvent)['_output']>>>
export type Known = Expect<Equal<Exclude<FlowpostEvent, UnknownEvent>['type'], contract.PushedEventType>>
