import type { Client } from 'pg'
import type { Migration } from '../../../../apps/api/src/database/migrate/migration.ts'
import { migrationTables } from '../../../../apps/api/src/database/migrate/migration-state.ts'

const created = /^create table (\w+)/
const indexed = /^create (?:unique )?index (?:concurrently )?(\w+) on/
const altered = /^alter table (\w+)\s/
const added = /\badd column (?:if not exists )?(\w+)/g

/** Returns a statement that reverts a migration's statement, or `undefined` if that statement adds no table, index or column. */
export const undoStatement = (statement: string): string | undefined => {
  const [, table] = created.exec(statement) ?? []
  if (table !== undefined) return `drop table ${table} cascade`
  const [, index] = indexed.exec(statement) ?? []
  if (index !== undefined) return `drop index if exists ${index}`
  const [, changed] = altered.exec(statement) ?? []
  const columns = [...statement.matchAll(added)].map(([, column]) => `drop column ${column}`)
  return changed !== undefined && columns.length > 0 ? `alter table ${changed} ${columns.join(', ')}` : undefined
}

/** Reverts migrations, so that they are pending again. They must be the last migrations that the database has applied. */
export const undoMigrations = async (client: Client, migrations: readonly Migration[]): Promise<void> => {
  const statements = migrations.flatMap((migration) => migration.statements.flatMap((statement) => undoStatement(statement) ?? []))
  for (const statement of statements.reverse()) await client.query(statement)
  await client.query(`delete from ${migrationTables.applied} where name = any($1)`, [migrations.map(({ name }) => name)])
}
