import type { Config } from './config.ts'
import { type AttemptRecord, type FailureDetails, FlowpostError } from './errors.ts'
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
}

type Details = Omit<FailureDetails, 'operation' | 'attempts' | 'status' | 'requestId'>

/** Makes an error of this call, about its last attempt. */
export const failure = ({ operation, attempts }: CallContext, message: string, details: Details): FlowpostError => {
  const { status, requestId } = attempts.at(-1) ?? {}
  return new FlowpostError(message, { operation, status, requestId, ...details, attempts: attempts.map((attempt) => ({ ...attempt })) })
}
