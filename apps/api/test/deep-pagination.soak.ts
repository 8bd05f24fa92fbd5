import { expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const flowCount = 1_000_000
const pageSize = 100
const rounds = 100

interface Page {
  readonly data: readonly { readonly name: string }[]
  readonly next_cursor: string | null
}

/** Inserts flows into a project. Their ids are in ascending order, and sort before every id that the server has created. */
const insertFlows = `insert into flows (id, project_id, name, active, source_type, target, override_target, message_template,
    message_template_type, created_at, updated_at)
  select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7000-8000-000000000000')::uuid, f.project_id, 'flow ' || n, true,
    f.source_type, f.target, false, f.message_template, f.message_template_type, f.created_at, f.updated_at
  from flows f, generate_series($1::int, $2::int) n, lateral (select lpad(to_hex(n), 12, '0') as h) as hex
  where f.name = 'Operations'`

const get = async (server: TestServer, path: string): Promise<{ page: Page; ms: number }> => {
  const startedMs = performance.now()
  const { status, json } = await server.request('GET', path)
  const ms = performance.now() - startedMs
  expect(status).toBe(200)
  return { page: json, ms }
}

/** Reads `rows` rows, and returns the cursor for the page after them. */
const cursorAfter = async (server: TestServer, path: string, rows: number): Promise<string> => {
  let cursor = ''
  for (let remaining = rows; remaining > 0; ) {
    const limit = Math.min(1000, remaining)
    const { page } = await get(server, `${path}?limit=${limit}${cursor}`)
    expect(page.data).toHaveLength(limit)
    cursor = `&cursor=${page.next_cursor}`
    remaining -= limit
  }
  return cursor
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

it(`reads page ${flowCount / pageSize} of ${flowCount} flows in less than twice the time of page 1`, async () => {
  const first = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(first)
  await first.stop()
  await onDatabase(first.database, async (query) => {
    for (let from = 1; from < flowCount; from += 50_000) await query(insertFlows, [from, Math.min(from + 49_999, flowCount - 1)])
  })
  await using server = await first.restart()
  const path = `/v1/settings/projects/${project.id}/flows`
  const cursor = await cursorAfter(server, path, flowCount - pageSize)
  const timesMs = { first: [] as number[], last: [] as number[], long: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const head = await get(server, `${path}?limit=${pageSize}`)
    expect(head.page.data[0]?.name).toBe('flow 1')
    timesMs.first.push(head.ms)
    const tail = await get(server, `${path}?limit=${pageSize}${cursor}`)
    expect(tail.page.data).toHaveLength(pageSize)
    expect([tail.page.data.at(-1)?.name, tail.page.next_cursor]).toEqual(['Operations', null])
    timesMs.last.push(tail.ms)
    if (round % 10 === 0) timesMs.long.push((await get(server, `${path}?limit=1000`)).ms)
  }
  const [one, tenThousandth, long] = [median(timesMs.first), median(timesMs.last), median(timesMs.long)]
  console.log(
    `page 1: ${one.toFixed(2)} ms, page ${flowCount / pageSize}: ${tenThousandth.toFixed(2)} ms, page 1 of 1,000: ${long.toFixed(2)} ms (medians)`,
  )
  expect(tenThousandth / one).toBeLessThan(2)
  // The long page has ten times as many rows. Sorting all flows would take a second.
  expect(long / one).toBeLessThan(30)
})
