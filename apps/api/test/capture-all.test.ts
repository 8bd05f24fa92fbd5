import { expect, it } from 'vitest'
import { setJobsDue } from './support/delivery-jobs.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startWithSmtp } from './support/smtp-deployment.ts'

it('with FLOWPOST_CAPTURE=on, captures pending messages and retries of failed messages that were accepted before', async () => {
  await using setup = await startWithSmtp(() => ({ code: 550, text: '5.1.1 No such user' }), { env: { FLOWPOST_CAPTURE: 'off' } })
  const { server, smtp } = setup
  const { project } = await createFlow(server)
  const bulk = await createFlow(server)
  const failed = await send(server, project.id)
  const failedInBulk = await send(server, bulk.project.id)
  const pending = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  for (const { id } of [failed, failedInBulk]) expect((await readCompleted(server, id)).status).toBe('failed')
  await server.stop()
  await setJobsDue(server.database)

  await using capturing = await server.restart({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com', FLOWPOST_CAPTURE: 'on' },
  })
  await capturing.request('POST', `/v1/notifications/${failed.id}/retry`)
  const filter = { project_id: bulk.project.id, created_after: new Date(Date.now() - 3_600_000).toISOString() }
  await capturing.request('POST', '/v1/bulk-actions', { json: { action: 'retry', filter } })
  for (const { id } of [pending, failed, failedInBulk])
    await expect
      .poll(async () => (await readCompleted(capturing, id)).deliveries)
      .toMatchObject([{ status: 'sent', captured: true, failure: null }])
  expect((await readCompleted(capturing, failed.id)).deliveries[0].attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'captured' }])
  expect(smtp.received).toHaveLength(2)
})
