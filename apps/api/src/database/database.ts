import type { SqlEntityManager } from '@mikro-orm/sql'
import type { InvalidationListener } from '../shared/cache.ts'

/** A statement that is prepared because it runs often. Each connection parses it once, under `name`, and can reuse its plan. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** Runs SQL. Timestamps are returned as text; see {@link instant}. */
export interface Queryable {
  /** Runs one statement and returns its rows. `$1` in the statement stands for the first value, and so on. */
  query<Row extends object>(statement: string | NamedStatement, values?: readonly unknown[]): Promise<Row[]>
}

/** Returns a statement's SQL, for callers that do not prepare it. */
export const textOf = (statement: string | NamedStatement): string => (typeof statement === 'string' ? statement : statement.text)

/**
 * An open transaction. On the embedded database, a transaction blocks all other statements, so do no other I/O while it
 * is open.
 */
export interface Transaction extends Queryable {
  /**
   * Invalidates a cache tag in all processes when the transaction commits. In this process, that happens before
   * {@link Database.transaction} resolves.
   */
  invalidate(tag: string): void
  /**
   * Calls `listener` once when the transaction has ended. `committed` is `false` if it was rolled back, or if the connection
   * was lost during the commit, so that the outcome is unknown.
   */
  onEnd(listener: (committed: boolean) => void): void
}

/** An open transaction with the ORM's unit of work. */
export interface UnitOfWork extends Transaction {
  readonly em: SqlEntityManager
}

/**
 * Returns the `limit` clause for a page that is read in index order. The sub-select hides the page size from the
 * planner, which then assumes a small page and uses the index. If the planner saw the size but had no statistics, it
 * might sort the whole list instead.
 */
export const pageLimit = (parameter: `$${number}`): string => `limit (select ${parameter}::int)`

/** A PostgreSQL database, on a server or embedded in the process. */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres'
  /**
   * Runs `work` in a transaction. Commits when `work` resolves; rolls back when `work` rejects. After a deadlock, `work`
   * runs again.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs `work` in a transaction with the ORM's unit of work, which costs more than {@link Database.transaction}. */
  unitOfWork<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
  /**
   * Waits until the synchronous standby, if there is one, has stored all earlier commits. Call it before reporting a change
   * that another transaction made. Such a change can be visible before the standby has it, and a failover would then lose it.
   */
  awaitReplication(): Promise<void>
  /** Notifies all listeners of a channel, in every process. */
  notify(channel: string, payload: string): Promise<void>
  /**
   * Listens on a channel.
   * @param onReconnect called whenever the listening connection is established, because payloads that were sent to the
   * channel before may have been missed. Never called on the embedded database, which has no such connection.
   * @param onDisconnect called when that connection is lost. No payloads are received until `onReconnect` is called.
   * @returns a function that stops listening.
   */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
    onDisconnect?: () => void,
  ): Promise<() => Promise<void>>
  /**
   * Invalidates a cache tag in all processes. Call it after committing a change, and await it before acknowledging the
   * change.
   */
  invalidate(tag: string): Promise<void>
  /** Subscribes a cache to invalidations. */
  onInvalidation(listener: InvalidationListener): Promise<void>
  close(): Promise<void>
}

/** Parses a `timestamptz` that was returned as text. */
export const instant = (value: string): Date => new Date(value)

const isoLength = '2026-11-21T09:30:00.000Z'.length

/** Formats a `timestamptz` as the API returns it: RFC 3339, in UTC, with milliseconds. */
export const timestamp = (value: string | Date): string => {
  if (typeof value !== 'string') return value.toISOString()
  // A fast path for the format that a UTC session usually returns, because a list can have hundreds of timestamps.
  if (value.length <= 26 && value[4] === '-' && value.endsWith('+00'))
    return `${value.slice(0, 10)}T${value.slice(11, 19)}.${value.slice(20, -3).padEnd(3, '0')}Z`
  if (value.length === isoLength && value.endsWith('Z')) return value
  return instant(value).toISOString()
}

/** Formats a nullable `timestamptz` as {@link timestamp} does. */
export const timestampOrNull = (value: string | Date | null): string | null => (value === null ? null : timestamp(value))
