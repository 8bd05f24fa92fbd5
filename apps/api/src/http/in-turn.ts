import type { RequestHandler } from 'express'

/**
 * One handler that is several in turn, each called by the one before it. Express's router takes several times as long to
 * get from one to the next, and knows its way no better where there is no path to look at.
 */
export const inTurn =
  (handlers: readonly RequestHandler[]): RequestHandler =>
  (request, response, done) => {
    let position = 0
    const next = (error?: unknown): void => {
      const handler = handlers[position]
      position += 1
      if (error !== undefined || !handler) {
        done(error)
        return
      }
      try {
        const result: unknown = handler(request, response, next)
        if (result instanceof Promise) result.catch(done)
      } catch (thrown) {
        done(thrown)
      }
    }
    next()
  }
