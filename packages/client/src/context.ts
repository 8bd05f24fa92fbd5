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

type Details = Omit<FailureDetails, 'operation' | 'code' | 'attempts' | 'status' | 'requestId'>

type CallRecord = Pick<CallContext, 'operation' | 'attempts'>

/** Makes an error of a call, about its last attempt. */
export const failure = <Code extends string = ErrorCode>(
  { operation, attempts }: CallRecord,
  code: Code,
  message: string,
  details?: Details,
): FlowpostError<Code> => {
  const { status, requestId } = attempts.at(-1) ?? {}
  return new FlowpostError(message, {
    operation,
    code,
    status,
    requestId,
    ...details,
    attempts: attempts.map((attempt) => ({ ...attempt })),
  })
}

/** Does what depends on the arguments of a call. @throws {FlowpostError} `invalid_argument` when `read` throws. */
export const readArguments = <T>(call: CallRecord, read: () => T): T => {
  try {
    return read()
  } catch (cause) {
    throw failure(call, 'invalid_argument', (cause as Error).message, { cause })
  }
}

/** Why an attempt ended with its whole call: the deadline passed, or somebody aborted it. */
export const failureOfEnd = (context: CallContext): FlowpostError<ErrorCode | 'aborted'> =>
  context.lifetime.end()?.expired
    ? failure(context, 'timeout', context.late)
    : failure(context, 'aborted', 'aborted', { cause: context.lifetime.end()?.reason })
