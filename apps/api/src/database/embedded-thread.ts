import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

/** A message of PostgreSQL's protocol to execute; without a message, the database is closed. */
export interface ThreadRequest {
  readonly id: number
  readonly message?: Uint8Array
}

/** The answer to a request; the first one says that the database is open. */
export interface ThreadResponse {
  readonly id: number
  readonly data: Uint8Array
}

// The thread of the embedded database: it blocks while a statement runs, and the server's own thread does not.
if (!parentPort) throw new Error('This module runs in a worker thread.')
const port = parentPort
// PGlite's default of 128 MB is resident from the first statement on; the files stay in the page cache of the system anyway.
const sharedBuffers = ['-c', 'shared_buffers=16MB']
const pglite = await PGlite.create({ dataDir: workerData as string, startParams: [...PGlite.defaultStartParams, ...sharedBuffers] })

port.on('message', ({ id, message }: ThreadRequest) => {
  if (message === undefined) {
    void pglite.close().then(() => port.close())
    return
  }
  const data = pglite.execProtocolRawSync(message)
  port.postMessage({ id, data } satisfies ThreadResponse, [data.buffer as ArrayBuffer])
})
port.postMessage({ id: 0, data: new Uint8Array(0) } satisfies ThreadResponse)
