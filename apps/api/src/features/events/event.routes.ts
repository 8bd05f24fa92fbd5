import { api } from '@flowpost/contract'
import { initServer } from '@ts-rest/express'
import { type VerifyToken, verifyAgain } from '../../auth/authenticate.ts'
import { disconnectionOf } from '../../http/disconnection.ts'
import { principalOf } from '../../http/request-context.ts'
import { createFeedReader, type FeedReaderDeps } from './read-feed.ts'

/** The dependencies of {@link createEventRoutes}. */
export interface EventRoutesDeps extends FeedReaderDeps {
  readonly verifyToken: VerifyToken
}

/** Creates the event feed route. */
export const createEventRoutes = (deps: EventRoutesDeps) => {
  const readFeed = createFeedReader(deps)
  return initServer().router(api.events, {
    list: async ({ query, req, res }) => {
      const { wait = 0, ...rest } = query
      const waitOptions = wait > 0 ? { waitMs: wait * 1_000, disconnected: disconnectionOf(res) } : undefined
      const body = await readFeed(principalOf(res), rest, waitOptions)
      if (waitOptions) await verifyAgain(deps.verifyToken, req.get('authorization'))
      return { status: 200, body }
    },
  })
}
