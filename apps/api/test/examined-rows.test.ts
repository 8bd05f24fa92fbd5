import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../src/auth/principal.ts'
import { type Database, type Queryable, textOf } from '../src/database/database.ts'
import { readPastFlow } from '../src/features/flows/past-flow.ts'
import { listNotifications } from '../src/features/notifications/list-notifications.ts'
import { listHistory } from '../src/features/settings-history/list-history.ts'
import { systemClock } from '../src/shared/clock.ts'
import { fromId, type Uuid } from '../src/shared/ids.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createFlow, send } from './support/resources.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { testRecipients } from './support/test-recipients.ts'
import { startTestServer } from './support/test-server.ts'

const copies = 1_000
// An owner, a row that shows who owns it, and the few rows of a result.
const maxExamined = 10

let testDatabase: TestDatabase
let database: Database
let project: { id: string; created_at: string }
let flow: { id: string; project_id: string; updated_at: string }
let middle: string

const principalOf = (userId: string): Principal => ({ userId, scopes: [], mode: 'live', credentialId: userId, rateLimitKey: userId })
const bob = principalOf('bob')

/** Copies a row of a table. `fields` is an SQL expression for a JSON object with the fields that differ. `g` is the copy's number. */
const copyRow = (table: string, condition: string, fields: string) =>
  database.query(
    `insert into ${table} select (jsonb_populate_record(t, ${fields})).*
     from ${table} t, generate_series(1, ${copies}) g where t.id = (select id from ${table} where ${condition} limit 1)`,
  )

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const server = await startTestServer({ database: testDatabase })
  const created = await createFlow(server)
  project = created.project
  flow = created.flow
  await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await server.stop()
  database = await openTestDatabase(testDatabase)
  const otherProject = `'project_id', '01900000-0000-7000-8000-000000000001', 'user_id', 'bob'`
  for (const owner of ['', `, ${otherProject}`]) {
    await copyRow('notifications', 'true', `jsonb_build_object('id', gen_random_uuid()${owner})`)
    const flowId = owner === '' ? '' : `, 'flow_id', '01900000-0000-7000-8000-000000000002'`
    await copyRow(
      'deliveries',
      'true',
      `jsonb_build_object('id', gen_random_uuid(), 'notification_id', gen_random_uuid()${owner}${flowId})`,
    )
    const resource = owner === '' ? '' : `, 'resource_id', '01900000-0000-7000-8000-000000000002'`
    // The changes of the last 1,000 seconds.
    await copyRow(
      'settings_history',
      `kind = 'flow'`,
      `jsonb_build_object('id', overlay(gen_random_uuid()::text placing
         regexp_replace(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - g * 1000), 12, '0'), '(.{8})', '\\1-') from 1 for 13),
         'action', 'update', 'before', t.after, 'previous_updated_at', t.resource_created_at${owner}${resource})`,
    )
  }
  await database.query(`update settings_history_start set at = now() - interval '1 hour'`)
  await database.query('analyze')
  middle = new Date(Date.now() - (copies / 2) * 1_000).toISOString()
})
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Returns the number of rows and index entries that a plan has read. */
const countRows = (node: PlanNode): number => {
  const isScan = node['Relation Name'] !== undefined || node['Index Name'] !== undefined
  const rows = isScan ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0
  return rows * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, child) => sum + countRows(child), 0)
}

/** Returns the number of rows that the statements of `work` read from tables, and the error of `work`, if any. */
const examine = async (work: (on: Queryable) => Promise<unknown>): Promise<{ rows: number; error: unknown }> => {
  let rows = 0
  const on: Queryable = {
    query: async (statement, values) => {
      const [plan] = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, timing off, format json) ${textOf(statement)}`,
        values,
      )
      if (!plan) throw new Error('PostgreSQL returned no plan.')
      rows += countRows(plan['QUERY PLAN'][0].Plan)
      return database.query(statement, values)
    },
  }
  const error = await work(on).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { rows, error }
}

const search = (principal: Principal, filters: object) => (on: Queryable) =>
  listNotifications(on, { recipients: testRecipients }, principal, filters, { count: 2, before: undefined })
const past = (principal: Principal, at: string) => (on: Queryable) =>
  readPastFlow(
    { database: { ...database, ...on }, clock: systemClock, channels: { get: () => undefined, ids: [] } as never },
    principal,
    { project_id: flow.project_id, flow_id: flow.id },
    at,
  )

describe("a request that names another user's resource examines few rows", () => {
  it('when it filters notifications by project', async () => {
    const { rows, error } = await examine(search(bob, { project_id: project.id }))
    expect(error).toMatchObject({ code: 'not_found' })
    expect(rows).toBeLessThan(maxExamined)
  })

  it('when it filters notifications by flow', async () => {
    const { rows, error } = await examine(search(bob, { flow_id: flow.id }))
    expect(error).toMatchObject({ code: 'not_found' })
    expect(rows).toBeLessThan(maxExamined)
  })

  it('when a credential for one project filters notifications by the flow of another project', async () => {
    const bound = { ...principalOf('alice'), projectId: '01900000-0000-7000-8000-000000000003' }
    const { rows, error } = await examine(search(bound, { flow_id: flow.id }))
    expect(error).toMatchObject({ code: 'not_found' })
    expect(rows).toBeLessThan(maxExamined)
  })

  it('when it filters the settings history by project', async () => {
    const projectId = fromId('project', project.id) as Uuid
    const { rows } = await examine(async (on) => {
      expect(await listHistory(on, { userId: 'bob', projectId, count: 2, before: undefined })).toEqual({ rows: [], examinedTo: undefined })
    })
    expect(rows).toBeLessThan(maxExamined)
  })

  it('when it reads a past version of a flow', async () => {
    const { rows, error } = await examine(past(bob, middle))
    expect(error).toMatchObject({ code: 'not_found' })
    expect(rows).toBeLessThan(maxExamined)
  })
})

it('a page of the settings history examines the rows of the page', async () => {
  const projectId = fromId('project', project.id) as Uuid
  const { rows } = await examine(async (on) => {
    expect((await listHistory(on, { userId: 'alice', projectId, count: 2, before: undefined })).rows).toHaveLength(2)
  })
  expect(rows).toBeLessThan(maxExamined)
})

it('a past version of a flow with many changes examines only the changes around that time', async () => {
  const { rows, error } = await examine(past(principalOf('alice'), middle))
  expect(error).toBeUndefined()
  expect(rows).toBeLessThan(maxExamined)
})
