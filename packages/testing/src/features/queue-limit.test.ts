import type { FlowpostError } from '@flowpost/client'
import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'

const message = (project_id: string) => ({ project_id, subject: 'a', message: 'b' })

it('limits the due and the scheduled deliveries of all users, and of one user', async () => {
  const mock = createFlowpostMock({ queueLimit: 3, time: 'manual' })
  const projects = { alice: mock.seed.flow({ target: 'slow@example.com' }).project_id, bob: '' }
  projects.bob = mock.seed.flow({ project: mock.seed.project({ user: 'bob' }), target: 'slow@example.com' }).project_id
  mock.faults.deliveriesTo('slow@example.com', { delayMs: 1_000 })
  const clients = { alice: mock.client({ maxRetries: 0 }), bob: mock.client({ user: 'bob', maxRetries: 0 }) }
  const send = (user: 'alice' | 'bob', send_at?: string) =>
    clients[user].notifications.send({ ...message(projects[user]), ...(send_at === undefined ? {} : { send_at }) }).then(
      () => 'accepted',
      (error: FlowpostError) => error.message,
    )
  const tooManyOfUser = expect.stringContaining('Too many of your messages are waiting to be delivered. Try again later.')
  const tooMany = expect.stringContaining('Too many messages are waiting to be delivered. Try again later.')
  const later = new Date(mock.clock.now() + 3_600_000).toISOString()

  for (const send_at of [undefined, later]) {
    expect([await send('alice', send_at), await send('alice', send_at)]).toEqual(['accepted', 'accepted'])
    expect(await send('alice', send_at)).toEqual(tooManyOfUser)
    expect(await send('bob', send_at)).toBe('accepted')
    expect(await send('bob', send_at)).toEqual(tooMany)
  }
  await mock.clock.advance(1_000)
  expect(await send('alice')).toBe('accepted')
  expect(await send('alice', later)).toEqual(tooMany)
})

it('counts deliveries that wait for a retry as due, not as scheduled', async () => {
  const mock = createFlowpostMock({ queueLimit: 2, time: 'manual' })
  const { project_id, target } = mock.seed.flow()
  const client = mock.client({ maxRetries: 0 })
  mock.faults.deliveriesTo(target, 'outage')
  await client.notifications.send(message(project_id))
  await expect(client.notifications.send(message(project_id))).rejects.toMatchObject({ code: 'queue_full' })
  const send_at = new Date(mock.clock.now() + 3_600_000).toISOString()
  await expect(client.notifications.send({ ...message(project_id), send_at })).resolves.toMatchObject({ status: 'queued' })
  await expect(client.notifications.send({ ...message(project_id), send_at })).rejects.toMatchObject({ code: 'queue_full' })
})

it('limits the deliveries that a retry queues', async () => {
  const mock = createFlowpostMock({ queueLimit: 2, time: 'manual' })
  const { project_id, target } = mock.seed.flow()
  const client = mock.client({ maxRetries: 0 })
  mock.faults.deliveriesTo(target, { fail: 'bounce', times: 1 })
  const failed = await client.notifications.send(message(project_id))
  mock.faults.deliveriesTo(target, { delayMs: 1_000 })
  await client.notifications.send(message(project_id))
  await expect(client.notifications.retry(failed.id)).rejects.toMatchObject({ code: 'queue_full', retryAfterMs: 10_000 })
  await mock.clock.advance(1_000)
  await expect(client.notifications.retry(failed.id)).resolves.toMatchObject({ status: 'queued' })
})

it('limits the pending deliveries', async () => {
  const mock = createFlowpostMock({ queueLimit: 1, time: 'manual' })
  const { project_id, target } = mock.seed.flow()
  mock.faults.deliveriesTo(target, { delayMs: 1_000 })
  await mock.client().notifications.send(message(project_id))
  await expect(mock.client({ maxRetries: 0 }).notifications.send(message(project_id))).rejects.toMatchObject({
    code: 'queue_full',
    status: 503,
  })
  await mock.clock.advance(1_000)
  await expect(mock.client().notifications.send(message(project_id))).resolves.toMatchObject({ status: 'queued' })
})
