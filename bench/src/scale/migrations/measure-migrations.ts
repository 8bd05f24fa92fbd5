import { createFlowpost } from '@flowpost/client'
import { Client } from 'pg'
import type { Migration } from '../../../../apps/api/src/database/migrate/migration.ts'
import { runMigrations } from '../../../../apps/api/src/database/migrate/run-migrations.ts'
import { migrations } from '../../../../apps/api/src/database/migrations/index.ts'
import { withClient } from '../../database/bench-databases.ts'
import { apiKey, startFlowpost } from '../../processes/flowpost-server.ts'
import { message } from '../../scenarios/context.ts'
import { findProjects } from '../requests.ts'
import { nextRelease } from './next-release.ts'
import { openStatementMessages } from './statement-messages.ts'
import { undoMigrations } from './undo-migrations.ts'
import { type MessageLoad, maxWait, startMessageLoad } from './waits.ts'

/** The duration of a migration, and the longest time that sending a message took meanwhile, in milliseconds. */
export interface MigrationTime {
  readonly name: string
  readonly tookMs: number
  readonly waitMs: number
}

/** The times of the upgrade to this release and of an upgrade to a later release. */
export interface MigrationTimes {
  /** The migrations of this release. While they run, messages are stored with the statements of the previous release. */
  readonly current: readonly MigrationTime[]
  /** The migrations of a later release. While they run, a server of this release accepts and delivers messages. */
  readonly next: readonly MigrationTime[]
}

/** The first migration that can run while processes of the previous release are running. */
const firstMeasured = '20261123000100-ready-at'
const senders = 8

/** Applies the pending migrations while `load` sends messages. Measures each migration. */
const measure = async (
  databaseUrl: string,
  all: readonly Migration[],
  pending: readonly Migration[],
  load: MessageLoad,
  print: (line: string) => void,
): Promise<MigrationTime[]> => {
  const client = new Client({ connectionString: databaseUrl, application_name: 'flowpost-bench' })
  await client.connect()
  const query = async <Row extends object>(statement: unknown, values: readonly unknown[] = []) =>
    (await client.query<Row>(String(statement), [...values])).rows
  const ends: { readonly name: string; readonly endedMs: number }[] = []
  const startedMs = performance.now()
  const onApplied = (name: string) => {
    ends.push({ name, endedMs: performance.now() })
    print(`${name} applied`)
  }
  const warn = (fields: object, text: string) => print(`${text} ${JSON.stringify(fields)}`)
  try {
    await runMigrations({ query }, { migrations: all, pending, release: 'bench', log: { warn }, onApplied })
  } finally {
    await client.end()
  }
  await load.stop()
  return ends.map(({ name, endedMs }, position) => {
    const fromMs = ends[position - 1]?.endedMs ?? startedMs
    return { name, tookMs: endedMs - fromMs, waitMs: maxWait(load.waits, fromMs, endedMs) }
  })
}

const measureCurrent = async (databaseUrl: string, print: (line: string) => void): Promise<MigrationTime[]> => {
  const pending = migrations.filter(({ name }) => name >= firstMeasured)
  await withClient(databaseUrl, (client) => undoMigrations(client, pending))
  const connections = await Promise.all(Array.from({ length: senders }, () => openStatementMessages(databaseUrl)))
  try {
    return await measure(databaseUrl, migrations, pending, startMessageLoad(connections.map(({ send }) => send)), print)
  } finally {
    for (const { close } of connections) await close()
  }
}

const measureNext = async (databaseUrl: string, print: (line: string) => void): Promise<MigrationTime[]> => {
  const server = await startFlowpost({ DATABASE_URL: databaseUrl, FLOWPOST_CAPTURE: 'on' })
  try {
    const projects = await findProjects(databaseUrl)
    await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${server.port}`, apiKey })
    const send = () => flowpost.notifications.send({ project_id: projects.one.id, ...message })
    const load = startMessageLoad(Array.from({ length: senders }, () => send))
    return await measure(databaseUrl, [...migrations, ...nextRelease], nextRelease, load, print)
  } finally {
    await server.stop()
  }
}

/**
 * On a filled database, reverts this release's migrations, applies them again, and then applies the migrations of a
 * later release. Measures each migration and the messages that are sent during it.
 */
export const measureMigrations = async (databaseUrl: string, print: (line: string) => void): Promise<MigrationTimes> => ({
  current: await measureCurrent(databaseUrl, print),
  next: await measureNext(databaseUrl, print),
})
