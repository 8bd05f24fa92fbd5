import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyDatabase } from './support/copied-database.ts'
import { createEndpoint } from './support/event-endpoints.ts'
import { startEventReceiver } from './support/event-receiver.ts'
import { untilHealth } from './support/pushed-endpoints.ts'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { loopbackEgress, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

/** The keys of a deployment on PostgreSQL. On the embedded database, the key file in the data folder has the keys. */
const createKeys = (database: TestDatabase, id: string): Record<string, string> =>
  database.url === undefined ? {} : { FLOWPOST_ENCRYPTION_KEY: `${id}:${randomBytes(32).toString('base64')}` }

it('a copy without the keys of production starts, but cannot push events or send with the credentials of production', async () => {
  await using receiver = await startEventReceiver()
  await using smtp = await startSmtpAuthServer()
  const database = await createTestDatabase()
  const capture = { FLOWPOST_CAPTURE: 'on' }
  await using production = await startTestServer({
    database,
    egress: loopbackEgress,
    env: { ...capture, ...createKeys(database, 'production') },
  })
  const { project } = await createFlow(production)
  const endpoint = await createEndpoint(production, project.id, { url: receiver.url })
  const json = { settings: smtpSettingsFor(smtp), secrets: { password: 'secret' } }
  expect((await production.request('PUT', `/v1/settings/projects/${project.id}/integrations/smtp`, { json })).status).toBe(200)
  const { id } = await send(production, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await production.stop()

  const copied = await copyDatabase(database)
  if (copied.url === undefined) rmSync(join(copied.dataDir, 'encryption.key'))
  const keys = createKeys(database, 'staging')
  await using copy = await production.restart({ database: copied, env: { FLOWPOST_AFTER_RESTORE: 'cancel', ...capture, ...keys } })
  expect((await readCompleted(copy, id)).status).toBe('canceled')
  expect((await untilHealth(copy, endpoint, 'failing')).code).toBe('secret_unreadable')
  expect((await readCompleted(copy, (await send(copy, project.id)).id)).deliveries).toMatchObject([{ status: 'sent', captured: true }])
  expect((await copy.request('GET', '/v1/notifications?target=ops@example.com')).status).toBe(503)
  await copy.stop()
  expect(copy.logged.join('')).toContain('Could not decrypt the recipient digest key.')

  await using sending = await copy.restart({ env: keys })
  const { deliveries } = await waitForDeliveryStatus(sending, (await send(sending, project.id)).id, 'retrying')
  expect(deliveries[0].failure).toMatchObject({ code: 'secret_unreadable' })
  expect([receiver.received, smtp.received]).toEqual([[], []])
})
