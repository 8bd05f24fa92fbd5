import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
})
afterAll(() => server[Symbol.asyncDispose]())

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next_cursor: string | null
}

const projects = '/v1/settings/projects'
const createProject = async (name: string, key?: string): Promise<string> =>
  (await server.request('POST', projects, { json: { name }, ...(key === undefined ? {} : { key }) })).json.id
const addFlow = async (project: string, name: string): Promise<string> =>
  (await server.request('POST', `${projects}/${project}/flows`, { json: { name, source_type: 'smtp', target: 'ops@example.com' } })).json.id

/** Reads all pages, and calls `afterPage` with the number of pages read so far. */
const readAll = async (path: string, limit: number, afterPage: (pages: number) => Promise<void> = async () => {}): Promise<Page[]> => {
  const pages: Page[] = []
  let cursor: string | null = null
  do {
    const { json, status }: { json: Page; status: number } = await server.request(
      'GET',
      `${path}?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    expect(status).toBe(200)
    pages.push(json)
    cursor = json.next_cursor
    await afterPage(pages.length)
  } while (cursor !== null)
  return pages
}
const idsOf = (pages: readonly Page[]) => pages.flatMap(({ data }) => data.map(({ id }) => id))

/** Runs `count` tasks, at most `concurrency` at a time. */
const runConcurrently = async <T>(count: number, concurrency: number, task: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = []
  let next = 0
  const work = async () => {
    while (next < count) {
      const index = next
      next += 1
      results[index] = await task(index)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return results
}

describe('a list', () => {
  it('omits and repeats no row while others are created and deleted', async () => {
    const project = await createProject('many')
    const ids = await runConcurrently(180, 10, (index) => addFlow(project, `flow ${index}`))
    const deleted = new Set<string>()
    let inserted = 0
    const pages = await readAll(`${projects}/${project}/flows`, 3, async (page) => {
      if (page % 2 !== 0) return
      // Picks a row that was read long ago, one that was just read, one on the next page, and one far ahead.
      const picked = new Set([page, 3 * page - 1, 3 * page + 1, 179 - page].map((index) => ids[index]))
      for (const id of picked) {
        if (id === undefined || deleted.has(id)) continue
        deleted.add(id)
        expect((await server.request('DELETE', `${projects}/${project}/flows/${id}`)).status).toBe(204)
      }
      await addFlow(project, `late ${page}`)
      inserted += 1
    })
    const read = idsOf(pages)
    expect(deleted.size).toBeGreaterThan(50)
    expect(inserted).toBeGreaterThan(20)
    expect(new Set(read).size, 'repeated').toBe(read.length)
    expect(
      ids.filter((id) => !deleted.has(id) && !read.includes(id)),
      'omitted',
    ).toEqual([])
    expect([...read].sort(), 'oldest first').toEqual(read)
    expect(pages.slice(0, -1).every(({ data }) => data.length === 3)).toBe(true)
  })

  it('returns no cursor with the last page, whether it is full or not', async () => {
    const project = await createProject('six')
    const ids = await runConcurrently(6, 1, (index) => addFlow(project, `flow ${index}`))
    const path = `${projects}/${project}/flows`
    expect((await readAll(path, 3)).map(({ data }) => data.length)).toEqual([3, 3])
    expect((await readAll(path, 4)).map(({ data }) => data.length)).toEqual([4, 2])
    expect(idsOf(await readAll(path, 1))).toEqual(ids)
    expect(await readAll(path, 1000)).toHaveLength(1)
    expect((await server.request('GET', `${projects}/${await createProject('none')}/flows`)).json).toEqual({ data: [], next_cursor: null })
  })

  it('has pages of 100 by default', async () => {
    const { project } = await createFlow(server)
    await runConcurrently(100, 10, (index) => addFlow(project.id, `flow ${index}`))
    const { json } = await server.request('GET', `${projects}/${project.id}/flows`)
    expect(json.data).toHaveLength(100)
    expect(json.next_cursor).not.toBeNull()
  })

  it('returns notifications newest first', async () => {
    const { project } = await createFlow(server)
    const sent: string[] = []
    for (let count = 0; count < 5; count += 1) sent.push((await send(server, project.id)).id)
    const path = `/v1/notifications?project_id=${project.id}`
    const first = await server.request('GET', `${path}&limit=3`)
    const second = await server.request('GET', `${path}&limit=3&cursor=${first.json.next_cursor}`)
    expect(idsOf([first.json, second.json])).toEqual(sent.reverse())
    expect(second.json.next_cursor).toBeNull()
  })
})

describe('a limit', () => {
  it.each(['0', '1001', '-1', '1.5', '1e2', '0x10', ' 7', '', 'ten', '٣', '99999999999999999999'])('is rejected: %j', async (limit) => {
    const response = await server.request('GET', `${projects}?limit=${encodeURIComponent(limit)}`)
    expect(expectProblem(response, 'validation_failed')).toEqual([
      expect.stringMatching(/^query \/limit (too_small|too_big|invalid_type)$/),
    ])
  })

  it('is rejected when it is repeated or misspelled, with an error for each parameter', async () => {
    const response = await server.request('GET', `${projects}?limit=1&limit=2&curser=x&Limit=3`)
    expect(expectProblem(response, 'validation_failed').sort()).toEqual([
      'query /Limit unknown_field',
      'query /curser unknown_field',
      'query /limit invalid_type',
    ])
  })
})

describe('a cursor', () => {
  let cursor: string
  let project: string
  beforeAll(async () => {
    project = await createProject('cursor')
    for (const name of ['a', 'b', 'c']) await addFlow(project, name)
    cursor = (await server.request('GET', `${projects}/${project}/flows?limit=1`)).json.next_cursor
  })
  const expectRejected = async (path: string, key?: string): Promise<void> => {
    expectProblem(await server.request('GET', path, key === undefined ? {} : { key }), 'invalid_cursor')
  }

  it('is an opaque string that is safe in a URL', () => {
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{20,100}$/)
  })

  it('is rejected when any of its characters was changed', async () => {
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = cursor[index] === 'A' ? 'B' : 'A'
      await expectRejected(`${projects}/${project}/flows?cursor=${cursor.slice(0, index)}${changed}${cursor.slice(index + 1)}`)
    }
  })

  it.each(['', 'x', '%00', '%F0%9F%98%80', '..%2F..', "'%20or%201=1--", 'null', '0'])('is rejected: %j', (text) =>
    expectRejected(`${projects}/${project}/flows?cursor=${text}`),
  )

  it('is rejected when it was truncated, extended or padded', async () => {
    for (const text of [cursor.slice(0, -1), `${cursor}A`, cursor.repeat(100), `${cursor}=`, `${cursor}%0A`, `%20${cursor}`])
      await expectRejected(`${projects}/${project}/flows?cursor=${text}`)
  })

  it('is rejected with another list, other filters or another project', async () => {
    await expectRejected(`${projects}?cursor=${cursor}`)
    await expectRejected(`/v1/notifications?cursor=${cursor}`)
    await expectRejected(`/v1/settings/api-keys?cursor=${cursor}`)
    await expectRejected(`/v1/settings/providers?cursor=${cursor}`)
    await expectRejected(`${projects}/${await createProject('cursor, other')}/flows?cursor=${cursor}`)

    const { project: sender } = await createFlow(server)
    for (let count = 0; count < 3; count += 1) await send(server, sender.id)
    const filteredCursor = (await server.request('GET', `/v1/notifications?project_id=${sender.id}&limit=1`)).json.next_cursor
    await expectRejected(`/v1/notifications?cursor=${filteredCursor}`)
    await expectRejected(`/v1/notifications?project_id=${sender.id}&status=failed&cursor=${filteredCursor}`)
    expect((await server.request('GET', `/v1/notifications?project_id=${sender.id}&cursor=${filteredCursor}`)).status).toBe(200)
  })

  it('is rejected when it belongs to another user', async () => {
    const bobProject = await createProject('bob', server.keys.bob)
    const aliceCursor = (await server.request('GET', `${projects}?limit=1`)).json.next_cursor
    const response = await server.request('GET', `${projects}?cursor=${aliceCursor}`, { key: server.keys.bob })
    expectProblem(response, 'invalid_cursor')
    await createKey(server)
    const keysCursor = (await server.request('GET', '/v1/settings/api-keys?limit=1')).json.next_cursor
    expect(keysCursor).not.toBeNull()
    await expectRejected(`/v1/settings/api-keys?cursor=${keysCursor}`, server.keys.bob)
    const { project: sender } = await createFlow(server)
    for (let count = 0; count < 2; count += 1) await send(server, sender.id)
    await expectRejected(
      `/v1/notifications?cursor=${(await server.request('GET', '/v1/notifications?limit=1')).json.next_cursor}`,
      server.keys.bob,
    )
    expectProblem(await server.request('GET', `${projects}/${project}/flows?cursor=${cursor}`, { key: server.keys.bob }), 'not_found')
    expect((await server.request('GET', projects, { key: server.keys.bob })).json.data.map(({ id }: { id: string }) => id)).toEqual([
      bobProject,
    ])
  })

  it('works after its row was deleted', async () => {
    const first = (await server.request('GET', `${projects}/${project}/flows?limit=2`)).json
    await server.request('DELETE', `${projects}/${project}/flows/${first.data[1].id}`)
    const next = await server.request('GET', `${projects}/${project}/flows?cursor=${first.next_cursor}`)
    expect(next.json.data.map(({ name }: { name: string }) => name)).toEqual(['c'])
  })
})
