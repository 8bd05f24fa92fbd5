/** A connection to a database that is reset. */
export interface ResetConnection {
  query<Row extends object>(sql: string): Promise<{ readonly rows: Row[] }>
  exec(sql: string): Promise<unknown>
}

/** The content of a database before its first test. */
export interface DatabaseSnapshot {
  /** A digest of the schema. */
  readonly schema: string
  readonly tables: readonly string[]
  /** The rows of each table that is not empty, as JSON, keyed by table. */
  readonly rows: ReadonlyMap<string, string>
}

// Everything that a statement can change in the schema. The ids below 16384 belong to PostgreSQL itself.
// cspell:disable
const schemaQuery = `
  select md5(string_agg(item, ',' order by item)) as schema from (
    select concat_ws(' ', 'class', oid, relname, relnamespace, relkind, relrowsecurity, relacl, reloptions) from pg_class
      where oid >= 16384 and relkind <> 't'
    union all select concat_ws(' ', 'column', attrelid, attnum, attname, atttypid, atttypmod, attnotnull, attoptions) from pg_attribute
      where attrelid >= 16384
    union all select concat_ws(' ', 'index', indexrelid, indisvalid, indisready) from pg_index where indexrelid >= 16384
    union all select concat_ws(' ', 'default', oid, pg_get_expr(adbin, adrelid)) from pg_attrdef
    union all select concat_ws(' ', 'constraint', oid, conname, convalidated, pg_get_constraintdef(oid)) from pg_constraint
      where oid >= 16384
    union all select concat_ws(' ', 'trigger', oid, tgname, tgenabled) from pg_trigger where not tgisinternal
    union all select concat_ws(' ', 'function', oid, proname, prosrc) from pg_proc where oid >= 16384
    union all select concat_ws(' ', 'policy', oid, polname) from pg_policy
    union all select concat_ws(' ', 'schema', oid, nspname) from pg_namespace where nspname !~ '^pg_'
    union all select concat_ws(' ', 'setting', setrole, setconfig) from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
  ) as items (item)`
// cspell:enable

const tablesQuery = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema') order by 1`

const readSchema = async (connection: ResetConnection): Promise<string> =>
  (await connection.query<{ schema: string }>(schemaQuery)).rows[0]?.schema ?? ''

const findTables = async (connection: ResetConnection): Promise<string[]> =>
  (await connection.query<{ name: string }>(tablesQuery)).rows.map(({ name }) => name)

const findFilled = async (connection: ResetConnection, tables: readonly string[]): Promise<string[]> => {
  const queries = tables.map((name) => `select '${name}' as name where exists (select from ${name})`)
  return (await connection.query<{ name: string }>(queries.join(' union all '))).rows.map(({ name }) => name)
}

const readRows = async (connection: ResetConnection, table: string): Promise<string> => {
  const { rows } = await connection.query<{ rows: string }>(
    `select coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)), '[]')::text as rows from ${table} t`,
  )
  return rows[0]?.rows ?? '[]'
}

/** Reads the schema and all rows of a new database. */
export const takeSnapshot = async (connection: ResetConnection): Promise<DatabaseSnapshot> => {
  const tables = await findTables(connection)
  const rows = new Map<string, string>()
  for (const table of await findFilled(connection, tables)) rows.set(table, await readRows(connection, table))
  return { schema: await readSchema(connection), tables, rows }
}

/** Restores the rows in the snapshot. If the schema has changed, it changes nothing and returns `false`. */
export const resetDatabase = async (connection: ResetConnection, { schema, tables, rows }: DatabaseSnapshot): Promise<boolean> => {
  if ((await readSchema(connection)) !== schema) return false
  const filled = (await findFilled(connection, tables)).filter((table) => !rows.has(table))
  // The tables are truncated, so that the next test finds neither old row versions nor statistics on them.
  if (filled.length > 0) await connection.exec(`truncate ${filled.join(', ')} restart identity cascade`)
  for (const [table, content] of rows) {
    if ((await readRows(connection, table)) === content) continue
    const literal = `'${content.replaceAll("'", "''")}'`
    await connection.exec(
      `delete from ${table}; insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${literal}::jsonb)`,
    )
  }
  return true
}
