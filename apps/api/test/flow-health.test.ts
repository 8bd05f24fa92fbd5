import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'off' }

const deadlocks = 'select deadlocks::int as count from pg_stat_database where datname = current_database()'

let server: TestServer
let smtp: SmtpAuthServer
let passwordCount = 0

interface FlowJson {
  readonly id: string
  readonly project_id: string
}

const pathOf = (flow: FlowJson) => `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
const readFlow = async (flow: FlowJson) => (await server.request('GET', pathOf(flow))).json

const createFlowWithCredential = async (fields: object = {}): Promise<FlowJson> => {
  const { flow } = await createFlow(server, fields)
  // Projects with equal credentials would share connections, which are already authenticated.
  passwordCount += 1
  const response = await server.request('PUT', `/v1/settings/projects/${flow.project_id}/integrations/smtp`, {
    json: { settings: smtpSettingsFor(smtp), secrets: { password: `secret of ${passwordCount}` } },
  })
  expect(response.status, response.text).toBe(200)
  return flow
}

/** Sends `count` messages, and returns the final statuses of their deliveries. */
const sendTimes = async (count: number, flow: Pick<FlowJson, 'project_id'>, fields: object = {}): Promise<string[]> => {
  const accepted = await Promise.all(Array.from({ length: count }, () => send(server, flow.project_id, fields)))
  const completed = await Promise.all(accepted.map(({ id }) => readCompleted(server, id)))
  return completed.map(({ deliveries }) => deliveries[0].status)
}

beforeAll(async () => {
  smtp = await startSmtpAuthServer()
  server = await startTestServer({ env: encryption, egress: loopbackEgress })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

describe('the health of a flow', () => {
  it('is unhealthy with a reason after ten consecutive failures of the target, and healthy after a success', async () => {
    const flow = await createFlowWithCredential()
    smtp.acceptsRecipient = () => false
    const etag = (await server.request('GET', pathOf(flow))).headers.get('etag')
    expect(await sendTimes(9, flow)).toEqual(Array(9).fill('failed'))
    expect((await readFlow(flow)).health).toMatchObject({ status: 'unknown', code: null })
    expect(await sendTimes(1, flow)).toEqual(['failed'])
    const read = await server.request('GET', pathOf(flow))
    expect(read.json.health).toEqual({
      status: 'unhealthy',
      code: '5.1.1',
      detail: expect.stringContaining('rejected the recipient'),
      since: expect.any(String),
      checked_at: null,
    })
    expect(read.headers.get('etag')).toBe(etag)
    const listed = await server.request('GET', `/v1/settings/projects/${flow.project_id}/flows`)
    expect(listed.json.data[0].health).toEqual(read.json.health)

    smtp.acceptsRecipient = () => true
    expect(await sendTimes(1, flow)).toEqual(['sent'])
    expect((await readFlow(flow)).health).toMatchObject({ status: 'healthy', code: null, detail: null, checked_at: null })
  })

  it('counts failures from zero after a success', async () => {
    const flow = await createFlowWithCredential()
    smtp.acceptsPassword = () => false
    await sendTimes(9, flow)
    smtp.acceptsPassword = () => true
    expect(await sendTimes(1, flow)).toEqual(['sent'])
    expect((await readFlow(flow)).health.status).toBe('healthy')
    smtp.acceptsRecipient = () => false
    expect(await sendTimes(9, flow)).toEqual(Array(9).fill('failed'))
    smtp.acceptsRecipient = () => true
    expect((await readFlow(flow)).health.status).toBe('healthy')
  })

  it('is unhealthy after ten rejected logins, and unknown after the credential changes', async () => {
    const flow = await createFlowWithCredential()
    smtp.acceptsPassword = () => false
    expect(await sendTimes(10, flow)).toEqual(Array(10).fill('failed'))
    smtp.acceptsPassword = () => true
    expect((await readFlow(flow)).health).toMatchObject({ status: 'unhealthy', code: '5.7.8' })
    await server.request('PUT', `/v1/settings/projects/${flow.project_id}/integrations/smtp`, { json: { settings: smtpSettingsFor(smtp) } })
    expect((await readFlow(flow)).health).toMatchObject({ status: 'unknown', code: null, since: null })
  })

  it('does not depend on override targets', async () => {
    const flow = await createFlowWithCredential({ override_target: true })
    smtp.acceptsRecipient = (address) => address === 'ops@example.com'
    expect(await sendTimes(12, flow, { target: 'nobody@example.com' })).toEqual(Array(12).fill('failed'))
    smtp.acceptsRecipient = () => true
    expect((await readFlow(flow)).health.status).toBe('unknown')
  })

  it.runIf(inject('postgres'))('can be recorded while the deletion of its flow waits for a locked notification', async () => {
    const flow = await createFlowWithCredential()
    const pending = await send(server, flow.project_id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
    const recorder = new Client({ connectionString: server.database.url })
    await recorder.connect()
    await recorder.query(`begin; set local lock_timeout = '500ms'`)
    const locked = await recorder.query<{ flow_id: string }>(
      `select d.flow_id from notifications n join deliveries d on d.notification_id = n.id join message_bodies c on c.delivery_id = d.id
       where c.subject = 'Invoice' and d.status = 'queued' for update of n`,
    )
    const deleted = server.request('DELETE', pathOf(flow))
    const waitingForLock = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await onDatabase(server.database, (query) => expect.poll(() => query(waitingForLock)).toEqual([{ count: 1 }]))
    // A deletion that locks the flow before it waits for the notification would cause a deadlock here.
    const updated = await recorder.query('update flows set failures_in_row = 1 where id = any($1)', [locked.rows.map((row) => row.flow_id)])
    await recorder.query('commit')
    await recorder.end()
    expect(updated.rowCount).toBe(1)
    expect((await deleted).status).toBe(204)
    expect((await readCompleted(server, pending.id)).status).toBe('canceled')
  })

  // The embedded database runs one transaction at a time, so it has no deadlocks.
  it.runIf(inject('postgres'))('is recorded without deadlocks while flows are changed and deleted', async () => {
    smtp.acceptsPassword = () => false
    const { project_id } = await createFlowWithCredential()
    const flows: FlowJson[] = await Promise.all(Array.from({ length: 6 }, () => addFlow(server, project_id)))
    // Each message has a delivery for each flow, and a change of the credential resets the health of all flows.
    const sent = sendTimes(60, { project_id })
    const changed = Promise.all(
      flows.map(async (flow, index) => {
        for (let round = 0; round < 5; round += 1) {
          await server.request('PATCH', pathOf(flow), { json: { target: `ops${round}@example.com` } })
          await server.request('PUT', `/v1/settings/projects/${project_id}/integrations/smtp`, {
            json: { settings: smtpSettingsFor(smtp), secrets: { password: `secret-${round}` } },
          })
        }
        if (index % 2 === 0) expect((await server.request('DELETE', pathOf(flow))).status).toBe(204)
      }),
    )
    const [statuses] = await Promise.all([sent, changed])
    smtp.acceptsPassword = () => true
    expect(new Set(statuses.flat())).not.toContain('sent')
    expect(server.logged.filter((line) => line.includes('Could not record an outcome'))).toEqual([])
    // A connection may report its deadlocks only when it closes, so this must be the last test of the server.
    await server.stop()
    await onDatabase(server.database, async (query) => expect(await query(deadlocks)).toEqual([{ count: 0 }]))
  })
})
