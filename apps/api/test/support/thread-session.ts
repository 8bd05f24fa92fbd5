import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { messages, protocol } from '@electric-sql/pglite'
import type { DatabaseThread } from '../../src/database/embedded-connection.ts'
import type { ThreadRequest, ThreadResponse } from '../../src/database/embedded-thread.ts'

// The id of the first of `endStatements`. A connection uses only positive ids for its requests, so negative ids are free.
const endId = -1
const endStatements = ['rollback', 'discard all']

/**
 * The use of a database thread by one connection. To the connection, the session looks like a thread that ends when the
 * connection closes. The database stays open, and the next session finds the data, but no transaction, prepared statement or
 * listener.
 */
export class ThreadSession extends EventEmitter implements DatabaseThread {
  readonly performance: Worker['performance']
  readonly #worker: Worker
  #isClosing = false
  #hasEnded = false

  constructor(worker: Worker) {
    super()
    this.#worker = worker
    this.performance = worker.performance
    worker.on('message', this.#onMessage)
    worker.on('exit', this.#onExit)
    // The first response of a thread means that the database is open.
    setImmediate(() => this.emit('message', { id: 0, data: new Uint8Array(0) } satisfies ThreadResponse))
  }

  /** Whether the session or its thread has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  postMessage(request: ThreadRequest): void {
    if (this.#isClosing || this.#hasEnded) return
    if (request.message) {
      this.#worker.postMessage(request)
      return
    }
    this.#isClosing = true
    // The thread processes messages in order, so nothing of this session is in flight after the last response.
    for (const [position, statement] of endStatements.entries())
      this.#worker.postMessage({ id: endId - position, message: new Uint8Array(protocol.serialize.query(statement)) })
  }

  /** Ends the thread too, because the database can no longer be used. */
  terminate(): Promise<number> {
    return this.#worker.terminate()
  }

  readonly #onMessage = (response: ThreadResponse): void => {
    if (response.id >= 0) return void this.emit('message', response)
    new protocol.Parser().parse(response.data, (part) => {
      if (part instanceof messages.DatabaseError) throw part
    })
    if (response.id === endId - endStatements.length + 1) this.#end(0)
  }

  readonly #onExit = (code: number): void => this.#end(code)

  #end(code: number): void {
    this.#hasEnded = true
    this.#worker.off('message', this.#onMessage)
    this.#worker.off('exit', this.#onExit)
    this.emit('exit', code)
  }
}
