import type { Response } from 'express'
import type { Logger } from 'pino'
import type { Principal } from '../auth/principal.ts'

/** Counts a request as `points` further ones of its credential. */
export type Charge = (response: Response, key: string, points: number) => void

/** What belongs to one request: its id, its log and, once it is known, who makes it. */
export interface RequestContext {
  readonly requestId: string
  readonly log: Logger
  /** By the clock of `performance.now()`. */
  readonly startedAt: number
  principal?: Principal
  /** Set where the requests of credentials are limited. */
  charge?: Charge
}

/** Most requests log nothing, so their log is made when it is asked for. */
class OwnContext implements RequestContext {
  principal?: Principal
  charge?: Charge
  readonly requestId: string
  readonly startedAt = performance.now()
  #log: Logger
  #isOwn = false

  constructor(requestId: string, log: Logger) {
    this.requestId = requestId
    this.#log = log
  }

  get log(): Logger {
    if (!this.#isOwn) this.#log = this.#log.child({ request_id: this.requestId })
    this.#isOwn = true
    return this.#log
  }
}

/** The context of a request that has just come in. */
export const createContext = (requestId: string, log: Logger): RequestContext => new OwnContext(requestId, log)

/** Attaches the context to an answer that is being made. */
export const setContext = (response: Response, context: RequestContext): void => {
  response.locals['context'] = context
}

/** The context of the request that this answer is for. */
export const contextOf = (response: Response): RequestContext => response.locals['context'] as RequestContext

/** Who makes the request. Only for routes behind authentication. */
export const principalOf = (response: Response): Principal => {
  const { principal } = contextOf(response)
  if (!principal) throw new Error('The route was reached without authentication.')
  return principal
}
