import { mkdtemp, rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { Client } from 'pg'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../src/database/embedded.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { entities } from '../../src/entities.ts'
import { databaseFolder } from './database-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated data folder that tests copy, because copying is many times faster than running the migrations. */
    templateDir: string
    /** The folder of the databases that tests share. It is removed at the end of the run. */
    pooledDir: string
    /** The PostgreSQL server, and the name of the migrated database on it that tests copy; `null` if tests use the embedded database. */
    postgres: { url: string; template: string } | null
  }
}

const log = pino({ level: 'silent' })

const withDatabase = (url: string, name: string): string => {
  const result = new URL(url)
  result.pathname = `/${name}`
  return result.toString()
}

const run = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** Drops the template, and the databases that tests created from it and did not drop. */
const dropDatabases = async (url: string, template: string): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datname = $1 or starts_with(datname, $1 || '_')",
      [template],
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  } finally {
    await client.end()
  }
}

/**
 * Creates the migrated database that tests copy. If `TEST_DATABASE_URL` is set, creates it on that PostgreSQL server;
 * otherwise, creates an embedded database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env['TEST_DATABASE_URL']
  if (url) {
    const template = `flowpost_test_${process.pid}`
    await run(url, `create database ${template}`)
    const database = await openPostgres({ entities, url: withDatabase(url, template), poolSize: 2, log })
    await database.close()
    project.provide('postgres', { url, template })
    project.provide('templateDir', '')
    project.provide('pooledDir', '')
    return () => dropDatabases(url, template)
  }
  const runDir = await mkdtemp(join(await databaseFolder(), 'flowpost-run-'))
  const templateDir = join(runDir, 'template')
  const database = await openEmbedded({ entities, dataDir: templateDir })
  // Nothing uses these databases, and they contain more than half of the files that each test copies.
  for (const name of ['template0', 'template1']) {
    await database.query('update pg_database set datistemplate = false where datname = $1', [name])
    await database.query(`drop database ${name}`)
  }
  await database.close()
  // Stores the code that was compiled so far, because the tests run the same code.
  flushCompileCache()
  project.provide('templateDir', templateDir)
  project.provide('pooledDir', runDir)
  project.provide('postgres', null)
  return () => rm(runDir, { recursive: true, force: true, maxRetries: 3 })
}
