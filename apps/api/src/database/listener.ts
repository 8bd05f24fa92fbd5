import { Client } from 'pg'
import type { Logger } from 'pino'

const reconnectAfterMs = 1_000

interface Subscription {
  readonly channel: string
  readonly onNotification: (payload: string) => void
  readonly onGap: () => void
  readonly onLost: () => void
}

/**
 * One connection of its own that listens, for as many channels as are asked for. When it is lost it
 * comes back by itself, and every subscriber is told that something may have been missed.
 */
export const createListener = (deps: { url: string; log: Logger }) => {
  const subscriptions = new Set<Subscription>()
  let client: Promise<Client> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const connect = async (): Promise<Client> => {
    const fresh = new Client({ connectionString: deps.url, application_name: 'flowpost-listen', keepAlive: true })
    fresh.on('notification', ({ channel, payload }) => {
      for (const each of subscriptions) if (each.channel === channel) each.onNotification(payload ?? '')
    })
    const lost = (error?: Error) => {
      fresh.removeAllListeners('end')
      if (closed || timer) return
      deps.log.warn({ err: error }, 'The connection that listens was lost; it is made again.')
      client = undefined
      for (const each of subscriptions) each.onLost()
      timer = setTimeout(() => {
        timer = undefined
        ready().catch(() => {})
      }, reconnectAfterMs)
    }
    fresh.on('error', lost)
    fresh.on('end', () => lost())
    try {
      await fresh.connect()
      for (const channel of new Set([...subscriptions].map((each) => each.channel))) await fresh.query(`listen "${channel}"`)
    } catch (error) {
      lost(error as Error)
      throw error
    }
    for (const each of subscriptions) each.onGap()
    return fresh
  }

  const ready = (): Promise<Client> => {
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
      await (await client?.catch(() => undefined))?.end().catch(() => {})
    },
  }
}
