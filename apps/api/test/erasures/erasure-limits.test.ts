import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database, Queryable } from '../../src/database/database.ts'
import { eraseCaptured } from '../../src/features/erasures/erase-captured.ts'
import { eraseEvents } from '../../src/features/erasures/erase-events.ts'
import { eraseHistory } from '../../src/features/erasures/erase-history.ts'
import { eraseLog } from '../../src/features/erasures/erase-log.ts'
import { eraseResponses } from '../../src/features/erasures/erase-responses.ts'
import { eraseSettings } from '../../src/features/erasures/erase-settings.ts'
import type { EraseStep } from '../../src/features/erasures/erasure-area.ts'
import { lowestUuid } from '../../src/shared/ids.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createFlow, send } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { erasedPerson, erasureDeps } from './erased-person.ts'

const address = 'bob.person@example.com'
const textBytes = 1_000_000
const maxStepBytes = 8 * 1_048_576
const text = `To ${address}: ${'x'.repeat(textBytes - 50)}`

let server: TestServer
let database: Database

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(server, { override_target: true })
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  const sendMany = (count: number, target: string) =>
    Promise.all(Array.from({ length: count }, () => send(server, project.id, { send_at, target })))
  await sendMany(10, 'one@example.com;other@example.com')
  await sendMany(22, Array.from({ length: 100 }, (_, number) => `person${number}@example.com`).join(';'))
  await server.stop()
  database = await openTestDatabase(server.database)
  await database.query(
    `update message_bodies set content = json_build_object('text', $1::text)
     where delivery_id in (select id from deliveries where target in ('one@example.com', 'other@example.com'))`,
    [text],
  )
})
afterAll(async () => {
  await database?.close()
  await server?.[Symbol.asyncDispose]()
})

/**
 * Erases the recipient from one area of the database, such as the stored events. Returns, for each step, the maximum number of
 * rows and the maximum number of bytes in one query result.
 */
const eraseArea = async (step: EraseStep): Promise<{ rows: number; bytes: number }[]> => {
  const steps: { rows: number; bytes: number }[] = []
  const person = erasedPerson(address)
  let position: string | null = null
  do {
    const largest = { rows: 0, bytes: 0 }
    position = await database.transaction(async (transaction) => {
      const query: Queryable['query'] = async <Row extends object>(...statement: Parameters<Queryable['query']>) => {
        const result = await transaction.query<Row>(...statement)
        largest.rows = Math.max(largest.rows, result.length)
        largest.bytes = Math.max(largest.bytes, JSON.stringify(result).length)
        return result
      }
      return (await step({ ...transaction, query }, erasureDeps, person, position)).next
    })
    steps.push(largest)
  } while (position !== null)
  return steps
}

const countMentions = async (texts: string): Promise<number> => {
  const [row] = await database.query<{ count: number }>(`select count(*)::int as count from (${texts}) t where text like '%bob.person@%'`)
  return row?.count ?? -1
}

describe('a step of an erasure of the log', () => {
  it('examines a limited number of deliveries and bytes, and reads one message at a time', async () => {
    const steps = await eraseArea(eraseLog)
    // A step ends once it has examined 8 MiB or 2,048 deliveries, but it completes its last notification. The first ten
    // notifications have 2 MB and two deliveries each, so a step examines five of them. The other 22 have 100 deliveries each,
    // so a step examines at most 21 of them.
    expect(steps.map(({ rows }) => rows)).toEqual([10, 10, 2_100, 100])
    for (const { bytes } of steps) expect(bytes).toBeLessThan(1.2 * textBytes)
    expect(await countMentions('select content::text as text from message_bodies')).toBe(0)
  })
})

describe('a step of an erasure', () => {
  it.each([
    [
      'events',
      eraseEvents,
      `insert into events (id, position, user_id, project_id, type, created_at, data)
       select gen_random_uuid(), number, 'alice', gen_random_uuid(), 'delivery.sent', now(), $1 from generate_series(1, 12) as number`,
      'select data as text from events',
    ],
    [
      'stored responses',
      eraseResponses,
      `insert into idempotency_keys (user_id, operation, key, fingerprint, status, headers, body, created_at)
       select 'alice', 'notifications.send', number::text, '', 202, '{}', $1, now() from generate_series(1, 12) as number`,
      'select body as text from idempotency_keys',
    ],
    [
      'the settings history',
      eraseHistory,
      `insert into settings_history (id, user_id, project_id, kind, action, resource_id, changed_at, request_id, fields, before, resource_created_at)
       select gen_random_uuid(), 'alice', gen_random_uuid(), 'flow', 'delete', gen_random_uuid(), now(), 'a', '{}', $1, now() from generate_series(1, 12) as number`,
      'select before as text from settings_history',
    ],
    [
      'captured messages',
      eraseCaptured,
      `insert into captured_messages (delivery_id, user_id, notification_id, project_id, flow_id, source_type, kind, target, subject, headers, raw, captured_at)
       select gen_random_uuid(), 'alice', '${lowestUuid}', gen_random_uuid(), gen_random_uuid(), 'smtp', 'email', 'a@example.com', '', '[]', $1, now()
       from generate_series(1, 12) as number`,
      'select raw as text from captured_messages',
    ],
  ] as const)('reads a limited number of bytes of %s', async (_, step, insert, texts) => {
    await database.query(insert, [JSON.stringify({ text })])
    const steps = await eraseArea(step)
    expect(steps).toHaveLength(3)
    for (const { bytes } of steps) expect(bytes).toBeLessThan(1.1 * (maxStepBytes + textBytes))
    expect(await countMentions(texts)).toBe(0)
  })

  it('changes a limited number of flows', async () => {
    await database.query(
      `insert into flows select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'health_detail', $1::text))).*
       from flows f cross join generate_series(1, 600)`,
      [`550 <${address}> is unknown`],
    )
    expect((await eraseArea(eraseSettings)).map(({ rows }) => rows)).toEqual([500, 100])
    expect(await countMentions('select health_detail as text from flows')).toBe(0)
  })

  it('does not write rows in which nothing changes', async () => {
    const other = `jim.${address}`
    await database.query('update flows set health_detail = $1', [other])
    await database.query('update settings_history set before = $1', [JSON.stringify({ target: other })])
    const versions = () => database.query('select ctid::text from flows union all select ctid::text from settings_history')
    const before = await versions()
    for (const step of [eraseSettings, eraseHistory]) await eraseArea(step)
    expect(await versions()).toEqual(before)
  })
})
