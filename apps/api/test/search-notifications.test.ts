import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstUuidOf } from '../src/shared/ids.ts'
import { onDatabase } from './support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

// The number of copied notifications: more than one request examines.
const copyCount = 5_000

let server: TestServer
let projectId: string
let failedId: string
let sentId: string
let openId: string
let digestCount: number | undefined
beforeAll(async () => {
  const first = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(first, { override_target: true })
  const slack = await addFlow(first, project.id, { source_type: 'slack', target: 'C024BE91L' })
  projectId = project.id
  const later = new Date(Date.now() + 86_400_000).toISOString()
  failedId = (await send(first, projectId, { target: 'Rare@EXAMPLE.com', reference: 'order-1', metadata: { b: '1', a: '2' } })).id
  sentId = (await send(first, projectId, { target: 'ops@example.com' })).id
  for (const id of [failedId, sentId]) await readCompleted(first, id)
  const chatId = (await send(first, projectId, { flow_id: slack.id })).id
  await readCompleted(first, chatId)
  await first.stop()
  await onDatabase(first.database, async (query) => {
    await query(`update deliveries set status = 'failed',
      failure = '{"kind": "target", "code": "550", "detail": "No such mailbox.", "retryable": false}' where target = 'Rare@EXAMPLE.com'`)
    await query(`update recipient_digests r set failure_kind = 'target', failure_code = '550' from deliveries d
      where d.id = r.delivery_id and d.target = 'Rare@EXAMPLE.com'`)
    // Many newer notifications, with another failure and other recipients.
    await query(`
      with models as (select n.id, n.user_id, n.project_id, d.flow_id, d.recipient_digest from notifications n
        join deliveries d on d.notification_id = n.id where d.target = 'ops@example.com'),
      copies as (
        insert into notifications (id, user_id, project_id, status, reference, created_at, settled_at)
        select ('ffffffff-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, user_id, project_id, 'failed', 'campaign', now(), now()
        from models, generate_series(1, ${copyCount}) number returning id
      ), created as (
        insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
          attempt_count, failure, recipient_digest, created_at)
        select c.id, c.id, m.user_id, m.project_id, m.flow_id, 'smtp', 'ops@example.com', 'failed', false, false, 1,
          '{"kind": "provider", "code": "451", "detail": "Later.", "retryable": true}', m.recipient_digest, now()
        from copies c, models m returning id, recipient_digest
      )
      insert into recipient_digests select recipient_digest, id, id, 'provider', '451' from created`)
    const [digests] = await query<{ count: number }>('select count(*)::int as count from recipient_digests where digest is not null')
    digestCount = digests?.count
  })
  server = await first.restart()
  openId = (await send(server, projectId, { target: 'rare@example.com', send_at: later })).id
})
afterAll(() => server?.[Symbol.asyncDispose]())

interface Page {
  readonly data: readonly { readonly id: string; readonly reference: string | null; readonly metadata: object }[]
  readonly next_cursor: string | null
}

const list = async (query: Readonly<Record<string, string>>): Promise<Page> => {
  const { status, json, text } = await server.request('GET', `/v1/notifications?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return json
}

const idsIn = async (query: Readonly<Record<string, string>>): Promise<string[]> => (await list(query)).data.map(({ id }) => id)

/** Reads all pages. Returns the ids of each page. */
const readPages = async (query: Readonly<Record<string, string>>): Promise<string[][]> => {
  const pages: string[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list(cursor === undefined ? query : { ...query, cursor })
    pages.push(page.data.map(({ id }) => id))
    cursor = page.next_cursor
  }
  return pages
}

describe('a search', () => {
  it('finds a reference, and returns it with the metadata in the order in which they were sent', async () => {
    const [found, ...others] = (await list({ reference: 'order-1' })).data
    expect([found?.id, others]).toEqual([failedId, []])
    expect([found?.reference, JSON.stringify(found?.metadata)]).toEqual(['order-1', '{"b":"1","a":"2"}'])
    expect(await idsIn({ reference: 'order-2' })).toEqual([])
  })

  it('finds completed and open deliveries to a recipient by its canonical form', async () => {
    expect(digestCount).toBe(copyCount + 3)
    expect((await list({ target: 'C024BE91L' })).data).toHaveLength(1)
    expect(await idsIn({ target: 'Rare@example.COM' })).toEqual([failedId])
    expect(await idsIn({ target: 'rare@Example.com' })).toEqual([openId])
    expect(await idsIn({ target: 'nobody@example.com' })).toEqual([])
  })

  it.each([
    { failure_code: '550' },
    { failure_kind: 'target' },
    { failure_code: '550', failure_kind: 'target' },
    { failure_code: '550', target: 'Rare@example.com' },
    { failure_kind: 'target', target: 'Rare@example.com' },
    { failure_code: '550', source_type: 'smtp' },
    { failure_kind: 'target', status: 'sent' },
    { reference: 'order-1', source_type: 'smtp', failure_code: '550' },
    { reference: 'order-1', target: 'Rare@example.com' },
  ])('finds one notification among thousands on the first page: $0', async (filters) => {
    const page = await list(filters as unknown as Record<string, string>)
    expect([page.data.map(({ id }) => id), page.next_cursor]).toEqual([[failedId], null])
  })

  it('finds failed deliveries to a recipient among thousands of other deliveries to it', async () => {
    const [page, ...others] = await readPages({ target: 'ops@example.com', failure_code: '550' })
    expect([page, others]).toEqual([[], []])
    expect((await list({ target: 'ops@example.com', failure_code: '451', limit: '7' })).data).toHaveLength(7)
  })

  it('requires one delivery to match all delivery filters', async () => {
    expect(await idsIn({ failure_code: '550', source_type: 'slack' })).toEqual([])
    expect(await idsIn({ failure_code: '550', failure_kind: 'provider' })).toEqual([])
  })

  it('returns empty pages with a cursor instead of examining everything, and finds the rest with that cursor', async () => {
    const pages = await readPages({ source_type: 'slack' })
    expect(pages.length).toBeGreaterThan(2)
    expect(pages[0]).toEqual([])
    expect(pages.flat()).toHaveLength(1)
    const ids: string[] = []
    for await (const { id } of server.client().notifications.list({ source_type: 'slack' })) ids.push(id)
    expect(ids).toEqual(pages.flat())
  })

  it('pages through many matches without gaps', async () => {
    const pages = await readPages({ reference: 'campaign', failure_kind: 'provider', limit: '1000' })
    expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000].map((length) => Math.min(length, 1_000)))
    expect(new Set(pages.flat()).size).toBe(copyCount)
    expect(pages.flat()).toEqual([...pages.flat()].sort().reverse())
  })

  it('compares times with the time of acceptance to the millisecond', async () => {
    const { json } = await server.request('GET', `/v1/notifications/${sentId}`)
    const createdMs = Date.parse(json.created_at)
    const at = (ms: number) => new Date(createdMs + ms).toISOString()
    const ids = (filters: Record<string, string>) => idsIn({ target: 'ops@example.com', status: 'sent', ...filters })
    expect(await ids({ created_after: at(0), created_before: at(1) })).toEqual([sentId])
    expect(await ids({ created_before: at(0) })).toEqual([])
    expect(await ids({ created_after: at(1) })).toEqual([])
    expect(firstUuidOf(new Date(createdMs)) < firstUuidOf(new Date(createdMs + 1))).toBe(true)
  })
})
