import { Client, type ClientConfig, type QueryResult } from 'pg'
import { markAsOfPostgres, RolledBackError, UnconfirmedCommitError } from '../failures.ts'

/** The error for statements whose connection was closed because PostgreSQL did not respond in time. */
export class ConnectionSilentError extends Error {
  override readonly name = 'ConnectionSilentError'
  readonly code = 'ETIMEDOUT'
}

/** Callbacks for a connection's events. */
export interface ClientEvents {
  /** Called when PostgreSQL has responded to a statement on an open session, even if the response is an error. */
  onResponse?(): void
  /** Called when PostgreSQL reports an error or the connection is lost. */
  onError?(error: unknown): void
}

// The maximum time for closing a connection gracefully. Without this limit, closing would take a quarter of an hour if
// PostgreSQL no longer responds, because the operating system gives up only then.
const endTimeoutMs = 1_000
const readOnly = '25006'

// The PostgreSQL function that warns when the wait for the synchronous standby is canceled after the local commit. The warning
// is recognized by this name, because its text depends on the server's language.
// Source: https://doxygen.postgresql.org/syncrep_8c.html
const waitCanceledIn = 'SyncRepWaitForLSN'

const requireCommitted = (result: QueryResult): QueryResult => {
  if (result.command !== 'COMMIT') throw new RolledBackError()
  return result
}

/**
 * A `pg` client that records when it started to wait for a response, and that always closes within a bounded time. If
 * PostgreSQL rolls back instead of committing, `commit` rejects with {@link RolledBackError}. If a commit succeeds on the
 * primary, but may be missing on the synchronous standby, the statement that caused the commit rejects with
 * {@link UnconfirmedCommitError}. The client does not use the `query_timeout` of `pg`, because after that timeout, the
 * connection returns to the pool while the response is still outstanding.
 */
export class WatchedClient extends Client {
  /** The id of this connection's server process. Behind a pooler, it differs from the id that `pg` reports. */
  backendPid: number | undefined
  /** The value of `performance.now()` when the wait for the current response began; `undefined` while idle. */
  waitingSinceMs: number | undefined
  /** The value of `performance.now()` when PostgreSQL last responded. */
  lastResponseMs: number = performance.now()
  /** The current statement's error, if the statement committed without confirmation from the synchronous standby. */
  #commitError: UnconfirmedCommitError | undefined

  constructor(config: ClientConfig, events: ClientEvents = {}) {
    super(config)
    // The URL may set `query_timeout`, which must not apply: see the comment on this class.
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, { query_timeout: false })
    const query = this.query.bind(this) as (...args: unknown[]) => unknown
    // `query` has a dozen overloads. One wrapper is enough for all of them, because it only forwards the arguments and watches the response.
    this.query = ((...args: unknown[]) => {
      this.waitingSinceMs ??= performance.now()
      const callback = args.at(-1)
      if (typeof callback === 'function')
        args[args.length - 1] = (error: Error | null, value: unknown) => callback(error ?? this.#takeCommitError(), value)
      const result = query(...args)
      if (!(result instanceof Promise)) return result
      const confirmed = result.then((value: QueryResult) => {
        const error = this.#takeCommitError()
        if (error) throw error
        return value
      })
      // Both `postgres.ts` and the ORM's query builder send exactly this text.
      return args[0] === 'commit' ? confirmed.then(requireCommitted) : confirmed
    }) as typeof this.query
    this.on('notice', ({ routine }) => {
      if (routine !== waitCanceledIn) return
      this.#commitError = markAsOfPostgres(new UnconfirmedCommitError())
      events.onError?.(this.#commitError)
    })
    this.connection.on('readyForQuery', () => {
      this.lastResponseMs = performance.now()
      // If another statement is queued, the wait for its response starts now. Otherwise, the `drain` event ends the wait.
      if (this.waitingSinceMs !== undefined) this.waitingSinceMs = this.lastResponseMs
      if (this.backendPid !== undefined) events.onResponse?.()
    })
    this.on('drain', () => {
      this.waitingSinceMs = undefined
    })
    this.connection.on('errorMessage', (error: Error) => {
      events.onError?.(markAsOfPostgres(error))
      // The server is a standby, so the connection is closed. The next connection may reach the primary.
      if ((error as { code?: string }).code === readOnly) setImmediate(() => this.abandon(error))
    })
    // Without a listener, an error on a connection that no caller holds would end the process.
    this.on('error', (error) => events.onError?.(markAsOfPostgres(error)))
  }

  #takeCommitError(): UnconfirmedCommitError | undefined {
    const error = this.#commitError
    this.#commitError = undefined
    return error
  }

  /** Closes the connection immediately. Its statements are rejected with `reason`. */
  abandon(reason: Error): void {
    this.connection.stream.destroy(reason)
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const timer = setTimeout(() => this.connection.stream.destroy(), endTimeoutMs)
    this.once('end', () => clearTimeout(timer))
    return callback ? super.end(callback) : super.end()
  }
}

/** The connections of one pool. */
export interface Connections {
  /** The client class that the pool must use. */
  readonly Client: typeof WatchedClient
  /** The connections that are open or opening. */
  readonly open: ReadonlySet<WatchedClient>
  /** Closes all connections immediately. Their statements are rejected. */
  abandonAll(): void
}

/** Creates a client class for a pool, and keeps track of the connections that the pool opens. */
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
      for (const client of open) client.abandon(new ConnectionSilentError('The connection to PostgreSQL was closed at shutdown.'))
    },
  }
}
