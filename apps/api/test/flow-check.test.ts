import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFlow } from './support/resources.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'off' }

let server: TestServer
let smtp: SmtpAuthServer

const pathOf = (flow: { id: string; project_id: string }) => `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
const check = (flow: { id: string; project_id: string }, key?: string) =>
  server.request('POST', `${pathOf(flow)}/check`, key === undefined ? {} : { key })
const readFlow = async (flow: { id: string; project_id: string }) => (await server.request('GET', pathOf(flow))).json

const createFlowWith = async (settings: object | undefined, password = 'secret-1') => {
  const { flow } = await createFlow(server)
  if (settings) {
    const response = await server.request('PUT', `/v1/settings/projects/${flow.project_id}/integrations/smtp`, {
      json: { settings, secrets: { password } },
    })
    expect(response.status, response.text).toBe(200)
  }
  return flow
}

beforeAll(async () => {
  smtp = await startSmtpAuthServer()
  server = await startTestServer({ env: encryption, egress: loopbackEgress, sendTimeoutMs: 2_000 })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

describe('POST /v1/settings/projects/{project_id}/flows/{flow_id}/check', () => {
  it("reports a valid credential without sending a message, and updates the flow's health", async () => {
    const flow = await createFlowWith(smtpSettingsFor(smtp))
    expect(flow.health).toEqual({ status: 'unknown', code: null, detail: null, since: null, checked_at: null })
    const { status, json } = await check(flow)

    expect(status).toBe(200)
    expect(json).toEqual({
      ok: true,
      checks: [
        { name: 'connect', ok: true, code: 'ok', detail: expect.any(String) },
        { name: 'authenticate', ok: true, code: 'ok', detail: expect.any(String) },
      ],
    })
    expect(smtp.received).toHaveLength(0)
    const { health } = await readFlow(flow)
    expect(health).toEqual({ status: 'healthy', code: null, detail: null, since: expect.any(String), checked_at: expect.any(String) })
  })

  it('returns 200 with a failed check when there is no credential', async () => {
    const flow = await createFlowWith(undefined)
    const { status, json } = await check(flow)
    expect(status).toBe(200)
    expect(json).toMatchObject({ ok: false, checks: [{ name: 'credential', ok: false, code: 'integration_missing' }] })
    expect((await readFlow(flow)).health).toMatchObject({ status: 'unhealthy', code: 'integration_missing' })
  })

  it('reports a rejected login without the password', async () => {
    const flow = await createFlowWith(smtpSettingsFor(smtp), 'secret-marker')
    smtp.acceptsPassword = (password) => password !== 'secret-marker'
    const { json, text } = await check(flow)
    smtp.acceptsPassword = () => true
    expect(json).toMatchObject({
      ok: false,
      checks: [
        { name: 'connect', ok: true },
        { name: 'authenticate', ok: false, code: '5.7.8' },
      ],
    })
    expect(text).not.toContain('secret-marker')
    const { health } = await readFlow(flow)
    expect(health).toMatchObject({ status: 'unhealthy', code: '5.7.8' })
    expect(JSON.stringify(health)).not.toContain('secret-marker')
  })

  it('reports an unreachable server and a forbidden address', async () => {
    const closed = await createFlowWith(smtpSettingsFor(smtp, { port: 9 }))
    expect((await check(closed)).json).toMatchObject({ ok: false, checks: [{ ok: false, code: 'connection_refused' }] })
    const internal = await createFlowWith(smtpSettingsFor(smtp, { host: '10.1.2.3', security: 'tls', port: 465 }))
    const { json } = await check(internal)
    expect(json.ok).toBe(false)
    expect(json.checks).toContainEqual(expect.objectContaining({ ok: false, code: 'address_not_allowed' }))
  })

  it.each([
    ['uses another protocol', 'SSH-2.0-banner-marker\r\n'],
    ['rejects the connection', '554 5.3.2 banner-marker is not for you\r\n'],
    ['sends an invalid reply after the greeting', '220 banner-marker\r\n999 banner-marker\r\n'],
  ])('returns a code but no text from a server that %s', async (_, banner) => {
    const otherServer = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write('500 5.5.1 banner-marker\r\n'))
      socket.write(banner)
    })
    otherServer.listen(0, '127.0.0.1')
    await once(otherServer, 'listening')
    const flow = await createFlowWith(smtpSettingsFor(smtp, { port: (otherServer.address() as AddressInfo).port }))
    const { json, text } = await check(flow)
    otherServer.close()

    expect(json.ok).toBe(false)
    expect(json.checks[0].code).toMatch(/^[a-z0-9_.]+$/)
    expect(text).not.toContain('banner-marker')
    expect(JSON.stringify(await readFlow(flow))).not.toContain('banner-marker')
  })

  it('returns 404 for another user, and 403 without settings:write', async () => {
    const flow = await createFlowWith(smtpSettingsFor(smtp))
    expect((await check(flow, server.keys.bob)).status).toBe(404)
    expect((await check({ ...flow, id: 'flw_01jdv3k2m8f6wbn0q4z5t7x9ya' })).status).toBe(404)
    const { json } = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'reader', scopes: ['settings:read'] } })
    expect((await check(flow, json.key)).status).toBe(403)
  })

  it('does not change the ETag', async () => {
    const flow = await createFlowWith(smtpSettingsFor(smtp))
    const before = (await server.request('GET', pathOf(flow))).headers.get('etag') ?? ''
    await check(flow)
    const after = await server.request('GET', pathOf(flow))
    expect(after.headers.get('etag')).toBe(before)
    expect(after.json.updated_at).toBe(flow.updated_at)
    const patched = await server.request('PATCH', pathOf(flow), { json: { active: false }, headers: { 'If-Match': before } })
    expect(patched.status).toBe(200)
    expect(patched.json.health.status).toBe('healthy')
  })

  it('resets the health when the target or the credential changes', async () => {
    const flow = await createFlowWith(smtpSettingsFor(smtp))
    await check(flow)
    const renamed = await server.request('PATCH', pathOf(flow), { json: { name: 'Renamed', target: flow.target } })
    expect(renamed.json.health.status).toBe('healthy')
    const moved = await server.request('PATCH', pathOf(flow), { json: { target: 'other@example.com' } })
    expect(moved.json.health).toEqual({ status: 'unknown', code: null, detail: null, since: null, checked_at: null })
    expect((await readFlow(flow)).health).toEqual(moved.json.health)

    await check(flow)
    await server.request('PUT', `/v1/settings/projects/${flow.project_id}/integrations/smtp`, { json: { settings: smtpSettingsFor(smtp) } })
    expect((await readFlow(flow)).health.status).toBe('unknown')
    await check(flow)
    await server.request('DELETE', `/v1/settings/projects/${flow.project_id}/integrations/smtp`)
    expect((await readFlow(flow)).health.status).toBe('unknown')
  })

  it('does not change the health when the credential was replaced during the check', async () => {
    const sockets: Socket[] = []
    const silentServer = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(silentServer, 'listening')
    const flow = await createFlowWith(smtpSettingsFor(smtp, { port: (silentServer.address() as AddressInfo).port }))
    const checking = check(flow)
    await expect.poll(() => sockets.length).toBe(1)
    await server.request('PUT', `/v1/settings/projects/${flow.project_id}/integrations/smtp`, {
      json: { settings: smtpSettingsFor(smtp), secrets: { password: 'secret-1' } },
    })
    for (const socket of sockets) socket.destroy()
    silentServer.close()

    expect((await checking).json.ok).toBe(false)
    expect((await readFlow(flow)).health).toMatchObject({ status: 'unknown', checked_at: null })
  })
})
