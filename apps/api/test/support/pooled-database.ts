import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { inject } from 'vitest'
import { compilePostgres } from '../../src/database/compiled-pglite.ts'
import { EmbeddedConnection, startDatabaseThread } from '../../src/database/embedded-connection.ts'
import { databaseFolder } from './database-folder.ts'
import { acquirePostgres } from './pooled-postgres.ts'
import { type DatabaseSnapshot, resetDatabase, takeSnapshot } from './reset-database.ts'
import type { TestDatabase } from './test-database.ts'
import { ThreadSession } from './thread-session.ts'

/** An open database that tests use one after another. */
interface PooledThread {
  readonly worker: Worker
  readonly folder: string
  readonly snapshot: DatabaseSnapshot
  session: ThreadSession | undefined
}

// A test seldom runs more servers at the same time, and each database takes about 100 MB.
const maxIdle = 3
const idle: PooledThread[] = []

const onLost = (error: Error) => {
  throw error
}

/** Calls `work` with a connection to a database thread. A thread can have only one open connection. */
const onThread = async <T>(worker: Worker, work: (connection: EmbeddedConnection) => Promise<T>): Promise<T> => {
  const connection = new EmbeddedConnection({ folder: '', postgres: await compilePostgres() }, onLost, () => new ThreadSession(worker))
  await connection.waitReady
  return work(connection).finally(() => connection.close())
}

const openThread = async (): Promise<PooledThread> => {
  const folder = await mkdtemp(join(inject('pooledDir'), 'pooled-'))
  cpSync(join(inject('templateDir'), 'db'), folder, { recursive: true })
  const worker = startDatabaseThread({ folder, postgres: await compilePostgres() })
  await once(worker, 'message')
  return { worker, folder, snapshot: await onThread(worker, takeSnapshot), session: undefined }
}

/** Resets a database for the next test. Returns `false` if it cannot be used again. */
const recycle = async ({ worker, session, snapshot }: PooledThread): Promise<boolean> => {
  // A thread that has ended has the id -1.
  if (idle.length >= maxIdle || session?.hasEnded === false || worker.threadId < 0) return false
  return onThread(worker, (connection) => resetDatabase(connection, snapshot))
}

const release = async (thread: PooledThread): Promise<void> => {
  if (await recycle(thread)) {
    // An idle thread does not keep the process alive.
    thread.worker.unref()
    idle.push(thread)
    return
  }
  await thread.worker.terminate()
  rmSync(thread.folder, { recursive: true, force: true })
}

/**
 * Returns a database for a single test. After `remove`, it is reset and reused. To save time, an embedded database stays open
 * in this process, and its data folder contains no database files. Use `createTestDatabase` instead if another process or an
 * operator's command opens the database, or if a restarted server must open it from its files.
 */
export const acquireDatabase = async (): Promise<TestDatabase> => {
  if (inject('postgres')) return acquirePostgres()
  const thread = idle.pop() ?? (await openThread())
  thread.worker.ref()
  thread.session = undefined
  const dataDir = await mkdtemp(join(await databaseFolder(), 'flowpost-test-'))
  mkdirSync(join(dataDir, 'db'), { mode: 0o700 })
  // The server identifies its database by this file.
  writeFileSync(join(dataDir, 'db', 'PG_VERSION'), '18\n')
  let isRemoved = false
  return {
    env: { FLOWPOST_DATA_DIR: dataDir },
    url: undefined,
    dataDir,
    startThread: () => {
      if (isRemoved || thread.session?.hasEnded === false) throw new Error('The database is in use or was removed. Stop the server first.')
      thread.session = new ThreadSession(thread.worker)
      return thread.session
    },
    remove: async () => {
      if (isRemoved) return
      isRemoved = true
      await release(thread)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
