import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDatabase } from '../support/direct-database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'

const dayMs = 24 * 3_600_000

let server: TestServer
let filter: { project_id: string; created_after: string }
let otherFilter: typeof filter

/** Makes all bulk actions running, with their next step in an hour. */
const holdActions = `update bulk_actions set status = 'running', completed_at = null, next_step_at = now() + interval '1 hour'`

const create = (json: object, key = server.keys.alice) => server.request('POST', '/v1/bulk-actions', { json, key })
const get = async (id: string, query = '') => (await server.request('GET', `/v1/bulk-actions/${id}${query}`)).json
const runToEnd = async (json: object) => get((await create(json)).json.id, '?wait=30')

beforeAll(async () => {
  const first = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(first)
  const { project: other } = await createFlow(first)
  filter = { project_id: project.id, created_after: project.created_at }
  otherFilter = { project_id: other.id, created_after: other.created_at }
  await readCompleted(first, (await send(first, project.id, { reference: 'template' })).id)
  await first.stop()
  await onDatabase(first.database, (query) => addFailedDeliveries(query, 700, (number) => `${number}@example.com`))
  server = await first.restart()
})
afterAll(() => server[Symbol.asyncDispose]())

it('retries more deliveries than one transaction changes, and logs the start and the end', async () => {
  const dryRun = await create({ action: 'retry', filter, dry_run: true })
  expect(dryRun.json).toEqual({ matched: 700, is_complete: true, counts: [{ status: 'failed', failure_code: '451', count: 700 }] })
  const action = await runToEnd({ action: 'retry', filter })
  expect(action).toMatchObject({ status: 'done', matched: 700, done: 700, skipped: 0 })
  const lines = () => server.logged.map((line) => JSON.parse(line)).filter(({ bulk_action_id }) => bulk_action_id === action.id)
  const done = { level: 'info', msg: 'Bulk action done.', matched: 700, done: 700, skipped: 0 }
  await expect.poll(lines).toEqual([expect.objectContaining({ msg: 'Bulk action created.' }), expect.objectContaining(done)])
  const failed = await server.request('GET', `/v1/notifications?project_id=${filter.project_id}&status=failed`)
  expect(failed.json.data).toEqual([])
  expect(await runToEnd({ action: 'retry', filter })).toMatchObject({ matched: 0 })
})

it('limits how many actions of a user run, and accepts another when one is stopped', async () => {
  for (let count = 0; count < 10; count += 1) await runToEnd({ action: 'cancel', filter: otherFilter })
  await server.stop()
  await onDatabase(server.database, (query) => query(holdActions))
  server = await server.restart()

  const rejected = await create({ action: 'cancel', filter: otherFilter })
  expectProblem(rejected, 'rate_limited')
  expect(rejected.headers.get('retry-after')).toBe('10')
  expect((await create({ action: 'cancel', filter: otherFilter, dry_run: true })).status).toBe(200)
  const { json } = await server.request('GET', '/v1/bulk-actions?limit=1')
  const [{ id }] = json.data
  const startedAt = performance.now()
  expect(await get(id, '?wait=1')).toMatchObject({ status: 'running', completed_at: null })
  expect(performance.now() - startedAt).toBeGreaterThan(900)

  const waiting = get(id, '?wait=30')
  const stopped = await server.request('POST', `/v1/bulk-actions/${id}/stop`)
  expect(stopped.json).toMatchObject({ id, status: 'stopped', completed_at: expect.any(String) })
  expect(await waiting).toEqual(stopped.json)
  expect((await server.request('POST', `/v1/bulk-actions/${id}/stop`)).json).toEqual(stopped.json)
  for (const action of (await server.request('GET', '/v1/bulk-actions')).json.data)
    await server.request('POST', `/v1/bulk-actions/${action.id}/stop`)
  expect(await runToEnd({ action: 'cancel', filter: otherFilter })).toMatchObject({ status: 'done' })
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})

it('deletes completed actions with the log, but not running ones', async () => {
  const { id } = await runToEnd({ action: 'cancel', filter: otherFilter })
  const { id: running } = await runToEnd({ action: 'cancel', filter: otherFilter })
  await server.stop()
  await onDatabase(server.database, (query) =>
    query(
      `update bulk_actions set status = 'running', completed_at = null, next_step_at = now() + interval '1 hour'
       where id = (select max(id::text)::uuid from bulk_actions)`,
    ),
  )
  server = await server.restart({ clock: { now: () => new Date(Date.now() + 91 * dayMs) } })
  await expect.poll(async () => (await server.request('GET', `/v1/bulk-actions/${id}`)).status).toBe(404)
  expect(await get(running)).toMatchObject({ status: 'running' })
})

it('retries the due deliveries of a bulk action although others wait for their send_at', async () => {
  // A step changes at most a quarter of the queue limit: 10 deliveries.
  await using small = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '40' } })
  const { project } = await createFlow(small, { override_target: true })
  const { json: test } = await small.request('POST', '/v1/settings/api-keys', { json: { name: 'tests', mode: 'test' } })
  const suppressions = `/v1/settings/projects/${project.id}/suppressions`
  const added = await small.request('POST', suppressions, { json: { target: 'smtp:ok@flowpost.test' } })
  expect(added.status).toBe(201)
  const send = async (target: string, fields: object = {}): Promise<string> => {
    const json = { project_id: project.id, subject: 'a', message: 'b', target, ...fields }
    return (await small.request('POST', '/v1/notifications', { json, key: test.key })).json.id
  }
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  for (let count = 0; count < 10; count += 1) await send('ok@flowpost.test', { send_at })
  const due = await send('ok@flowpost.test')
  expect((await readCompleted(small, due)).deliveries).toMatchObject([{ status: 'failed', failure: { code: 'suppressed' } }])
  expect((await small.request('DELETE', `${suppressions}/${added.json.id}`)).status).toBe(204)

  const action = { action: 'retry', filter: { project_id: project.id, created_after: project.created_at } }
  const { json: created } = await small.request('POST', '/v1/bulk-actions', { json: action })
  const { json: finished } = await small.request('GET', `/v1/bulk-actions/${created.id}?wait=15`)
  expect(finished).toMatchObject({ status: 'done', matched: 11, done: 11 })
  expect((await readCompleted(small, due)).status).toBe('sent')
})
