import { afterAll, beforeAll, expect, it } from 'vitest'
import { listFlows } from '../src/features/flows/flow.queries.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, flowPath } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const copyCount = 24
const maxBytes = 1_048_576

let server: TestServer
let path: string
let rowsRead: readonly { readonly message_template: string }[]
beforeAll(async () => {
  const first = await startTestServer()
  const { project } = await createFlow(first)
  path = `/v1/settings/projects/${project.id}/flows`
  await first.stop()
  // Half of the templates have 400 kB. The others have 100 kB, which JSON escapes enlarge to 600 kB.
  await onDatabase(first.database, async (query) => {
    await query(`
      insert into flows (id, project_id, name, active, source_type, target, override_target, message_template, message_template_type,
        created_at, updated_at)
      select gen_random_uuid(), project_id, name, active, source_type, target, override_target,
        repeat(case when n % 2 = 0 then '😀' else chr(1) end, 100000), message_template_type, created_at, updated_at
      from flows, generate_series(1, ${copyCount}) n`)
    rowsRead = await listFlows({ query }, { userId: 'alice' } as never, project.id, 1_000, undefined)
  })
  server = await first.restart()
})
afterAll(() => server[Symbol.asyncDispose]())

const readAll = async (limit: number) => {
  const pages: { readonly ids: string[]; readonly bytes: number }[] = []
  for (let cursor = ''; ; ) {
    const { json, text } = await server.request('GET', `${path}?limit=${limit}${cursor}`)
    pages.push({ ids: json.data.map(({ id }: { id: string }) => id), bytes: Buffer.byteLength(text) })
    if (json.next_cursor === null) return pages
    cursor = `&cursor=${json.next_cursor}`
  }
}

it('limits a page of flows to 1 MiB, and omits no flow', async () => {
  const pages = await readAll(1000)
  const ids = pages.flatMap((page) => page.ids)
  expect(new Set(ids).size).toBe(copyCount + 1)
  expect(ids).toEqual([...ids].sort())
  for (const { ids, bytes } of pages) {
    expect(ids.length).toBeGreaterThan(0)
    expect(bytes, `${ids.length} flows`).toBeLessThanOrEqual(maxBytes + 1_000)
  }
  // Some pages hold more than one flow.
  expect(pages.length).toBeLessThan(ids.length)
})

it('reads only one row more than the page can hold', () => {
  const sizes = rowsRead.map(({ message_template: template }) => Buffer.byteLength(template))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  expect(sum(sizes.slice(0, -1))).toBeLessThanOrEqual(maxBytes)
  expect(sum(sizes)).toBeGreaterThan(maxBytes)
})

it('returns one flow per page with limit=1', async () => {
  const pages = await readAll(1)
  expect(pages.every(({ ids }) => ids.length === 1)).toBe(true)
  expect(pages).toHaveLength(copyCount + 1)
})

it('lists the settings history beyond entries that are larger than a page', async () => {
  const { project, flow } = await createFlow(server)
  // JSON escapes enlarge each template to 600 kB. An update has two: that before the change, and that after it.
  for (const character of ['\u0001', '\u0002', '\u0003'])
    await server.request('PATCH', flowPath(flow), { json: { message_template: character.repeat(100_000) } })
  const entries = []
  for await (const { action, kind } of server.client().settings.history({ project_id: project.id })) entries.push(`${action} ${kind}`)
  expect(entries).toEqual(['update flow', 'update flow', 'update flow', 'create flow', 'create project'])
})
