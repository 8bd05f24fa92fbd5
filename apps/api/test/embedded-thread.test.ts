import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Worker } from 'node:worker_threads'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const embeddedOnly = it.skipIf(inject('postgres'))

/** Starts a server, and returns it with its database thread. */
const startWithThread = async (onFatal: (error: Error) => void) => {
  const threads: Worker[] = []
  const onThread = (message: unknown) => threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', onThread)
  const server = await startTestServer({ database: await createTestDatabase(), onFatal }).finally(() =>
    unsubscribe('worker_threads', onThread),
  )
  return { server, thread: threads[0] as Worker }
}

embeddedOnly('reports a fatal error when the thread of the database ends without an error', async () => {
  const reasons: string[] = []
  const { server, thread } = await startWithThread(({ message }) => reasons.push(message))
  await thread.terminate()
  expect(reasons).toEqual([expect.stringContaining("The embedded database's thread ended unexpectedly (exit code 1).")])
  await server.stop()
  const again = await server.restart()
  expect((await again.request('GET', '/v1/settings/projects')).status).toBe(200)
  await again[Symbol.asyncDispose]()
})

embeddedOnly('reports no fatal error when the server stops', async () => {
  const reasons: string[] = []
  const { server } = await startWithThread(({ message }) => reasons.push(message))
  await server[Symbol.asyncDispose]()
  expect(reasons).toEqual([])
})

embeddedOnly('sends the thread only the bytes of a statement, not the whole buffer pool that contains them', async () => {
  await using server = await startTestServer({ database: await createTestDatabase() })
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => posted.mockRestore())
  await server.request('GET', '/v1/settings/projects')
  const messages = posted.mock.calls.flatMap(([request]) => (request as { message?: Uint8Array }).message ?? [])
  expect(messages.length).toBeGreaterThan(0)
  expect(messages.map(({ buffer }) => buffer.byteLength)).toEqual(messages.map(({ byteLength }) => byteLength))
})
