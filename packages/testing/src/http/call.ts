import type { api, Scope } from '@flowpost/contract'
import type { Operation } from '../named-types.ts'

/** Who makes a request, and what they may do. */
export interface Principal {
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** The only project that the credential is for. */
  readonly projectId?: string
  /** When the credential ends, in milliseconds since the epoch: what is made with it must not outlive it. */
  readonly expiresAt?: number
  readonly keyId: string
}

type Output<Schema> = Schema extends { readonly _output: infer Value } ? Value : undefined

/** A request of an operation, checked. */
export interface Call<Route = unknown> {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly query: Route extends { query: infer Schema } ? Output<Schema> : undefined
  readonly body: Route extends { body: infer Schema } ? Output<Schema> : undefined
  readonly headers: Headers
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

type Success = 200 | 201 | 202 | 204 | 304

/** An answer of an operation that went well. */
export type Answer<Route = unknown> = Route extends { responses: infer Responses }
  ? { [Status in keyof Responses & Success]: Reply<Status, Output<Responses[Status]>> }[keyof Responses & Success]
  : Reply<number, unknown>

/** A status, a body and headers of its own. */
export interface Reply<Status, Body> {
  readonly status: Status
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

/** What the mock does for an operation. */
export type Handler<Route = unknown> = (call: Call<Route>) => Answer<Route> | Promise<Answer<Route>>

/** What the mock does for each operation of a group of the contract. */
export type Handlers<Group extends keyof typeof api> = { readonly [Name in keyof (typeof api)[Group]]: Handler<(typeof api)[Group][Name]> }

/** What the mock does, by operation. */
export type HandlerTable = ReadonlyMap<Operation, Handler>
