import type { Config } from './config.ts'
import { type AttemptRecord, type ErrorCode, type FailureDetails, FlowpostError } from './errors.ts'
import type { Lifetime } from './lifetime.ts'
import type { CachedOptions, CallOptions, ConditionalOptions, IdempotentOptions } from './options.ts'
import type { Telemetry } from './telemetry.ts'

/** Every option that some call takes. */
export type AnyOptions = CallOptions & Partial<IdempotentOptions & ConditionalOptions & CachedOptions>

/** A call in progress: one deadline and one list of attempts, however many requests it makes. */
export interface CallContext {
  readonly config: Config
  readonly telemetry: Telemetry
  readonly operation: string
  readonly options: AnyOptions
  readonly lifetime: Lifetime
  readonly attempts: AttemptRecord[]
  /** What to say when its time is up. */
  readonly late: string
}

type Details<Code extends string> = Omit<FailureDetails<Code>, 'operation' | 'attempts' | 'status' | 'requestId'>

/** Makes an error of this call, about its last attempt. */
export const failure = <Code extends string = ErrorCode>(
  { operation, attempts }: CallContext,
  message: string,
  details: Details<Code>,
): FlowpostError<Code> => {
  const { status, requestId } = attempts.at(-1) ?? {}
  return new FlowpostError(message, { operation, status, requestId, ...details, attempts: attempts.map((attempt) => ({ ...attempt })) })
}

/** Why an attempt ended with its whole call: the deadline passed, or somebody aborted it. */
export const failureOfEnd = (context: CallContext): FlowpostError<ErrorCode | 'aborted'> =>
  context.lifetime.end()?.expired
    ? failure(context, context.late, { code: 'timeout' })
    : failure(context, 'aborted', { code: 'aborted', cause: context.lifetime.end()?.reason })
