export { createFlowpost, type Flowpost } from './flowpost.ts'

// `flowpost.ts` must be exported first. Its first import is the routes, so the bundle begins with the routes. gzip compresses
// such a bundle slightly better (docs/decisions/0018-client-size-limit.md).

export type { Clock } from './calls/call-deadline.ts'
export {
  type AttemptRecord,
  type ClientErrorCode,
  type ErrorCode,
  type FailureDetails,
  FlowpostError,
  isFlowpostError,
  type OperationErrorCode,
  type OperationName,
} from './errors.ts'
export type { FlowpostEvent, TestPingEvent, UnknownEvent } from './events/event-types.ts'
export { explain } from './explain.ts'
export type { EventFollowing, EventStream, FollowOptions } from './follow-events.ts'
export type * from './generated/operations.ts'
export type * from './generated/types.ts'
export type { FlowKey, KnownBatchItem, KnownProjects, KnownSend, NotificationMethods, ProjectKey } from './known-projects.ts'
export type { FlowpostLock, LockedDigests, LockedFlow, LockedProject, SettingsDrift } from './lock.ts'
export type {
  CachedOptions,
  CallOptions,
  ConditionalOptions,
  DeprecationNotice,
  DryRun,
  FlowpostOptions,
  Hooks,
  IdempotentOptions,
  Logger,
  NoDryRun,
  RequestEvent,
  ResultEvent,
  UncachedOptions,
} from './options.ts'
export type { Call, Page, PageBody, SendCall, SettleOptions, WithResponse } from './results.ts'
export type { SendMany, SendManyOptions, SendManyResult } from './send-many.ts'
