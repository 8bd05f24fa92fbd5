import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { databaseFolder } from './database-folder.ts'

/** A migrated database for a single test. */
export interface TestDatabase {
  /** The environment variables that make the server use the database. */
  readonly env: Readonly<Record<string, string>>
  /** The URL of the database; `undefined` if it is embedded. */
  readonly url: string | undefined
  readonly dataDir: string
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
  const name = `flowpost_test_${randomBytes(8).toString('hex')}`
  await runOn(postgres.url, `create database ${name} template ${postgres.template}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return {
    env: { DATABASE_URL: url.toString(), FLOWPOST_CAPTURE: 'missing' },
    url: url.toString(),
    dataDir,
    remove: async () => {
      await runOn(postgres.url, `drop database if exists ${name} with (force)`)
      await removeDir()
    },
  }
}

const runOn = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
