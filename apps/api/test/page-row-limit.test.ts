import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const copyCount = 40
const attemptCount = 30

let server: TestServer
/** The id of a notification whose only delivery has 250 attempts. */
let manyAttempts: string
/** The id of a notification with 150 deliveries. */
let manyDeliveries: string
beforeAll(async () => {
  const first = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(first)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  for (let count = 0; count < 2; count += 1) await send(first, project.id, { send_at: tomorrow })
  await first.stop()
  // The first of the two notifications is copied and gets many attempts. The second one gets many deliveries.
  await onDatabase(first.database, async (query) => {
    await query(`
      with models as (select id, row_number() over (order by id) as number from notifications),
      copies as (
        insert into notifications select gen_random_uuid(), user_id, project_id, 'failed', created_at, created_at
        from notifications, generate_series(1, ${copyCount}) where id = (select id from models where number = 1) returning id
      ),
      parents as (select id, 40 as deliveries, 3 as attempts from copies union all select id, 150, ${attemptCount} from models where number = 2),
      created as (
        insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
          attempt_count, created_at)
        select gen_random_uuid(), p.id, d.user_id, d.project_id, d.flow_id, d.source_type, d.target, 'failed', false, false, p.attempts, d.created_at
        from parents p, generate_series(1, p.deliveries),
          (select * from deliveries where notification_id = (select id from models where number = 1)) d
        returning id, attempt_count, created_at
      ),
      busy as (
        update deliveries set attempt_count = 250, status = 'failed' where notification_id = (select id from models where number = 1)
        returning id, attempt_count, created_at
      ),
      removed as (delete from deliveries where notification_id = (select id from models where number = 2))
      insert into attempts select gen_random_uuid(), d.id, n, d.created_at, 1, 'failed', 'no'
      from (select * from created union all select * from busy) d, lateral generate_series(1, d.attempt_count) n`)
  })
  server = await first.restart()
  const firstPage = await server.client().notifications.list({ limit: 1000 }).withResponse()
  expect(firstPage.data.next_cursor).not.toBeNull()
  const pages = await readPages('/v1/notifications?limit=1000')
  const deliveryCounts = await Promise.all(
    pages.flat().map(async ({ id }) => [id, (await server.request('GET', `/v1/notifications/${id}`)).json.deliveries.length] as const),
  )
  manyAttempts = deliveryCounts.find(([, count]) => count === 1)?.[0] ?? ''
  manyDeliveries = deliveryCounts.find(([, count]) => count === 100)?.[0] ?? ''
})
afterAll(() => server[Symbol.asyncDispose]())

interface Delivery {
  readonly attempts: readonly { readonly number: number }[]
}
interface Resource extends Delivery {
  readonly id: string
  readonly deliveries?: readonly Delivery[]
}

const readPages = async (path: string): Promise<Resource[][]> => {
  const pages: Resource[][] = []
  for (let cursor = ''; ; ) {
    const { json } = await server.request('GET', path + cursor)
    pages.push(json.data)
    if (json.next_cursor === null) return pages
    cursor = `&cursor=${json.next_cursor}`
  }
}

const rowsOf = (deliveries: readonly Delivery[]): number => deliveries.reduce((sum, { attempts }) => sum + 1 + attempts.length, 0)
/** Returns `count` consecutive numbers that end with `last`. */
const lastNumbers = (last: number, count: number) => Array.from({ length: count }, (_, index) => last - count + 1 + index)

it('limits a page of notifications to 2,000 embedded deliveries and attempts, and omits no notification', async () => {
  const pages = await readPages('/v1/notifications?limit=1000')
  const ids = pages.flat().map(({ id }) => id)

  expect(new Set(ids).size).toBe(copyCount + 2)
  expect(ids).toHaveLength(copyCount + 2)
  expect(ids).toEqual([...ids].sort().reverse())
  for (const page of pages) {
    expect(page.length).toBeGreaterThan(0)
    const rows = page.reduce((sum, { deliveries = [] }) => sum + rowsOf(deliveries), 0)
    expect(page.length === 1 || rows <= 2_000, `${page.length} with ${rows}`).toBe(true)
  }
  // Each copy has 160 rows (40 deliveries with 3 attempts each), so 12 copies fit on a page of 2,000 rows.
  expect(Math.max(...pages.map(({ length }) => length))).toBeGreaterThanOrEqual(12)
  expect((await readPages('/v1/notifications?limit=5')).flat().map(({ id }) => id)).toEqual(ids)
})

it('the SDK reads all notifications although the pages are short', async () => {
  const ids: string[] = []
  for await (const { id } of server.client().notifications.list({ limit: 1000 })) ids.push(id)

  expect(new Set(ids).size).toBe(copyCount + 2)
})

it('a notification embeds its first 100 deliveries with their latest 20 attempts', async () => {
  const { json } = await server.request('GET', `/v1/notifications/${manyDeliveries}`)
  expect(json.deliveries).toHaveLength(100)
  for (const { attempts } of json.deliveries as Delivery[])
    expect(attempts.map(({ number }) => number)).toEqual(lastNumbers(attemptCount, 20))

  const busy = (await server.request('GET', `/v1/notifications/${manyAttempts}`)).json.deliveries[0]
  expect(busy.attempts.map(({ number }: { number: number }) => number)).toEqual(lastNumbers(250, 20))
  expect(busy.attempt_count).toBe(250)
})

it('limits a page of deliveries to 2,000 deliveries and attempts, with the latest 100 attempts of each delivery', async () => {
  const pages = await readPages(`/v1/notifications/${manyDeliveries}/deliveries?limit=1000`)
  expect(pages.map(({ length }) => length)).toEqual([64, 64, 22])
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(150)

  const [[busy] = []] = await readPages(`/v1/notifications/${manyAttempts}/deliveries?limit=1000`)
  expect(busy?.attempts.map(({ number }) => number)).toEqual(lastNumbers(250, 100))
})
