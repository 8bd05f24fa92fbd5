import type { Event, Timestamp } from '../generated/types.ts'

// An enum, because TypeScript treats a string enum and a string literal as types that never overlap. A check such as
// `event.type === 'delivery.failed'` therefore excludes `UnknownEvent`.
// `declare` prevents the compiler from generating code for the enum.
declare enum UnknownEventType {
  Any = '',
}

/** The event that tests an endpoint. Only {@link verifyEvent} returns it; the feed does not contain it. */
export interface TestPingEvent {
  /** The id of the event. */
  id: string
  /** The type of the event. */
  type: 'test.ping'
  /** When the event occurred. */
  created_at: Timestamp
  /** The endpoint that is tested. */
  data: { endpoint_id: string; project_id: string }
}

/**
 * An event of a type that this version of the client does not know. Usually, ignore it. To handle it, check its type with
 * `String(event.type) === 'the.new.type'`.
 */
export interface UnknownEvent {
  /** The id of the event. */
  id: string
  /** A type that this version of the client does not know. Convert it with `String(event.type)` to compare it. */
  type: UnknownEventType
  /** When the event occurred. */
  created_at: Timestamp
  /** The data of the event. */
  data: unknown
}

/**
 * An event, discriminated by `type`. Give every `switch` a `default`, because a newer server can send types that this
 * version does not know.
 */
export type FlowpostEvent = Event | TestPingEvent | UnknownEvent
