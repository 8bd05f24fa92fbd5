import { expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const flows = 1_000_000
const pageSize = 100
const rounds = 100

interface Page {
  readonly data: readonly { readonly name: string }[]
  readonly next_cursor: string | null
}

/** As many flows of a project as are told, of ids that ascend from long ago. */
const fill = `insert into flows (id, project_id, name, active, source_type, target, override_target, message_template,
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

/** The cursor of a page, by reading all before it. */
const cursorAfter = async (server: TestServer, path: string, rows: number): Promise<string> => {
  let cursor = ''
  for (let left = rows; left > 0; ) {
    const limit = Math.min(1000, left)
    const { page } = await get(server, `${path}?limit=${limit}${cursor}`)
    expect(page.data).toHaveLength(limit)
    cursor = `&cursor=${page.next_cursor}`
    left -= limit
  }
  return cursor
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

it(`page ${flows / pageSize} of ${flows} flows costs what page 1 costs`, async () => {
  const first = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(first)
  await first.stop()
  await onDatabase(first.database, async (query) => {
    for (let from = 1; from < flows; from += 50_000) await query(fill, [from, Math.min(from + 49_999, flows - 1)])
  })
  await using server = await first.restart()
  const path = `/v1/settings/projects/${project.id}/flows`
  const cursor = await cursorAfter(server, path, flows - pageSize)
  const times = { first: [] as number[], last: [] as number[], long: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const head = await get(server, `${path}?limit=${pageSize}`)
    expect(head.page.data[0]?.name).toBe('flow 1')
    times.first.push(head.ms)
    const tail = await get(server, `${path}?limit=${pageSize}${cursor}`)
    expect(tail.page.data).toHaveLength(pageSize)
    expect([tail.page.data.at(-1)?.name, tail.page.next_cursor]).toEqual(['Operations', null])
    times.last.push(tail.ms)
    if (round % 10 === 0) times.long.push((await get(server, `${path}?limit=1000`)).ms)
  }
  const [one, tenThousandth, long] = [median(times.first), median(times.last), median(times.long)]
  console.log(
    `page 1: ${one.toFixed(2)} ms, page ${flows / pageSize}: ${tenThousandth.toFixed(2)} ms, page 1 of 1,000: ${long.toFixed(2)} ms (medians)`,
  )
  expect(tenThousandth / one).toBeLessThan(2)
  // Ten times as many rows, and not a sort of all that there are, which takes a second.
  expect(long / one).toBeLessThan(30)
})
