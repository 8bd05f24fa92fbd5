import type { Logger } from 'pino'
import { connectionOptions, openSession } from './connection-options.ts'
import { ConnectionSilentError, WatchedClient } from './watched-client.ts'

/** How the listening connection is kept alive, in milliseconds. */
export interface ListenerTimes {
  readonly reconnectAfterMs: number
  /** How long it is quiet before it is asked for a sign of life. */
  readonly heartbeatMs: number
  /** How long PostgreSQL may take to answer on it. */
  readonly answerWithinMs: number
}

const defaultTimes: ListenerTimes = { reconnectAfterMs: 1_000, heartbeatMs: 2_000, answerWithinMs: 4_000 }

interface Subscription {
  readonly channel: string
  readonly onNotification: (payload: string) => void
  readonly onGap: () => void
  readonly onLost: () => void
}

/**
 * One connection of its own that listens, for as many channels as are asked for. When it is lost or silent it
 * is replaced, and every subscriber is told that something may have been missed.
 */
export const createListener = (deps: { url: string; log: Logger; times?: Partial<ListenerTimes> }) => {
  const { url, log } = deps
  const times = { ...defaultTimes, ...deps.times }
  const subscriptions = new Set<Subscription>()
  let client: Promise<WatchedClient> | undefined
  let current: WatchedClient | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let isLost = false

  /** A connection that only listens sends nothing, so nothing would tell that it leads nowhere. */
  const keepAlive = (fresh: WatchedClient): NodeJS.Timeout =>
    setInterval(() => {
      const nowMs = performance.now()
      if (fresh.waitingSinceMs === undefined) {
        if (nowMs - fresh.heardAtMs >= times.heartbeatMs) fresh.query('select 1').catch(() => {})
      } else if (nowMs - fresh.waitingSinceMs >= times.answerWithinMs)
        fresh.abandon(new ConnectionSilentError('PostgreSQL did not answer on the listening connection.'))
    }, times.heartbeatMs / 4).unref()

  const connect = async (): Promise<WatchedClient> => {
    const fresh = new WatchedClient(connectionOptions(url, 'flowpost-listen'))
    current = fresh
    const heartbeat = keepAlive(fresh)
    fresh.on('notification', ({ channel, payload }) => {
      for (const each of subscriptions) if (each.channel === channel) each.onNotification(payload ?? '')
    })
    const lost = (error?: Error) => {
      fresh.removeAllListeners('end')
      clearInterval(heartbeat)
      if (closed || timer) return
      // Once: during an outage, every new attempt fails.
      log[isLost ? 'debug' : 'warn']({ reason: error?.message }, 'LISTEN connection lost; reconnecting.')
      isLost = true
      client = undefined
      for (const each of subscriptions) each.onLost()
      timer = setTimeout(() => {
        timer = undefined
        ready().catch(() => {})
      }, times.reconnectAfterMs)
    }
    fresh.on('error', lost)
    fresh.on('end', () => lost())
    try {
      await fresh.connect()
      await openSession(fresh)
      for (const channel of new Set([...subscriptions].map((each) => each.channel))) await fresh.query(`listen "${channel}"`)
    } catch (error) {
      lost(error as Error)
      // It may be open, as on a standby.
      void fresh.end()
      throw error
    }
    if (isLost) log.info('LISTEN connection restored.')
    isLost = false
    for (const each of subscriptions) each.onGap()
    return fresh
  }

  const ready = (): Promise<WatchedClient> => {
    client ??= connect()
    return client
  }

  return {
    listen: async (channel: string, onNotification: (payload: string) => void, onGap: () => void, onLost = () => {}) => {
      const subscription = { channel, onNotification, onGap, onLost }
      const first = subscriptions.size === 0
      subscriptions.add(subscription)
      const connected = await ready()
      if (!first) await connected.query(`listen "${channel}"`)
      return async () => {
        subscriptions.delete(subscription)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await current?.end()
    },
  }
}
