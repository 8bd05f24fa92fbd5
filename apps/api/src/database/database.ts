import type { SqlEntityManager } from '@mikro-orm/sql'
import type { InvalidationListener } from '../shared/cache.ts'

/** A statement of the hot paths: a connection to a server parses and plans it once, under this name. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** Runs SQL. Timestamps are returned as text: see {@link instant}. */
export interface Queryable {
  /** Runs one statement with `$1` parameters and gives its rows. */
  query<Row extends object>(statement: string | NamedStatement, values?: readonly unknown[]): Promise<Row[]>
}

/** The SQL of a statement, for who cannot make use of its name. */
export const textOf = (statement: string | NamedStatement): string => (typeof statement === 'string' ? statement : statement.text)

/** An open transaction. On the embedded database nothing else can run until it ends, so do no I/O inside one. */
export interface Transaction extends Queryable {
  /** Invalidates what is cached under a tag: in every process at commit, in this one before the transaction returns. */
  invalidate(tag: string): void
}

/** An open transaction with the ORM's unit of work. */
export interface UnitOfWork extends Transaction {
  readonly em: SqlEntityManager
}

/**
 * The `limit` of a page that is read along an index. The planner cannot see through the sub-select, so it takes the
 * page for a small part of the whole and walks the index. Where it sees a number and has no statistics, as on the
 * embedded database before its first vacuum, it sorts all that is left of a list to give a long page of it.
 */
export const pageLimit = (parameter: `$${number}`): string => `limit (select ${parameter}::int)`

/** The database: PostgreSQL, or PostgreSQL embedded in the process. */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres'
  /** Runs `work` in a transaction that commits when it resolves and is rolled back when it throws. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs `work` as {@link Database.transaction} does, with a unit of work of the ORM, which costs more. */
  unitOfWork<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
  /** Tells every process that listens on the channel; at once, or at commit within a transaction. */
  notify(channel: string, payload: string): Promise<void>
  /**
   * Hears what is told on a channel.
   * @param onGap called when it is heard again after something may have been missed.
   * @param onLost called when nothing is heard any more, until `onGap`.
   * @returns a function that ends it.
   */
  listen(channel: string, onNotification: (payload: string) => void, onGap: () => void, onLost?: () => void): Promise<() => Promise<void>>
  /** Invalidates a tag after a statement that has committed. Await it before the write is acknowledged. */
  invalidate(tag: string): Promise<void>
  /** Subscribes a cache to invalidations. */
  onInvalidation(listener: InvalidationListener): Promise<void>
  close(): Promise<void>
}

/** The instant of a `timestamptz` that came back as text. */
export const instant = (value: string): Date => new Date(value)

const wireLength = '2026-11-21T09:30:00.000Z'.length

/** A `timestamptz` as the wire has it: RFC 3339 in UTC with milliseconds. */
export const timestamp = (value: string | Date): string => {
  if (typeof value !== 'string') return value.toISOString()
  // A list has hundreds of them, so the usual form, of a session in UTC, is only cut up.
  if (value.length <= 26 && value[4] === '-' && value.endsWith('+00'))
    return `${value.slice(0, 10)}T${value.slice(11, 19)}.${value.slice(20, -3).padEnd(3, '0')}Z`
  if (value.length === wireLength && value.endsWith('Z')) return value
  return instant(value).toISOString()
}

/** As {@link timestamp}, keeping `null`. */
export const timestampOrNull = (value: string | Date | null): string | null => (value === null ? null : timestamp(value))
