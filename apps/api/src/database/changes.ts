import type { ChangeListener, Database, Queryable } from './database.ts'

/** Tells what was changed to who keeps what was read: in this process at once, in others by a notification. */
export interface Changes {
  /** Tells others when the transaction commits. */
  tellAtCommit(transaction: Queryable, topics: readonly string[]): Promise<void>
  /** Tells this process, once the change is committed. */
  apply(topics: Iterable<string>): void
  /** Tells this process and then others of a change that is committed; resolves when they can hear it. */
  tell(topic: string): Promise<void>
  listen(listener: ChangeListener): Promise<void>
}

const channel = 'flowpost_changed'
const notifyEach = 'select pg_notify($1, topic) from unnest($2::text[]) as topic'
// What is changed is committed already, and a notification has no disk to wait for.
const notifyEachAtOnce = {
  name: 'notify-each',
  text: `with quick as materialized (select set_config('synchronous_commit', 'off', true)) ${notifyEach}, quick`,
}

/** For a database that only this process has: there are no others to tell. */
export const createLocalChanges = (): Changes => {
  const listeners = new Set<ChangeListener>()
  const apply = (topics: Iterable<string>): void => {
    for (const topic of topics) for (const listener of listeners) listener.changed(topic)
  }
  return {
    tellAtCommit: async () => {},
    apply,
    tell: async (topic) => apply([topic]),
    listen: async (listener) => {
      listeners.add(listener)
      listener.regained()
    },
  }
}

/** For a database that many processes share. */
export const createSharedChanges = (deps: Pick<Database, 'query' | 'listen'>): Changes => {
  const local = createLocalChanges()
  // Notifying serialises commits, so what is told while a notification is on its way shares the next one.
  let telling: Promise<unknown> = Promise.resolve()
  let next: { topics: Set<string>; told: Promise<void> } | undefined
  const begin = (): { topics: Set<string>; told: Promise<void> } => {
    const topics = new Set<string>()
    const told = telling.then(async () => {
      next = undefined
      await deps.query(notifyEachAtOnce, [channel, [...topics]])
    })
    telling = told.catch(() => {})
    return { topics, told }
  }

  return {
    apply: local.apply,
    tellAtCommit: async (transaction, topics) => {
      await transaction.query(notifyEach, [channel, [...topics]])
    },
    tell: async (topic) => {
      local.apply([topic])
      next ??= begin()
      next.topics.add(topic)
      await next.told
    },
    listen: async (listener) => {
      await deps.listen(
        channel,
        // Its own changes too: this notification may come before the answer to the commit, and with it the one that ends a wait.
        listener.changed,
        listener.regained,
        listener.lost,
      )
      await local.listen(listener)
    },
  }
}
