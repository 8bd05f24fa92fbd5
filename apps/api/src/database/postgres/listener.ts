import type { Logger } from 'pino'
import { connectionOptions, openSession } from './connection-options.ts'
import { ConnectionSilentError, WatchedClient } from './watched-client.ts'

/** The timing of the listening connection, in milliseconds. */
export interface ListenerTimes {
  readonly reconnectDelayMs: number
  /** The idle time after which a heartbeat statement is sent. */
  readonly heartbeatMs: number
  /** The maximum time for PostgreSQL to respond to the heartbeat. */
  readonly responseTimeoutMs: number
}

const defaultTimes: ListenerTimes = { reconnectDelayMs: 1_000, heartbeatMs: 2_000, responseTimeoutMs: 4_000 }

interface Subscription {
  readonly channel: string
  readonly onNotification: (payload: string) => void
  readonly onReconnect: () => void
  readonly onDisconnect: () => void
}

/**
 * Creates a listener: one dedicated PostgreSQL connection that runs LISTEN for all subscribed channels. A lost or silent
 * connection is replaced. NOTIFY payloads sent in the meantime are missed, so subscribers catch up in `onReconnect`, which
 * is called after every connect, including the first.
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

  /** Sends heartbeats, because a dead connection that only listens would otherwise go unnoticed. */
  const startHeartbeat = (fresh: WatchedClient): NodeJS.Timeout =>
    setInterval(() => {
      const nowMs = performance.now()
      if (fresh.waitingSinceMs === undefined) {
        if (nowMs - fresh.lastResponseMs >= times.heartbeatMs) fresh.query('select 1').catch(() => {})
      } else if (nowMs - fresh.waitingSinceMs >= times.responseTimeoutMs)
        fresh.abandon(new ConnectionSilentError('PostgreSQL did not respond on the listening connection.'))
    }, times.heartbeatMs / 4).unref()

  const connect = async (): Promise<WatchedClient> => {
    const fresh = new WatchedClient(connectionOptions(url, 'flowpost-listen'))
    current = fresh
    const heartbeat = startHeartbeat(fresh)
    fresh.on('notification', ({ channel, payload }) => {
      for (const subscription of subscriptions) if (subscription.channel === channel) subscription.onNotification(payload ?? '')
    })
    let isHandled = false
    // A terminated connection emits several events. Only the first one counts, because the others may arrive after a
    // new connection has replaced this one.
    const onLost = (error?: Error) => {
      clearInterval(heartbeat)
      if (closed || isHandled) return
      isHandled = true
      // Warns only once per outage, because every reconnect fails until the outage ends.
      log[isLost ? 'debug' : 'warn']({ reason: error?.message }, 'LISTEN connection lost; reconnecting.')
      isLost = true
      client = undefined
      for (const { onDisconnect } of subscriptions) onDisconnect()
      timer = setTimeout(() => void ready().catch(() => {}), times.reconnectDelayMs)
    }
    fresh.on('error', onLost)
    fresh.on('end', () => onLost())
    try {
      await fresh.connect()
      await openSession(fresh)
      for (const channel of new Set([...subscriptions].map((subscription) => subscription.channel)))
        await fresh.query(`listen "${channel}"`)
    } catch (error) {
      onLost(error as Error)
      // The connection may still be open, for example to a standby.
      void fresh.end()
      throw error
    }
    if (isLost) log.info('LISTEN connection restored.')
    isLost = false
    for (const { onReconnect } of subscriptions) onReconnect()
    return fresh
  }

  // LISTEN statements run one at a time, because `pg` deprecates concurrent statements on one client.
  let listening: Promise<unknown> = Promise.resolve()

  const ready = (): Promise<WatchedClient> => {
    // This call replaces a scheduled reconnect.
    clearTimeout(timer)
    timer = undefined
    client ??= connect()
    return client
  }

  return {
    listen: async (channel: string, onNotification: (payload: string) => void, onReconnect: () => void, onDisconnect = () => {}) => {
      const subscription = { channel, onNotification, onReconnect, onDisconnect }
      // A new connection runs LISTEN for all subscriptions.
      const isConnected = client !== undefined
      subscriptions.add(subscription)
      const connected = await ready()
      if (isConnected) {
        listening = listening.catch(() => {}).then(() => connected.query(`listen "${channel}"`))
        await listening
      }
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
