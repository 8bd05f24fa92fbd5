import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Database, NamedStatement, Queryable } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { recordOutcomes } from '../src/features/delivery/attempts/record-outcomes.ts'
import { startAttempts } from '../src/features/delivery/attempts/start-attempts.ts'
import { createQueue } from '../src/features/delivery/queue/queue.ts'
import { throttle } from '../src/features/delivery/throttle/throttle.ts'
import { hasEventsAfter, readEvents } from '../src/features/events/event.queries.ts'
import { feedStart } from '../src/features/events/position.ts'
import { claimEndpoints } from '../src/features/events/push/claim-endpoints.ts'
import { logAttempt, recordDelivered, recordFailed, releaseEndpoint } from '../src/features/events/push/record-push.ts'
import { getNotification } from '../src/features/notifications/notification.queries.ts'
import { withDeliveries } from '../src/features/notifications/read-notification.ts'
import { storeNotifications } from '../src/features/notifications/store-notifications.ts'
import { readFlowStates } from '../src/features/settings-history/flow-states.ts'
import { listHistory } from '../src/features/settings-history/list-history.ts'
import { systemClock } from '../src/shared/clock.ts'
import { createEndpoint, eventEnv } from './support/event-endpoints.ts'
import { createFlow, send } from './support/resources.ts'
import { createTestDatabase } from './support/test-database.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'
import { startTestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })

/** Wraps a database so that it collects its named statements. */
const collectStatements = (database: Database): { database: Database; statements: ReadonlyMap<string, NamedStatement> } => {
  const statements = new Map<string, NamedStatement>()
  const collectingQuery = (on: Queryable): Queryable['query'] => {
    return (statement, values) => {
      if (typeof statement !== 'string') statements.set(statement.name, statement)
      return on.query(statement, values)
    }
  }
  const transaction: Database['transaction'] = (work) => database.transaction((inner) => work({ ...inner, query: collectingQuery(inner) }))
  return { database: { ...database, query: collectingQuery(database), transaction }, statements }
}

/** Returns the first column or expression of each index, keyed by the name of the index. */
const firstColumns = async (on: Queryable): Promise<ReadonlyMap<string, string>> => {
  const rows = await on.query<{ name: string; first: string }>(
    'select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid, 1, true) as first from pg_index',
  )
  return new Map(rows.map(({ name, first }) => [name, first]))
}

/**
 * Returns the table scans in a statement's generic plan. A scan without a condition on an index ends with `, whole`. A scan
 * whose condition does not restrict the first column of the index ends with `, whole index`.
 */
const scansOf = async (on: Queryable, { name, text }: NamedStatement): Promise<string[]> => {
  const first = await firstColumns(on)
  const parameters = new Set(text.match(/\$\d+/g)).size
  await on.query(`prepare "generic ${name}" as ${text}`)
  const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'null').join()})`
  const rows = await on.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute "generic ${name}"${values}`)
  await on.query(`deallocate "generic ${name}"`)
  const lines = rows.map((row) => row['QUERY PLAN'])
  return lines.flatMap((line, number) => {
    const [, scan, index, target] = line.match(/((?:\w+ )*Scan (?:Backward )?(?:using (\w+) )?on (\w+))/) ?? []
    // Intermediate results are always read completely, and a bitmap heap scan has a bitmap index scan below it.
    if (scan === undefined || /^(CTE|Function|Subquery|Bitmap Heap) Scan/.test(scan)) return []
    const column = first.get(index ?? target ?? '')
    const [, condition] = lines[number + 1]?.match(/Index Cond: (.*)/) ?? []
    // `id` must not match a condition on `notification_id`.
    const isRestricted =
      column !== undefined && ` ${condition?.replaceAll(/[().]/g, ' ')}`.includes(` ${column.replaceAll(/[().]/g, ' ')} `)
    return [`${name}: ${scan}${condition === undefined ? ', whole' : isRestricted ? '' : ', whole index'}`]
  })
}

it('the statements for a message use an index even if they were planned on nearly empty tables', async () => {
  await using server = await startTestServer({
    database: await createTestDatabase(),
    env: { ...eventEnv, FLOWPOST_CAPTURE: 'off', FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9', FLOWPOST_EMAIL_FROM: 'a@example.com' },
  })
  const { project } = await createFlow(server)
  await createEndpoint(server, project.id)
  const { id } = await send(server, project.id)
  await server.stop()
  const { url, dataDir } = server.database
  const opened = url === undefined ? await openEmbedded({ entities, dataDir }) : await openPostgres({ entities, url, poolSize: 2, log })
  const { database, statements } = collectStatements(opened)
  const queue = createQueue({ database, log })
  await queue.start()
  try {
    const principal = { userId: 'alice', scopes: [], mode: 'live' as const, credentialId: 'key', rateLimitKey: 'key' }
    await opened.query(`update deliveries set status = 'queued', next_attempt_at = null`)
    await opened.query(
      `insert into delivery_jobs (delivery_id, user_id, project_id, source_type, due_at)
       select id, user_id, project_id, source_type, now() from deliveries on conflict (delivery_id) do update set due_at = now()`,
    )
    const jobs = await queue.claim(1, { projectIds: [], userIds: [] })
    await queue.renew(jobs)
    await queue.reschedule(jobs.map((job) => ({ job, delayMs: 0 })))
    await queue.release(jobs)
    await throttle(
      {
        database,
        clock: systemClock,
        breakers: { anyOpen: () => true },
        registry: { get: () => undefined },
        credentials: { find: async () => undefined },
      } as never,
      jobs,
    )
    const { started } = await startAttempts(database, systemClock, jobs, 1)
    const [attempt] = started
    if (!attempt) throw new Error('No attempt was started.')
    const outcome = { status: 'sent', kind: 'email', providerMessageId: null, response: '250 OK' } as const
    await recordOutcomes({ database, clock: systemClock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }, [
      { attempt, durationMs: 1, outcome },
    ])
    const facts = [
      { type: 'delivery.sent', projectId: attempt.project_id, notificationId: attempt.notification_id, deliveryId: attempt.id },
      { type: 'notification.settled', projectId: attempt.project_id, notificationId: attempt.notification_id },
      { type: 'flow.healthy', projectId: attempt.project_id, flowId: attempt.flow_id },
    ] as const
    await database.transaction((transaction) => recordTestEvents(transaction, facts))
    for (const projectIds of [null, [attempt.project_id]])
      await claimEndpoints(database, { limits: { healthy: 1, unknown: 1, failing: 1 }, projectIds })
    for (const owner of [{ userId: 'alice' }, { projectId: attempt.project_id }]) {
      await readEvents(database, { owner, types: ['delivery.sent'], after: feedStart, limit: 1 })
      await hasEventsAfter(database, owner, feedStart)
    }
    const result = { outcome: 'failed', status: null, code: null, detail: null, duration_ms: 1, created_at: new Date() }
    const push = { id: attempt.id, event_id: attempt.id, type: 'test.ping', ...result }
    const claim = { id: attempt.id, claim: 1 }
    await logAttempt(database, claim.id, push)
    await recordDelivered(database, claim, push, feedStart)
    await recordFailed(database, claim, push, { to: feedStart, failures: 1, delayMs: null })
    await releaseEndpoint(database, claim, feedStart)
    await listHistory(database, { userId: attempt.user_id, projectId: undefined, count: 1, before: undefined })
    await listHistory(database, { userId: attempt.user_id, projectId: attempt.project_id, count: 1, before: undefined })
    await readFlowStates(database, attempt.user_id, attempt.project_id, new Date())
    await queue.complete(jobs)
    await queue.enqueue(database, [{ ...(jobs[0] as (typeof jobs)[number]), priority: 0 }])
    await storeNotifications(database, [], new Date())
    await withDeliveries(database, [await getNotification(database, { ...principal, userId: attempt.user_id }, id)])

    const names = [...statements.keys()].filter((name) => !['notify-completed', 'notify-events', 'enqueue'].includes(name))
    for (const statistics of ['none', 'one row per table']) {
      if (statistics !== 'none') await opened.query('analyze')
      const scans = await opened.transaction(async (session) => {
        await session.query('set local plan_cache_mode = force_generic_plan')
        const found: string[] = []
        for (const statement of statements.values()) found.push(...(await scansOf(session, statement)))
        return found
      })
      // Polling examines every endpoint that can receive events.
      const isAllowed = (scan: string) => /^claim-event-endpoints: .*\bevent_endpoints/.test(scan)
      // After `analyze`, PostgreSQL knows that a table has one row, so it may read a whole index at no cost. This is allowed:
      // when the table grows, PostgreSQL updates the statistics and chooses another plan.
      const isWhole = statistics === 'none' ? /whole|Seq Scan/ : /whole$|Seq Scan/
      expect({ statistics, whole: scans.filter((scan) => isWhole.test(scan) && !isAllowed(scan)) }).toEqual({
        statistics,
        whole: [],
      })
      expect(new Set(scans.map((scan) => scan.split(':')[0]))).toEqual(new Set(names))
    }
  } finally {
    await queue.stop()
    await opened.close()
  }
})
