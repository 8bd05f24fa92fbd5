import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'

const target = 'bob@example.com'

it('erases the idempotency key of a batch that contains the address', async () => {
  const mock = createFlowpostMock()
  const client = mock.client({ maxRetries: 0 })
  const { project_id } = mock.seed.flow()
  const send = (subject: string) =>
    client.notifications.sendBatch({ notifications: [{ project_id, subject, message: 'b' }] }, { idempotencyKey: `welcome-${target}` })
  await send('first')
  await expect(send('second')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  await client.erasures.create({ target })
  await expect(send('second')).resolves.toMatchObject({ results: [{ status: 202 }] })
})

it("erases the address from the health of the user's flows", async () => {
  const mock = createFlowpostMock()
  const detail = `550 The mailbox ${target} does not exist.`
  const createUnhealthy = async (user: string) => {
    const client = mock.client({ user })
    const { id, project_id } = mock.seed.flow({ project: mock.seed.project({ user }), target })
    mock.faults.deliveriesTo(target, { fail: { kind: 'target', code: '5.1.1', detail, retryable: false } })
    await client.flows.check(project_id, id)
    return { client, detailOf: async () => (await client.flows.get(project_id, id)).health.detail }
  }
  const [alice, bob] = [await createUnhealthy('alice'), await createUnhealthy('bob')]
  const { target: replacement } = await alice.client.erasures.create({ target })
  expect(await alice.detailOf()).toBe(detail.replace(target, replacement))
  expect(await bob.detailOf()).toBe(detail)
})

it('erases the address where a message to another recipient contains it in Markdown', async () => {
  const mock = createFlowpostMock()
  const client = mock.client()
  const { project_id } = mock.seed.flow({ source_type: 'discord', target: 'ops', message_template: 'New: {{message}}' })
  const send_at = new Date(mock.clock.now() + 60_000).toISOString()
  await client.notifications.send({ project_id, subject: 'New', message: `${target} signed up.`, send_at })
  const { target: replacement } = await client.erasures.create({ target })
  await mock.clock.advance(60_000)
  const cut = replacement.slice(0, 'bob\\@example.com'.length)
  expect(mock.outbox.map(({ text }) => text)).toEqual([`New: ${cut} signed up.`])
})
