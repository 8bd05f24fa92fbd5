import type { BulkActionFilter } from '@flowpost/client'
import { expect, it } from 'vitest'
import { createFlowpostMock, type FlowpostMock } from '../mock.ts'

/** Sends messages to a recipient that rejects them, 100 deliveries at a time. */
const sendFailing = async (mock: FlowpostMock, count: number) => {
  const flow = mock.seed.flow({ override_target: true })
  const client = mock.client({ maxRetries: 0 })
  const { created_at: created_after } = await client.projects.get(flow.project_id)
  for (let sent = 0; sent < count; sent += 100) {
    const targets = Array.from({ length: Math.min(100, count - sent) }, (_, number) => `${sent + number}@example.com`)
    for (const target of targets) mock.faults.deliveriesTo(target, { fail: 'bounce', times: 1 })
    await client.notifications.send({ project_id: flow.project_id, subject: 'a', message: 'b', target: targets.join(';') })
  }
  const filter: BulkActionFilter = { project_id: flow.project_id, created_after }
  return { client, filter }
}

it('retries 500 deliveries immediately and the others as time passes, until the action is stopped', async () => {
  const mock = createFlowpostMock({ time: 'manual' })
  const { client, filter } = await sendFailing(mock, 1_200)
  const { id } = await client.bulkActions.create({ action: 'retry', filter })
  expect(await client.bulkActions.get(id)).toMatchObject({ status: 'running', matched: 500, done: 500 })
  expect(mock.outbox).toHaveLength(500)
  await mock.clock.advance(100)
  expect(await client.bulkActions.get(id)).toMatchObject({ status: 'running', matched: 1_000 })
  expect(mock.outbox).toHaveLength(1_000)

  const waiting = client.bulkActions.get(id, { wait: 60 })
  const stopped = await client.bulkActions.stop(id)
  expect(stopped).toMatchObject({ status: 'stopped', matched: 1_000 })
  expect(await waiting).toEqual(stopped)
  await mock.clock.advance(10_000)
  expect(mock.outbox).toHaveLength(1_000)
  expect(await client.bulkActions.create({ action: 'retry', filter, dry_run: true })).toMatchObject({ matched: 200 })
})

it('completes a bulk action while a client waits for it', async () => {
  const mock = createFlowpostMock()
  const { client, filter } = await sendFailing(mock, 600)
  const { id } = await client.bulkActions.create({ action: 'retry', filter })
  expect(await client.bulkActions.get(id, { wait: 60 })).toMatchObject({ status: 'done', matched: 600, done: 600, skipped: 0 })
  expect(mock.outbox).toHaveLength(600)
})

it('allows a user ten running bulk actions', async () => {
  const mock = createFlowpostMock({ time: 'manual' })
  const { client, filter } = await sendFailing(mock, 600)
  const started: string[] = []
  // Each action selects 501 deliveries, so it is still running after its first step of 500.
  for (let count = 0; count < 10; count += 1) {
    const other = await sendFailing(mock, 501)
    started.push((await client.bulkActions.create({ action: 'retry', filter: other.filter })).id)
  }
  await expect(client.bulkActions.create({ action: 'retry', filter })).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 10_000 })
  await client.bulkActions.stop(started[0] ?? '')
  await expect(client.bulkActions.create({ action: 'retry', filter })).resolves.toMatchObject({ status: 'running' })
})

it('pauses a bulk action while the queue is full', async () => {
  const mock = createFlowpostMock({ time: 'manual', queueLimit: 4 })
  const flow = mock.seed.flow({ target: 'ops@example.com' })
  const client = mock.client({ maxRetries: 0 })
  const body = { project_id: flow.project_id, subject: 'a', message: 'b' }
  const { created_at: created_after } = await client.projects.get(flow.project_id)
  mock.faults.deliveriesTo('ops@example.com', { fail: 'bounce', times: 1 })
  await client.notifications.send(body)
  mock.faults.deliveriesTo('ops@example.com', { delayMs: 5_000 })
  for (let count = 0; count < 2; count += 1) await client.notifications.send(body)
  const { id } = await client.bulkActions.create({ action: 'retry', filter: { project_id: flow.project_id, created_after } })
  expect(await client.bulkActions.get(id)).toMatchObject({ status: 'running', matched: 0 })
  await mock.clock.advance(10_000)
  expect(await client.bulkActions.get(id)).toMatchObject({ status: 'done', done: 1 })
})
