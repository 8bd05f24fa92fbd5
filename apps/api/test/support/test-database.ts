import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { databaseFolder } from './database-folder.ts'

/** A database of a test's own, migrated already. */
export interface TestDatabase {
  /** What the server's environment says of it. */
  readonly env: Readonly<Record<string, string>>
  /** Where to connect to; `undefined` on the embedded database. */
  readonly url: string | undefined
  readonly dataDir: string
  remove(): Promise<void>
}

/** Makes a database of the kind that the suite runs on. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const postgres = inject('postgres')
  const dataDir = await mkdtemp(join(await databaseFolder(), 'flowpost-test-'))
  const removeDir = async () => rmSync(dataDir, { recursive: true, force: true })
  if (!postgres) {
    // A thousand files: the promised forms take ten times as long.
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
