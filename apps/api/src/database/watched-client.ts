import { Client, type ClientConfig } from 'pg'
import { markAsOfPostgres } from './failures.ts'

/** Rejects the statements of a connection that was closed because PostgreSQL did not answer. */
export class ConnectionSilentError extends Error {
  override readonly name = 'ConnectionSilentError'
  readonly code = 'ETIMEDOUT'
}

/** What the owner of a connection hears of it. */
export interface ClientEvents {
  /** PostgreSQL has answered a statement, if only with an error, on a session that was opened. */
  onAnswer?(): void
  /** PostgreSQL has reported an error, or the connection is lost. */
  onError?(error: unknown): void
}

// Long enough for a goodbye. A connection that is silent would wait for the operating system, a quarter of an hour.
const endWithinMs = 1_000
const readOnly = '25006'

/**
 * A client of `pg` that knows how long it has been waiting for an answer, and whose end takes a bounded time.
 * A time limit for each statement is no help: `pg` would hand the connection, answer outstanding, back to its pool.
 */
export class WatchedClient extends Client {
  /** The server's process for this connection. Behind a pooler it is not the one that `pg` was told. */
  backendPid: number | undefined
  /** When the statement that runs began, by `performance.now()`; `undefined` while none does. */
  waitingSinceMs: number | undefined
  /** When PostgreSQL last answered. */
  heardAtMs: number = performance.now()

  constructor(config: ClientConfig, events: ClientEvents = {}) {
    super(config)
    // From the URL: see above.
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, { query_timeout: false })
    const query = this.query.bind(this) as (...args: unknown[]) => unknown
    // The method has a dozen overloads, all of which send one statement.
    this.query = ((...args: unknown[]) => {
      this.waitingSinceMs ??= performance.now()
      return query(...args)
    }) as typeof this.query
    this.connection.on('readyForQuery', () => {
      this.heardAtMs = performance.now()
      // For a statement that waits behind this one. If there is none, `drain` comes next.
      if (this.waitingSinceMs !== undefined) this.waitingSinceMs = this.heardAtMs
      if (this.backendPid !== undefined) events.onAnswer?.()
    })
    this.on('drain', () => {
      this.waitingSinceMs = undefined
    })
    this.connection.on('errorMessage', (error: Error) => {
      events.onError?.(markAsOfPostgres(error))
      // The server was demoted, or stands by: the next connection may lead to the primary.
      if ((error as { code?: string }).code === readOnly) setImmediate(() => this.abandon(error))
    })
    // Without a listener of its own, an error between two owners would end the process.
    this.on('error', (error) => events.onError?.(markAsOfPostgres(error)))
  }

  /** Closes the connection at once, without a goodbye. Its statements are rejected with `reason`. */
  abandon(reason: Error): void {
    this.connection.stream.destroy(reason)
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const timer = setTimeout(() => this.connection.stream.destroy(), endWithinMs)
    this.once('end', () => clearTimeout(timer))
    return callback ? super.end(callback) : super.end()
  }
}
