import type { CallContext } from './context.ts'
import type { FlowpostError } from './errors.ts'
import type { Route } from './route.ts'
import { send } from './transport.ts'

const firstPauseMs = 250
const maxPauseMs = 5_000

// Proxies commonly cut a request that is silent for 30 s.
const maxWaitSeconds = 25

/**
 * Reads a notification until it is settled. The server is asked to wait with its answer (`wait` in the query);
 * where it cannot, has too many that wait, or answers early, the client pauses before it asks again.
 */
export const followNotification = async (context: CallContext, route: Route, id: string): Promise<unknown> => {
  const { lifetime, config, attempts } = context
  let mayWait = true
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    attempts.length = 0
    const askedAt = config.clock.now()
    const wait = mayWait ? Math.min(route.wait ?? 0, maxWaitSeconds, Math.floor(lifetime.remainingMs() / 1000)) : 0
    const answer = await send(context, { route, ids: [id], params: wait > 0 ? { wait } : undefined }).catch((error: FlowpostError) => {
      if (wait < 1 || error.status !== 429) throw error
      mayWait = false
    })
    if (answer && !['queued', 'sending'].includes((answer.data as { status: string }).status)) return answer.data
    // Half of the pause is spread, so that clients that started together do not stay together.
    if (wait < 1 || config.clock.now() - askedAt < wait * 1000) await lifetime.sleep(pauseMs * (0.5 + config.random() / 2))
  }
}
