import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features/events'
const mock = 'packages/testing/src'

/** Bugs that send an endpoint events that it must not receive. */
export const eventPushMutants: readonly Mutant[] = [
  ...inFile(`${server}/create-endpoint.ts`, [
    {
      name: 'a new event endpoint receives the events from before its creation',
      find: '$9, $9, ${completeBefore}, ',
      replace: '$9, $9, 0, ',
      killedBy: /^eventEndpoints\.create 201: does not send events from before/,
    },
  ]),
  ...inFile(`${server}/push/push-events.ts`, [
    {
      name: 'an event endpoint receives types to which only another endpoint subscribes',
      find: 'types: endpoint.events, after',
      replace: "types: [...endpoint.events, 'delivery.sent'], after",
      killedBy: /^eventEndpoints\.attempts 200: contains only types/,
    },
  ]),
  ...inFile(`${server}/push/claim-endpoints.ts`, [
    {
      // The description of `active` says: "Whether events are stored for the endpoint and sent to it."
      name: 'events are sent to inactive endpoints',
      find: '`e.active and e.url is not null',
      replace: '`e.url is not null',
      killedBy: /^eventEndpoints\.attempts 200: is empty if the endpoint is inactive/,
    },
  ]),
  ...inFile(`${mock}/features/event-endpoints.ts`, [
    {
      name: 'in the mock, a new event endpoint receives the events from before its creation',
      find: 'position: latestEvent(context),',
      replace: `position: '',`,
      killedBy: /^eventEndpoints\.create 201: does not send events from before/,
    },
  ]),
  ...inFile(`${mock}/events/event-pushes.ts`, [
    {
      name: 'in the mock, an event endpoint receives types to which only another endpoint subscribes',
      find: 'if (endpoint.events.includes(event.type)) return event',
      replace: 'if (endpoint.events.length > 0) return event',
      killedBy: /^eventEndpoints\.attempts 200: contains only types/,
    },
    {
      name: 'the mock sends events to inactive endpoints',
      find: 'store.eventEndpoints.has(id) && active && url',
      replace: 'store.eventEndpoints.has(id) && active !== undefined && url',
      killedBy: /^eventEndpoints\.attempts 200: is empty if the endpoint is inactive/,
    },
  ]),
]
