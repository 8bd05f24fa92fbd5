import type { Response } from 'express'
import type { Logger } from 'pino'
import type { Principal } from './principal.ts'

/** What belongs to one request: its id, its log and, once it is known, who makes it. */
export interface RequestContext {
  readonly requestId: string
  readonly log: Logger
  principal?: Principal
}

/** The context of a request that has just come in. Most requests log nothing, so their log is made when it is asked for. */
export const createContext = (requestId: string, log: Logger): RequestContext => {
  let own: Logger | undefined
  return {
    requestId,
    get log() {
      own ??= log.child({ request_id: requestId })
      return own
    },
  }
}

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
