import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, fromPglite, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Queryable } from '../database/database.ts'
import type { EmbeddedDatabase } from '../database/embedded.ts'
import { onConnect } from '../database/planner.ts'
import type { PostgresDatabase } from '../database/postgres.ts'
import { type Job, type Load, leaseMs, type NewJob, type Queue } from './queue.ts'

const schema = 'flowpost_queue'
const wakeChannel = 'flowpost_queue'

// With the lease, what a process held when it died is taken up again in under 30 seconds.
const expiryCheckSeconds = 5
// A job is never given up by the engine: whether a delivery is tried again is decided elsewhere.
const endlessRetries = 1_000_000
const longestWaitSeconds = 60 * 24 * 3_600
const enginePoolSize = 3
// A notification costs a transaction. The first goes at once, and those of the next moments share one.
const betweenNotificationsMs = 10

const options = {
  policy: 'standard',
  retryLimit: endlessRetries,
  retryDelay: 0,
  expireInSeconds: leaseMs / 1_000,
  retentionSeconds: longestWaitSeconds,
} as const

const lockTimeoutMs = 1_000
// Each new job looks its queue up when it commits, and locks that row, which every other job locks too: a quarter of what a job
// costs PostgreSQL. A queue is there before its first job, and nobody deletes one.
const keys = ['q_fkey', 'dlq_fkey']
const looksUpItsQueue = `select 1 from pg_constraint where conrelid = '${schema}.job_common'::regclass and conname in ('${keys.join("', '")}')`
const dropKeys = `alter table ${schema}.job_common ${keys.map((key) => `drop constraint if exists ${key}`).join(', ')}`

/** The engine's view of a transaction of ours. */
const dbOf = (on: Queryable): Db => ({
  executeSql: async (text, values) => ({ rows: await on.query(text, values ?? []) }),
})

/** As {@link dbOf}, for the few statements of the engine that are worth preparing: each distinct text gets a name. */
const createPreparingDb = (): ((on: Queryable) => Db) => {
  const names = new Map<string, string>()
  return (on) => ({
    executeSql: async (text, values) => {
      const name = names.get(text) ?? `queue-${names.size}`
      names.set(text, name)
      return { rows: await on.query({ name, text }, values ?? []) }
    },
  })
}

const claimable = 'NOT j.blocked'

/** The engine's connection, with a condition more in its claim: it can leave out groups, of which an owner has any number. */
const withoutOwners = (db: Db, owners: readonly string[]): Db => ({
  executeSql: (text, values = []) => {
    if (!text.includes(claimable)) throw new Error('The claim of the engine is not the one that this was written for.')
    const condition = `${claimable} AND COALESCE(j.singleton_key, '') <> ALL($${values.length + 1}::text[])`
    return db.executeSql(text.replace(claimable, condition), [...values, [...owners]])
  },
})

// The engine hands its settings on to its pool, and its types do not know all of them.
const poolOptions: object = { onConnect }

/** What the engine keeps of a job. */
type JobData = Pick<Job, 'key' | 'owner' | 'group' | 'tag' | 'deferrals'>

/** What the queue needs. */
export interface PgBossQueueDeps {
  readonly database: EmbeddedDatabase | PostgresDatabase
  readonly log: Logger
  /** The name of the queue: lower-case letters and `_`. */
  readonly name: string
}

/** A queue on pg-boss, in the same database as everything else. */
export const createPgBossQueue = (deps: PgBossQueueDeps): Queue => {
  const { database, log, name } = deps
  const listeners = new Set<() => void>()
  const wakeLocally = () => {
    for (const listener of listeners) listener()
  }
  const boss = new PgBoss({
    schema,
    schedule: false,
    superviseIntervalSeconds: expiryCheckSeconds,
    monitorIntervalSeconds: expiryCheckSeconds,
    ...(database.kind === 'embedded'
      ? { db: fromPglite(database.pglite as never), backend: 'pglite' as const }
      : { connectionString: database.url, max: enginePoolSize, application_name: 'flowpost-queue', ...poolOptions }),
  })
  boss.on('error', (error) => log.warn({ err: error }, 'The queue had an error; it goes on.'))
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'The queue warns.'))

  const preparingDbOf = createPreparingDb()
  let stopListening: () => Promise<void> = async () => {}
  // One notification stands for all that were wanted since the one before it.
  let notifying = false
  let wanted = false
  const notifyOthers = async (): Promise<void> => {
    if (notifying) {
      wanted = true
      return
    }
    notifying = true
    do {
      wanted = false
      const pause = sleep(betweenNotificationsMs, undefined, { ref: false })
      await database.notify(wakeChannel, name).catch((error: unknown) => log.debug({ err: error }, 'No notification was sent.'))
      await pause
    } while (wanted)
    notifying = false
  }

  const insert = (jobs: readonly NewJob[], db: Db) =>
    boss.insert(
      name,
      jobs.map(({ key, owner, group, tag, priority = 0, runAt, deferrals = 0 }) => ({
        data: { key, owner, tag, group, deferrals } satisfies JobData,
        // Only a label: a queue of the standard policy keeps nothing apart by it.
        singletonKey: owner,
        group: { id: group },
        priority,
        ...(runAt ? { startAfter: runAt } : {}),
      })),
      { db },
    )

  // Who reads the table, as a backup does, is waited for, and everybody else waits behind that: not for long, and not to fail.
  const lookUpNothing = async (): Promise<void> => {
    if ((await database.query(looksUpItsQueue)).length === 0) return
    const dropping = database.transaction(async (transaction) => {
      await transaction.query(`set local lock_timeout = '${lockTimeoutMs}ms'`)
      await transaction.query(dropKeys)
    })
    await dropping.catch((error: unknown) =>
      log.warn({ err: error }, 'Keys of the queue could not be dropped; the next start tries again.'),
    )
  }

  return {
    start: async () => {
      await boss.start()
      await boss.createQueue(name, options)
      // The engine looks a queue up at its first use; within a transaction on the embedded database that would wait for itself.
      await boss.getQueue(name)
      await lookUpNothing()
      await boss.findJobs(name, { id: '00000000-0000-0000-0000-000000000000' })
      // Nobody else can hold work of an embedded database, so what is held was held by a process that died.
      if (database.kind === 'embedded') {
        const held = await database.query<{ id: string }>(`select id from ${schema}.job where name = $1 and state = 'active'`, [name])
        if (held.length > 0)
          await boss.fail(
            name,
            held.map(({ id }) => id),
          )
      } else {
        stopListening = await database.listen(wakeChannel, (payload) => payload === name && wakeLocally(), wakeLocally)
      }
    },
    stop: async () => {
      await stopListening()
      await boss.stop({ graceful: false, close: database.kind === 'postgres' })
    },
    enqueue: async (on, jobs) => {
      if (jobs.length > 0) await insert(jobs, dbOf(on))
    },
    // The engine offers its table to who adds jobs in bulk; its own statement for that costs as much again.
    insertFrom: (relation) => `insert into ${schema}.job (name, data, priority, start_after, keep_until, singleton_key, group_id,
        expire_seconds, retry_limit, retry_delay, policy)
      select '${name}', jsonb_build_object('key', key, 'owner', owner, 'group', "group", 'tag', tag, 'deferrals', 0), priority,
        coalesce(run_at, now()), coalesce(run_at, now()) + interval '${options.retentionSeconds} seconds', owner, "group",
        ${options.expireInSeconds}, ${options.retryLimit}, ${options.retryDelay}, '${options.policy}'
      from ${relation}`,
    wake: () => {
      wakeLocally()
      if (database.kind === 'postgres') void notifyOthers()
    },
    onWake: (listener) => void listeners.add(listener),
    claim: async (count, { groups, owners } = { groups: [], owners: [] }) => {
      const ignoreGroups = groups.length > 0 ? { ignoreGroups: [...groups] } : {}
      const db = owners.length > 0 ? { db: withoutOwners(boss.getDb(), owners) } : {}
      const jobs = await boss.fetch<JobData>(name, { batchSize: count, ...ignoreGroups, ...db })
      return jobs.map(({ id, retryCount, data }): Job => ({ id, retryCount, ...data }))
    },
    complete: async (on, jobs) => {
      if (jobs.length === 0) return
      // Not marked as done and kept: the engine removes those in one statement a day, and until then counts them all every few seconds.
      await boss.deleteJob(
        name,
        jobs.map(({ id, retryCount }) => ({ id, retryCount })),
        { db: preparingDbOf(on) },
      )
    },
    load: async () => {
      const rows = await database.query<Load & { owner: string }>(
        `select coalesce(singleton_key, '') as owner, (count(*) filter (where start_after <= now()))::int as due,
           (count(*) filter (where start_after > now()))::int as later
         from ${schema}.job where name = $1 and state < 'active' and not blocked group by 1`,
        [name],
      )
      return new Map(rows.map(({ owner, due, later }) => [owner, { due, later }]))
    },
    depth: async () => (await boss.getQueue(name))?.queuedCount ?? 0,
  }
}
