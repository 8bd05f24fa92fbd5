import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseFolder } from './database-folder.ts'
import { runSql, type TestDatabase } from './test-database.ts'

/**
 * Copies a database from `createTestDatabase`, as a restore or a copy for staging does. Stop the servers on that database
 * first.
 */
export const copyDatabase = async (source: TestDatabase): Promise<TestDatabase> => {
  if (source.startThread) throw new Error('A pooled database has no files to copy. Use `createTestDatabase`.')
  const dataDir = await mkdtemp(join(await databaseFolder(), 'flowpost-copy-'))
  const removeDir = () => rmSync(dataDir, { recursive: true, force: true })
  if (source.url === undefined) {
    cpSync(source.dataDir, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    return { env: { FLOWPOST_DATA_DIR: dataDir }, url: undefined, dataDir, remove: async () => removeDir() }
  }
  const url = new URL(source.url)
  const name = `flowpost_copy_${randomBytes(8).toString('hex')}`
  const admin = new URL(url)
  admin.pathname = '/postgres'
  await runSql(admin.toString(), `create database ${name} template ${url.pathname.slice(1)}`)
  url.pathname = `/${name}`
  return {
    env: { ...source.env, DATABASE_URL: url.toString() },
    url: url.toString(),
    dataDir,
    remove: async () => {
      await runSql(admin.toString(), `drop database if exists ${name} with (force)`)
      removeDir()
    },
  }
}
