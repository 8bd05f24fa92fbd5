import type { Config } from '../config.ts'
import { type AttemptRecord, type ErrorCode, type FailureDetails, FlowpostError } from '../errors.ts'
import type { CachedOptions, CallOptions, ConditionalOptions, IdempotentOptions } from '../options.ts'
import type { CallDeadline } from './call-deadline.ts'
import type { Telemetry } from './telemetry.ts'

/** The union of all call options. */
export type AnyOptions = CallOptions & Partial<IdempotentOptions & ConditionalOptions & CachedOptions>

/** A call in progress: one deadline and one list of attempts, shared by all of its requests. */
export interface CallContext {
  readonly config: Config
  readonly telemetry: Telemetry
  readonly operation: string
  readonly options: AnyOptions
  readonly deadline: CallDeadline
  readonly attempts: AttemptRecord[]
  /** The error message if the deadline passes. */
  readonly timeoutMessage: string
}

type Details = Partial<Omit<FailureDetails, 'operation' | 'code' | 'attempts'>>

type CallRecord = Pick<CallContext, 'operation' | 'attempts'>

/** Creates the error for a failed call. By default, the status and the request id are those of the last attempt. */
export const createFailure = <Code extends string = ErrorCode>(
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

/**
 * Runs code that validates the arguments of a call.
 *
 * @throws {FlowpostError} `invalid_argument` when `parse` throws.
 */
export const parseArguments = <T>(call: CallRecord, parse: () => T): T => {
  try {
    return parse()
  } catch (cause) {
    throw createFailure(call, 'invalid_argument', (cause as Error).message, { cause })
  }
}

/** Creates the error for an attempt that ended because its call timed out or was aborted. */
export const createAbortFailure = (context: CallContext): FlowpostError<ErrorCode | 'aborted'> =>
  context.deadline.aborted()?.expired
    ? createFailure(context, 'timeout', context.timeoutMessage)
    : createFailure(context, 'aborted', 'aborted', { cause: context.deadline.aborted()?.reason })
