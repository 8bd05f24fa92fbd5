import { createHash } from 'node:crypto'
import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

/**
 * The PostgreSQL channel on which new events are announced. A payload is a comma-separated list of project ids and
 * {@link userWakeKey} values.
 */
export const eventChannel = 'flowpost_events'

const keyLength = 32

/**
 * Returns the key that wakes the readers of all of a user's projects. The key is a hash, because a user id can be long
 * and contain commas, which separate the keys in a payload.
 */
export const userWakeKey = (userId: string): string => createHash('sha256').update(userId).digest('hex').slice(0, keyLength)

// A key has at most 36 characters, and a payload at most 8,000 bytes: https://www.postgresql.org/docs/current/sql-notify.html
const maxKeys = 200

const notify = { name: 'notify-events', text: 'select pg_notify($1, $2)' }

/** Wakes the event readers and the push workers when the transaction commits. */
export const notifyEvents = async (
  on: Queryable,
  events: readonly { readonly userId: string; readonly projectId: Uuid }[],
): Promise<void> => {
  const keys = [...new Set(events.flatMap(({ userId, projectId }) => [projectId, userWakeKey(userId)]))]
  for (let from = 0; from < keys.length; from += maxKeys) await on.query(notify, [eventChannel, keys.slice(from, from + maxKeys).join(',')])
}
