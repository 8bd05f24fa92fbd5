import { type EventEmitter, once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { messages, PGlite, protocol, type Transaction, types } from '@electric-sql/pglite'
import { type BackendMessage, errorIn, lossIn, parseResponses, requireCommitted } from './embedded-responses.ts'
import type { ThreadData, ThreadRequest, ThreadResponse } from './embedded-thread.ts'
import { EmbeddedDatabaseLostError } from './failures.ts'
import { StatementMessages } from './statement-messages.ts'

interface Base extends Pick<PGlite, 'query' | 'exec' | 'parsers' | 'serializers' | '_initArrayTypes'> {
  transaction<T>(callback: (transaction: Transaction) => Promise<T>): Promise<T>
}

// The common base class of PGlite and its browser worker. The package exports only these two subclasses.
const BasePGlite = Object.getPrototypeOf(PGlite) as abstract new () => Base

// Timestamps and 64-bit integers stay text, as with the driver for PostgreSQL servers.
const textTypes = [types.INT8, types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ, types.INTERVAL]
const parsers = Object.fromEntries(textTypes.map((type) => [type, (text: string): string => text]))

const closedMessage = 'PGlite is closed'

// In the repository, the thread runs a TypeScript file. In the bundle, its JavaScript file is in the same folder as this one.
const threadFile = new URL(import.meta.url.endsWith('.ts') ? './embedded-thread.ts' : './embedded-thread.js', import.meta.url)

/**
 * The thread that runs an embedded database. It emits `message` with each {@link ThreadResponse}, and `exit` with its
 * exit code.
 */
export interface DatabaseThread extends EventEmitter {
  postMessage(request: ThreadRequest): void
  /** Ends the thread without closing the database. */
  terminate(): Promise<unknown>
  readonly performance: Pick<Worker['performance'], 'eventLoopUtilization'>
}

/** Starts a thread that runs an embedded database. */
export const startDatabaseThread = (data: ThreadData): Worker => new Worker(threadFile, { workerData: data })

/** Creates a lock: a function that runs the functions passed to it one at a time, in order. */
const createLock = () => {
  let tail: Promise<unknown> = Promise.resolve()
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = tail.then(run)
    tail = result.catch(() => {})
    return result
  }
}

/**
 * A connection to PostgreSQL in another thread of this process. The two threads exchange only PostgreSQL protocol
 * messages. PGlite's code converts values in the calling thread. That thread continues to handle requests and send
 * notifications while a statement runs. See docs/decisions/0017-embedded-database-thread.md.
 */
export class EmbeddedConnection extends BasePGlite {
  readonly debug = 0
  readonly waitReady: Promise<void>
  closed = false
  ready = false
  readonly #thread: DatabaseThread
  readonly #onLost: (error: EmbeddedDatabaseLostError) => void
  readonly #pending = new Map<number, PromiseWithResolvers<Uint8Array>>()
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()
  readonly #lockQuery = createLock()
  readonly #lockTransaction = createLock()
  readonly #exited = new AbortController()
  readonly #statementMessages = new StatementMessages()
  #lastId = 0

  /**
   * @param data The compiled PostgreSQL, and the database folder, which is created if it is missing.
   * @param onLost Called once if the database can no longer be used. The process must then be restarted. An uncaught error in
   * the thread ends the process instead.
   * @param startThread Starts the thread.
   */
  constructor(
    data: ThreadData,
    onLost: (error: EmbeddedDatabaseLostError) => void,
    startThread: (data: ThreadData) => DatabaseThread = startDatabaseThread,
  ) {
    super()
    this.parsers = { ...this.parsers, ...parsers }
    this.#onLost = onLost
    this.#thread = startThread(data)
    this.#thread.on('exit', (code) => {
      if (this.ready) this.abandon(new EmbeddedDatabaseLostError(`its thread ended with the exit code ${code}`))
      this.closed = true
      this.#exited.abort(new Error(closedMessage))
      for (const { reject } of this.#pending.values()) reject(new Error(closedMessage))
      this.#pending.clear()
    })
    this.waitReady = this.#open()
  }

  /** Ends the thread and closes the connection, because the database can no longer be used. Returns `error`. */
  abandon(error: EmbeddedDatabaseLostError): EmbeddedDatabaseLostError {
    if (this.closed) return error
    this.closed = true
    void this.#thread.terminate()
    this.#onLost(error)
    return error
  }

  /** Returns the utilization of the database thread since it started; see `performance.eventLoopUtilization`. */
  utilization: typeof performance.eventLoopUtilization = (...since) => this.#thread.performance.eventLoopUtilization(...since)

  async #open(): Promise<void> {
    await once(this.#thread, 'message', { signal: this.#exited.signal })
    this.#thread.on('message', ({ id, data }: ThreadResponse) => {
      this.#pending.get(id)?.resolve(data)
      this.#pending.delete(id)
    })
    this.ready = true
    await this.#addArrayTypes()
  }

  /**
   * Adds array parsers for UUIDs and for the types that already have a parser. PGlite's own function adds array parsers for
   * all 300 types. This method calls that function and removes the array parsers that are not needed, because PGlite copies
   * all parsers for each statement, and copying so many takes longer than parsing the rows.
   */
  async #addArrayTypes(): Promise<void> {
    const defaults = { ...this.parsers }
    await this._initArrayTypes()
    const elements = [types.UUID, ...Object.keys(defaults).map(Number).filter(Number.isInteger)]
    const { rows } = await this.query<{ id: number }>('select typarray as id from pg_type where oid = any($1)', [elements])
    this.parsers = Object.fromEntries([
      ...Object.entries(defaults),
      ...rows.flatMap(({ id }) => (this.parsers[id] ? [[id, this.parsers[id]]] : [])),
    ])
  }

  /**
   * Runs `callback` in a transaction. If the transaction cannot begin, `callback` still runs, but each of its statements
   * rejects with the error. `callback` must run in this case too, because Kysely's driver waits until `callback` is called.
   */
  override async transaction<T>(callback: (transaction: Transaction) => Promise<T>): Promise<T> {
    let hasBegun = false
    try {
      return await super.transaction((transaction) => {
        hasBegun = true
        return callback(transaction)
      })
    } catch (error) {
      if (hasBegun) throw error
      const reject = () => Promise.reject(error)
      return callback({ query: reject, sql: reject, exec: reject, rollback: reject, listen: reject, closed: true })
    }
  }

  execProtocolRaw(message: Uint8Array): Promise<Uint8Array> {
    if (this.closed) return Promise.reject(new Error(closedMessage))
    this.#lastId += 1
    const response = Promise.withResolvers<Uint8Array>()
    this.#pending.set(this.#lastId, response)
    // Copied, because cloning a small Buffer would also clone the 64 KiB pool that it belongs to.
    this.#thread.postMessage({ id: this.#lastId, message: new Uint8Array(message) } satisfies ThreadRequest)
    return response.promise
  }

  /**
   * Passes a protocol message from PGlite to the database thread. Returns no responses if {@link StatementMessages} delays
   * or discards the message.
   */
  async execProtocolStream(message: Uint8Array): Promise<BackendMessage[]> {
    const combined = this.#statementMessages.add(message)
    return combined ? this.exchange(combined) : []
  }

  /**
   * Sends a simple query, or several concatenated messages that end with a sync. Resolves with the responses, the last of
   * which is `ReadyForQuery`.
   * @throws EmbeddedDatabaseLostError when the database can no longer be used.
   */
  async exchange(message: Uint8Array): Promise<BackendMessage[]> {
    const responses = parseResponses(await this.execProtocolRaw(message))
    for (const response of responses)
      if (response instanceof messages.NotificationResponseMessage) this.#notify(response.channel, response.payload)
    const loss = lossIn(responses)
    if (loss) throw this.abandon(loss)
    const error = errorIn(responses)
    if (error) throw error
    requireCommitted(message, responses)
    return responses
  }

  #notify(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) queueMicrotask(() => listener(payload))
  }

  _runExclusiveQuery<T>(run: () => Promise<T>): Promise<T> {
    return this.#lockQuery(run)
  }

  _runExclusiveTransaction<T>(run: () => Promise<T>): Promise<T> {
    return this.#lockTransaction(run)
  }

  async _checkReady(): Promise<void> {
    if (this.closed) throw new Error(closedMessage)
    if (!this.ready) await this.waitReady
  }

  /**
   * Calls `work` while no statement is running and the database files contain every change. Other statements wait until
   * `work` settles.
   */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    return this._runExclusiveTransaction(async () => {
      await this._runExclusiveQuery(() => this.exchange(protocol.serialize.query('checkpoint')))
      return work()
    })
  }

  // PGlite requires these methods, but they have nothing to do: PGlite writes its files through Node's file system, and Flowpost
  // attaches no blobs to statements.
  async syncToFs(): Promise<void> {}
  async _handleBlob(): Promise<void> {}
  async _getWrittenBlob(): Promise<undefined> {}
  async _cleanupBlob(): Promise<void> {}

  /** Calls `listener` for each notification on a channel. Returns a function that removes the listener. */
  async listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    await this.exec(`listen "${channel}"`)
    return async () => void listeners.delete(listener)
  }

  /** Closes the database after the statements in flight have finished. Resolves when the thread no longer uses the files. */
  async close(): Promise<void> {
    const { signal } = this.#exited
    const exited = signal.aborted ? undefined : once(signal, 'abort')
    if (this.closed) return void (await exited)
    await this._runExclusiveTransaction(async () => {
      this.closed = true
      this.#thread.postMessage({ id: 0 } satisfies ThreadRequest)
      await exited
    })
  }
}
