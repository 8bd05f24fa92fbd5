import { Client } from 'pg'

/** Databases of a run on a PostgreSQL server. */
export interface BenchDatabases {
  /** As of {@link serverVersion}. */
  readonly version: string
  /**
   * Makes a database, empty or as a copy of another one of the run that nobody is connected to.
   * @param keep whether it outlives the run.
   * @returns its URL.
   */
  create(purpose: string, template?: string, keep?: boolean): Promise<string>
  /** Drops every database of the run. */
  dropAll(): Promise<void>
}

/** Runs `work` on a connection of its own. */
export const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url, application_name: 'flowpost-bench' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The URL of another database of the same server. */
export const urlOf = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/** What reports say of a server, such as `15.4`; and that it has no autovacuum, without which it gets slower as it is measured. */
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
  const made: { name: string; creating: Promise<unknown> }[] = []
  return {
    version,
    create: async (purpose, template, keep = false) => {
      const name = `flowpost_bench_${process.pid}_${purpose}`
      const copy = template === undefined ? '' : `template "${nameOf(template)}"`
      const creating = withClient(serverUrl, (client) => client.query(`create database "${name}" ${copy}`))
      if (!keep) made.push({ name, creating })
      await creating
      return urlOf(serverUrl, name)
    },
    dropAll: () =>
      withClient(serverUrl, async (client) => {
        for (let database = made.pop(); database; database = made.pop()) {
          // A run may be ended while it makes one.
          await database.creating.catch(() => {})
          // By force: a process that was killed may not have closed its connections yet.
          await client.query(`drop database if exists "${database.name}" with (force)`)
        }
      }),
  }
}
