import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { EmbeddedOptions } from '../../src/database/embedded.ts'
import { databaseFolder } from './database-folder.ts'

/** A migrated database for a single test. */
export interface TestDatabase {
  /** The environment variables that make the server use the database. */
  readonly env: Readonly<Record<string, string>>
  /** The URL of the database; `undefined` if it is embedded. */
  readonly url: string | undefined
  readonly dataDir: string
  /** Starts a session of a database that is already open; `undefined` if the database is not open. */
  readonly startThread?: NonNullable<EmbeddedOptions['startThread']>
  remove(): Promise<void>
}

/** Creates a database: on PostgreSQL if the suite runs on it, otherwise an embedded one. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const postgres = inject('postgres')
  const dataDir = await mkdtemp(join(await databaseFolder(), 'flowpost-test-'))
  const removeDir = async () => rmSync(dataDir, { recursive: true, force: true })
  if (!postgres) {
    // Copies synchronously: for a thousand files, the asynchronous functions take ten times as long.
    cpSync(inject('templateDir'), dataDir, { recursive: true })
    return { env: { FLOWPOST_DATA_DIR: dataDir }, url: undefined, dataDir, remove: removeDir }
  }
  // The global teardown drops the databases whose names start like this.
  const name = `${postgres.template}_${randomBytes(8).toString('hex')}`
  await runSql(postgres.url, `create database ${name} template ${postgres.template}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return {
    env: { DATABASE_URL: url.toString(), FLOWPOST_CAPTURE: 'missing' },
    url: url.toString(),
    dataDir,
    remove: async () => {
      await runSql(postgres.url, `drop database if exists ${name} with (force)`)
      await removeDir()
    },
  }
}

/** Runs SQL on a PostgreSQL server. */
export const runSql = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** Destroys a database and leaves an empty one in its place. Stop the servers on it first. */
export const recreateDatabase = async ({ url, dataDir }: TestDatabase): Promise<void> => {
  if (url === undefined) {
    rmSync(dataDir, { recursive: true, force: true })
    return
  }
  const name = new URL(url).pathname.slice(1)
  const admin = new URL('/postgres', url).toString()
  await runSql(admin, `drop database ${name} with (force)`)
  await runSql(admin, `create database ${name}`)
}
