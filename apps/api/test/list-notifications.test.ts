import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

describe('GET /v1/notifications', () => {
  it('lists each notification of a flow once, even with several targets', async () => {
    const { project, flow } = await createFlow(server, { override_target: true })
    const { project: otherProject } = await createFlow(server)
    const ids: string[] = []
    for (let number = 0; number < 3; number += 1) {
      ids.unshift((await send(server, project.id, { target: 'one@example.com;two@example.com' })).id)
      await send(server, otherProject.id)
    }
    await readCompleted(server, ids[0] ?? '')
    const listed: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await server.request('GET', `/v1/notifications?flow_id=${flow.id}&limit=1${cursor && `&cursor=${cursor}`}`)
      listed.push(...json.data.map(({ id, deliveries }: { id: string; deliveries: unknown[] }) => `${id} ${deliveries.length}`))
      cursor = json.next_cursor
    }
    expect(listed).toEqual(ids.map((id) => `${id} 2`))
    const otherList = `/v1/notifications?flow_id=${flow.id}&project_id=${otherProject.id}`
    expect((await server.request('GET', otherList)).json.data).toEqual([])
    expect((await server.request('GET', `/v1/notifications?flow_id=${flow.id}&status=failed`)).json.data).toEqual([])
  })

  it('returns the filtered notifications in pages, newest first', async () => {
    const { project, flow } = await createFlow(server)
    const ids: string[] = []
    for (let number = 0; number < 5; number += 1) ids.unshift((await send(server, project.id)).id)
    await readCompleted(server, ids[0] ?? '')
    const first = await server.request('GET', `/v1/notifications?project_id=${project.id}&flow_id=${flow.id}&limit=3`)
    const second = await server.request(
      'GET',
      `/v1/notifications?project_id=${project.id}&flow_id=${flow.id}&limit=3&cursor=${first.json.next_cursor}`,
    )
    expect([...first.json.data, ...second.json.data].map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(second.json.next_cursor).toBeNull()
    const withOtherFilter = await server.request(
      'GET',
      `/v1/notifications?project_id=${project.id}&limit=3&cursor=${first.json.next_cursor}`,
    )
    expect(withOtherFilter).toMatchObject({ status: 400, json: { code: 'invalid_cursor' } })
    expect((await server.request('GET', `/v1/notifications?project_id=${project.id}&status=failed`)).json.data).toEqual([])
  })

  it("embeds a notification's first 100 deliveries, and returns all of them in pages", async () => {
    const { project } = await createFlow(server, { override_target: true })
    const addresses = Array.from({ length: 60 }, (_, number) => `r${number}@example.com`).join(';')
    await addFlow(server, project.id, { override_target: true, target: 'b@example.com' })
    const { id, deliveries } = await send(server, project.id, { target: addresses })
    expect(deliveries).toHaveLength(100)
    const seen = new Set<string>()
    for (let cursor = ''; ; ) {
      const { json } = await server.request('GET', `/v1/notifications/${id}/deliveries?limit=50${cursor && `&cursor=${cursor}`}`)
      for (const delivery of json.data) seen.add(delivery.id)
      if (json.next_cursor === null) break
      cursor = json.next_cursor
    }
    expect(seen.size).toBe(120)
  })

  it("returns 404 or an empty list for another user's notifications", async () => {
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    const key = server.keys.bob
    for (const [method, path] of [
      ['GET', `/v1/notifications/${id}`],
      ['GET', `/v1/notifications/${id}/deliveries`],
      ['POST', `/v1/notifications/${id}/retry`],
      ['POST', `/v1/notifications/${id}/cancel`],
      ['GET', `/v1/notifications?project_id=${project.id}`],
    ] as const)
      expect(await server.request(method, path, { key }), path).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect((await server.request('GET', '/v1/notifications', { key })).json.data).toEqual([])
  })
})
