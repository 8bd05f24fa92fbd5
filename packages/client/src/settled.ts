import type { CallContext } from './context.ts'
import type { Route } from './route.ts'
import { send } from './transport.ts'

const firstPauseMs = 250
const maxPauseMs = 5_000

/** Reads a notification until it is settled. Where the server can wait itself (`wait` in the query), it is asked to. */
export const followNotification = async (context: CallContext, route: Route, id: string): Promise<unknown> => {
  const { lifetime, config, attempts } = context
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    attempts.length = 0
    const wait = Math.min(route.wait ?? 0, Math.floor(lifetime.remainingMs() / 1000))
    const { data } = await send(context, { route, ids: [id], params: wait > 0 ? { wait } : undefined })
    if (!['queued', 'sending'].includes((data as { status: string }).status)) return data
    // Half of the pause is spread, so that clients that started together do not stay together.
    if (wait === 0) await lifetime.sleep(pauseMs * (0.5 + config.random() / 2))
  }
}
