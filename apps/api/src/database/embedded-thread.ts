import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

/** The data that a database thread is started with. */
export interface ThreadData {
  /** The database folder. */
  readonly folder: string
  readonly postgres: WebAssembly.Module
}

/** A request to process a PostgreSQL protocol message. A request without a message closes the database. */
export interface ThreadRequest {
  readonly id: number
  readonly message?: Uint8Array
}

/** The response to a request. An initial response with the id 0 means that the database is open. */
export interface ThreadResponse {
  readonly id: number
  readonly data: Uint8Array
}

// This module runs in the embedded database's thread, so a running statement does not block the server's main thread.
if (!parentPort) throw new Error('This module must run in a worker thread.')
const port = parentPort
// PGlite's default is 128 MB of shared buffers, which occupy memory from the first statement on. A smaller size is enough,
// because the operating system caches the files anyway.
const sharedBuffers = ['-c', 'shared_buffers=16MB']
const { folder, postgres } = workerData as ThreadData
const pglite = await PGlite.create({
  dataDir: folder,
  pgliteWasmModule: postgres,
  startParams: [...PGlite.defaultStartParams, ...sharedBuffers],
})

port.on('message', ({ id, message }: ThreadRequest) => {
  if (message === undefined) {
    void pglite.close().then(() => port.close())
    return
  }
  const data = pglite.execProtocolRawSync(message)
  port.postMessage({ id, data } satisfies ThreadResponse, [data.buffer as ArrayBuffer])
})
port.postMessage({ id: 0, data: new Uint8Array(0) } satisfies ThreadResponse)
