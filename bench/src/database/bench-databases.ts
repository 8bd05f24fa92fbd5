import { Client } from 'pg'

/** The databases that a run creates on a PostgreSQL server. */
export interface BenchDatabases {
  /** The version of the server, as {@link serverVersion} returns it. */
  readonly version: string
  /**
   * Creates a database.
   * @param template the URL of a database to copy. No client may be connected to that database.
   * @param keep whether {@link dropAll} keeps the new database.
   * @returns the URL of the new database.
   */
  create(purpose: string, template?: string, keep?: boolean): Promise<string>
  /** Drops all databases that {@link create} has created, except those for which its argument `keep` was `true`. */
  dropAll(): Promise<void>
}

/** Runs `work` on a new connection. */
export const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url, application_name: 'flowpost-bench' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Returns the URL of another database on the same server. */
export const urlOf = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/**
 * Returns the version of a server for reports, such as `15.4`. Adds a note if autovacuum is off, because the server then
 * becomes slower over time.
 */
export const serverVersion = ({ version, autovacuum }: { version: string; autovacuum: string }): string =>
  `${version.split(' ')[0]}${autovacuum === 'off' ? ', with autovacuum off' : ''}`

/** Connects to a server whose user may create databases. */
export const openBenchDatabases = async (serverUrl: string): Promise<BenchDatabases> => {
  const version = await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ version: string; autovacuum: string }>(
      "select current_setting('server_version') as version, current_setting('autovacuum') as autovacuum",
    )
    return rows[0] ? serverVersion(rows[0]) : 'unknown'
  })
  const created: { name: string; creating: Promise<unknown> }[] = []
  return {
    version,
    create: async (purpose, template, keep = false) => {
      const name = `flowpost_bench_${process.pid}_${purpose}`
      const copy = template === undefined ? '' : `template "${nameOf(template)}"`
      const creating = withClient(serverUrl, (client) => client.query(`create database "${name}" ${copy}`))
      if (!keep) created.push({ name, creating })
      await creating
      return urlOf(serverUrl, name)
    },
    dropAll: () =>
      withClient(serverUrl, async (client) => {
        for (let database = created.pop(); database; database = created.pop()) {
          // If the run was interrupted, `create database` may still be running. Waits for it before the drop.
          await database.creating.catch(() => {})
          // `force` closes the connections that a killed process has left open.
          await client.query(`drop database if exists "${database.name}" with (force)`)
        }
      }),
  }
}
