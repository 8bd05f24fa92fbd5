import type { api, KeyMode, Scope } from '@flowpost/contract'
import type { Operation } from '../public-types.ts'

/** The authenticated caller of a request and its permissions. */
export interface Principal {
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** `test` for a test key, whose messages are captured. */
  readonly mode: KeyMode
  /** The project to which the credential is bound. */
  readonly projectId?: string
  /** Expiry of the credential in milliseconds since the epoch. Keys created with the credential must not outlive it. */
  readonly expiresAt?: number
  readonly keyId: string
}

type Output<Schema> = Schema extends { readonly _output: infer Value } ? Value : undefined

/** A validated request for an operation. */
export interface Call<Route = unknown> {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly query: Route extends { query: infer Schema } ? Output<Schema> : undefined
  readonly body: Route extends { body: infer Schema } ? Output<Schema> : undefined
  readonly headers: Headers
  /** The `X-Request-Id` of the response. */
  readonly requestId: string
  /** Aborts when the client no longer waits for the response, or when the mock is reset. */
  readonly signal: AbortSignal
}

type Success = 200 | 201 | 202 | 204 | 304

/** A successful result of an operation. */
export type HandlerResult<Route = unknown> = Route extends { responses: infer Responses }
  ? { [Status in keyof Responses & Success]: Reply<Status, Output<Responses[Status]>> }[keyof Responses & Success]
  : Reply<number, unknown>

/** A status with a body and optional headers. */
export interface Reply<Status, Body> {
  readonly status: Status
  readonly body: Body
  /** The body of a replayed response, if it differs from `body` because `body` contains a secret. */
  readonly replayedBody?: Body
  readonly headers?: Readonly<Record<string, string>>
  /** The headers that a replayed response has in addition to `headers`. */
  readonly replayHeaders?: Readonly<Record<string, string>>
}

/** Executes an operation. */
export type Handler<Route = unknown> = (call: Call<Route>) => HandlerResult<Route> | Promise<HandlerResult<Route>>

/** The handlers for one operation group in the contract. */
export type Handlers<Group extends keyof typeof api> = { readonly [Name in keyof (typeof api)[Group]]: Handler<(typeof api)[Group][Name]> }

/** All handlers, keyed by operation. */
export type HandlerTable = ReadonlyMap<Operation, Handler>
