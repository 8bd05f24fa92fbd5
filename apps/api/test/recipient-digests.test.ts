import { expect, it } from 'vitest'
import { waitForErasure } from './erasures/wait-for-erasure.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer } from './support/test-server.ts'

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const env = {
  FLOWPOST_CAPTURE: 'off',
  FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9',
  FLOWPOST_EMAIL_FROM: 'noreply@example.com',
  FLOWPOST_RETRY_BUDGET_HOURS: '0',
  FLOWPOST_ENCRYPTION_KEY: key('k1', 1),
}
// A server with only this key cannot decrypt the digest key. It sends messages without digests.
const otherKey = { ...env, FLOWPOST_ENCRYPTION_KEY: key('k2', 2) }
const dayMs = 24 * 3_600_000

it('deletes the digest of a delivery with the log, also after a process without the digest key has completed it again', async () => {
  await using server = await startTestServer({ env })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id)
  expect((await readCompleted(server, id)).status).toBe('failed')
  await server.stop()

  const keyless = await server.restart({ env: otherKey })
  expect((await keyless.request('POST', `/v1/notifications/${id}/retry`)).status).toBe(202)
  expect((await readCompleted(keyless, id)).status).toBe('failed')
  await keyless.stop()

  const later = await server.restart({ clock: { now: () => new Date(Date.now() + 91 * dayMs) } })
  await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).status).toBe(404)
  await later.stop()
  const rows = await onDatabase(server.database, (query) =>
    query(`select (select count(*)::int from deliveries) as deliveries, (select count(*)::int from recipient_digests) as digests`),
  )
  expect(rows).toEqual([{ deliveries: 0, digests: 0 }])
})

it('erases the digest of a delivery that a process without the digest key has completed again', async () => {
  await using server = await startTestServer({ env })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id)
  await readCompleted(server, id)
  await server.stop()
  const keyless = await server.restart({ env: otherKey })
  await keyless.request('POST', `/v1/notifications/${id}/retry`)
  const { deliveries } = await readCompleted(keyless, id)
  await keyless.stop()
  const again = await server.restart()
  const { json } = await again.request('POST', '/v1/erasures', { json: { target: deliveries[0].target } })
  await waitForErasure(again, json.id)
  await again.stop()
  const digests = await onDatabase(server.database, (query) =>
    query<{ digest: string; current: string }>(
      'select r.digest, d.recipient_digest as current from recipient_digests r left join deliveries d on d.id = r.delivery_id',
    ),
  )
  expect(digests.map(({ digest, current }) => digest === current)).toEqual([true])
})

it('keeps the digest of a delivery that a process without the digest key cancels', async () => {
  await using server = await startTestServer({ env })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id)
  await readCompleted(server, id)
  const readDigests = () =>
    onDatabase(server.database, (query) =>
      query(`select r.digest, d.recipient_digest, d.status from recipient_digests r left join deliveries d on d.id = r.delivery_id`),
    )
  await server.stop()
  const [before] = await readDigests()
  const keyless = await server.restart({ env: { ...otherKey, FLOWPOST_RETRY_BUDGET_HOURS: '1' } })
  await keyless.request('POST', `/v1/notifications/${id}/retry`)
  const read = async () => (await keyless.request('GET', `/v1/notifications/${id}`)).json.deliveries[0].status
  await expect.poll(read).toBe('retrying')
  expect((await keyless.request('POST', `/v1/notifications/${id}/cancel`)).status).toBe(200)
  await keyless.stop()
  expect(await readDigests()).toEqual([{ ...before, status: 'canceled' }])
})
