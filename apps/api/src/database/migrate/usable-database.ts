import type { Queryable } from '../database.ts'
import { DatabaseStartupError } from '../until-available.ts'
import type { Migration } from './migration.ts'

/**
 * Rejects a database that cannot store every character.
 * @param encoding the database's `server_encoding`.
 * @throws DatabaseStartupError, whose message contains the statement that creates a suitable database.
 */
export const requireUtf8 = (encoding: string): void => {
  if (encoding === 'UTF8') return
  throw new DatabaseStartupError(
    `The database in DATABASE_URL has the encoding ${encoding}, but Flowpost needs UTF8, because messages can contain any character. ` +
      "Create a database with `create database flowpost encoding 'UTF8' template template0`, and name it in DATABASE_URL.",
  )
}

// `create table` creates a table in the current schema.
const existingTable = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and relname = any($1) order by relname limit 1`

const createdTable = /\bcreate table (?:if not exists )?(\w+)/gi

/**
 * Rejects a database in which another application has created a table with the name of one of Flowpost's tables. Call it only
 * if no migration is applied.
 * @throws DatabaseStartupError, whose message names the table.
 */
export const requireNoForeignTables = async (session: Queryable, pending: readonly Migration[]): Promise<void> => {
  const text = pending.flatMap(({ statements }) => statements).join('\n')
  const [table] = await session.query<{ name: string }>(existingTable, [[...text.matchAll(createdTable)].map(([, name]) => name)])
  if (!table) return
  throw new DatabaseStartupError(
    `The database already has a table "${table.name}", but no migration of Flowpost is applied, so the table belongs to another ` +
      'application, or a restore is incomplete. Create an empty database for Flowpost, and name it in DATABASE_URL.',
  )
}
