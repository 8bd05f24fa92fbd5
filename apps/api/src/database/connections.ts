import type { ClientConfig } from 'pg'
import { type ClientEvents, ConnectionSilentError, WatchedClient } from './watched-client.ts'

/** The connections of a pool. */
export interface Connections {
  /** The class that the pool makes its connections with. */
  readonly Client: typeof WatchedClient
  /** Those that are open or being opened. */
  readonly open: ReadonlySet<WatchedClient>
  /** Closes all of them at once. Their statements are rejected. */
  abandonAll(): void
}

/** Keeps track of the connections of one pool. */
export const createConnections = (events: ClientEvents): Connections => {
  const open = new Set<WatchedClient>()
  class PoolClient extends WatchedClient {
    constructor(config: ClientConfig) {
      super(config, events)
      open.add(this)
      this.once('end', () => open.delete(this))
    }
  }
  return {
    Client: PoolClient,
    open,
    abandonAll: () => {
      for (const each of open) each.abandon(new ConnectionSilentError('The connection to PostgreSQL was closed at shutdown.'))
    },
  }
}
