// cspell:ignore replorigin
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { backupProgram } from '../src/cli/backup.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { runCommand } from './support/run-command.ts'
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
  expect(reasons).toEqual(['The embedded database stopped: its thread ended with the exit code 1. The process must be restarted.'])
  await server.stop()
  const again = await server.restart()
  expect((await again.request('GET', '/v1/settings/projects')).status).toBe(200)
  await again[Symbol.asyncDispose]()
})

// A full disk has the same effect: PostgreSQL cannot create the file, and reports an error of the severity PANIC.
embeddedOnly('reports one fatal error after a failed checkpoint, rejects requests with 503, and works again after a restart', async () => {
  const reasons: string[] = []
  const { server, thread } = await startWithThread(({ message }) => reasons.push(message))
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id)
  await readCompleted(server, id)
  const { dataDir, env } = server.database
  const blocker = join(dataDir, 'db/pg_logical/replorigin_checkpoint.tmp')
  mkdirSync(blocker)
  const backup = await runCommand(backupProgram, [join(dataDir, 'backup')], env)
  expect(backup).toMatchObject({ code: 1, err: `Could not back up the database: ${reasons[0]}\n` })
  expect(reasons).toEqual([
    expect.stringMatching(/^The embedded database stopped: could not .*replorigin_checkpoint\.tmp.* must be restarted\.$/),
  ])

  const json = { project_id: project.id, subject: 'later', message: 'x' }
  const rejected = await server.request('POST', '/v1/notifications', { json })
  expect(rejected).toMatchObject({ status: 503, json: { code: 'unavailable' } })
  expect(rejected.headers.get('retry-after')).toBe('1')
  expect(reasons).toHaveLength(1)
  await server.stop()
  // A thread that has ended has the id -1.
  expect(thread.threadId).toBe(-1)

  rmdirSync(blocker)
  const again = await server.restart()
  expect((await again.request('GET', `/v1/notifications/${id}`)).status).toBe(200)
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
