import type { InvalidationListener } from '../shared/cache.ts'
import type { Database, Queryable } from './database.ts'

/**
 * Publishes invalidations: tags whose cached values are outdated. This process's caches are invalidated directly, and
 * other processes' caches through NOTIFY.
 */
export interface CacheInvalidation {
  /** Publishes tags to other processes when the transaction commits. */
  publishOnCommit(transaction: Queryable, tags: readonly string[]): Promise<void>
  /** Invalidates tags in this process. Call it after committing a change. */
  applyLocally(tags: Iterable<string>): void
  /**
   * Invalidates a tag in this process and then in other processes. Call it after committing a change. Resolves when
   * PostgreSQL has accepted the `NOTIFY` for the other processes.
   */
  publish(tag: string): Promise<void>
  subscribe(listener: InvalidationListener): Promise<void>
}

const channel = 'flowpost_changed'
const notifyEach = 'select pg_notify($1, tag) from unnest($2::text[]) as tag'
// Commits without waiting for the disk, because the statement only sends NOTIFY messages. These messages do not survive a crash
// of PostgreSQL anyway.
const notifyEachAsync = {
  name: 'notify-each',
  text: `with quick as materialized (select set_config('synchronous_commit', 'off', true)) ${notifyEach}, quick`,
}

/** Creates the {@link CacheInvalidation} for a database that only this process uses. */
export const createLocalInvalidation = (): CacheInvalidation => {
  const listeners = new Set<InvalidationListener>()
  const applyLocally = (tags: Iterable<string>): void => {
    for (const tag of tags) for (const listener of listeners) listener.invalidate(tag)
  }
  return {
    publishOnCommit: async () => {},
    applyLocally,
    publish: async (tag) => applyLocally([tag]),
    subscribe: async (listener) => {
      listeners.add(listener)
      listener.onReconnect()
    },
  }
}

/** Creates the {@link CacheInvalidation} for a database that several processes share. */
export const createSharedInvalidation = (deps: Pick<Database, 'query' | 'listen'>): CacheInvalidation => {
  const local = createLocalInvalidation()
  // PostgreSQL runs commits with NOTIFY one at a time, so `publish` sends one statement at a time. Tags that are published
  // in the meantime share the next statement.
  let publishing: Promise<unknown> = Promise.resolve()
  let next: { tags: Set<string>; published: Promise<void> } | undefined
  const schedule = (): { tags: Set<string>; published: Promise<void> } => {
    const tags = new Set<string>()
    const published = publishing.then(async () => {
      next = undefined
      await deps.query(notifyEachAsync, [channel, [...tags]])
    })
    publishing = published.catch(() => {})
    return { tags, published }
  }

  return {
    applyLocally: local.applyLocally,
    publishOnCommit: async (transaction, tags) => {
      await transaction.query(notifyEach, [channel, [...tags]])
    },
    publish: async (tag) => {
      local.applyLocally([tag])
      next ??= schedule()
      next.tags.add(tag)
      await next.published
    },
    subscribe: async (listener) => {
      // This process also listens to its own invalidations, because `applyLocally` can be too late. `applyLocally` runs only
      // after the response to COMMIT arrives. The transaction's NOTIFY can arrive earlier, and wake a request that waits for a
      // completion. Without this listener, that request could read an outdated cache.
      await deps.listen(channel, listener.invalidate, listener.onReconnect, listener.onDisconnect)
      await local.subscribe(listener)
    },
  }
}
