import type { SqlEntityManager } from '@mikro-orm/sql'

/** Runs SQL. Timestamps come back as text: see {@link instant}. */
export interface Queryable {
  /** Runs one statement with `$1` parameters and gives its rows. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** An open transaction. On the embedded database nothing else can run until it ends, so do no I/O inside one. */
export interface Transaction extends Queryable {
  /** The unit of work that belongs to the transaction. */
  readonly em: SqlEntityManager
}

/** The database: PostgreSQL, or PostgreSQL embedded in the process. */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres'
  /** Runs `work` in a transaction that commits when it resolves and is undone when it throws. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Tells every process that listens on the channel; at once, or at commit within a transaction. */
  notify(channel: string, payload: string): Promise<void>
  /** Hears what is told on a channel. `onGap` is called when something may have been missed. Resolves to a stop function. */
  listen(channel: string, onNotification: (payload: string) => void, onGap: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** The instant of a `timestamptz` that came back as text. */
export const instant = (value: string): Date => new Date(value)

/** A `timestamptz` as the wire has it: RFC 3339 in UTC with milliseconds. */
export const timestamp = (value: string | Date): string => (typeof value === 'string' ? instant(value) : value).toISOString()

/** As {@link timestamp}, keeping `null`. */
export const timestampOrNull = (value: string | Date | null): string | null => (value === null ? null : timestamp(value))
