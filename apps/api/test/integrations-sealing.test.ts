import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { loopbackEgress, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const slack = { settings: {}, secrets: { token: 'xoxb-1' } }
const pathOf = (projectId: string, sourceType: string) => `/v1/settings/projects/${projectId}/integrations/${sourceType}`

const newProject = async (server: TestServer, name = 'billing'): Promise<string> =>
  (await server.request('POST', '/v1/settings/projects', { json: { name } })).json.id

describe.runIf(inject('postgres'))('on PostgreSQL without an encryption key', () => {
  it('a secret is refused with 409, and what has none is stored', async () => {
    await using server = await startTestServer()
    const project = await newProject(server)
    const refused = await server.request('PUT', pathOf(project, 'slack'), { json: slack })
    expect([refused.status, refused.json.code]).toEqual([409, 'encryption_not_configured'])
    expect((await server.request('GET', pathOf(project, 'slack'))).status).toBe(404)
    const faulty = await server.request('PUT', pathOf(project, 'slack'), { json: { settings: { x: 1 }, secrets: { token: 'xoxb-1' } } })
    expect(faulty.status).toBe(422)
    const open = await server.request('PUT', pathOf(project, 'smtp'), {
      json: { settings: { host: 'smtp.example.com', from: 'b@example.com' }, secrets: { password: null } },
    })
    expect([open.status, open.json.secrets]).toEqual([200, {}])
  })
})

describe.skipIf(inject('postgres'))('on the embedded database without an encryption key', () => {
  it('a key is made in the data folder for its owner alone, and kept', async () => {
    await using server = await startTestServer()
    const path = join(server.database.dataDir, 'encryption.key')
    const made = await readFile(path, 'utf8')
    expect(made).toMatch(/^local-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const project = await newProject(server)
    expect((await server.request('PUT', pathOf(project, 'slack'), { json: slack })).status).toBe(200)
    await server.stop()

    await using next = await server.restart()
    expect(await readFile(path, 'utf8')).toBe(made)
    // Stored secrets are decrypted and encrypted again with the same key.
    expect((await next.request('PUT', pathOf(project, 'slack'), { json: { settings: {} } })).status).toBe(200)
  })

  it('its key still decrypts after the environment brings another one', async () => {
    await using server = await startTestServer()
    const project = await newProject(server)
    await server.request('PUT', pathOf(project, 'slack'), { json: slack })
    await server.stop()
    await using next = await server.restart({ env: { FLOWPOST_ENCRYPTION_KEY: key('given') } })
    expect((await next.request('PUT', pathOf(project, 'slack'), { json: { settings: {} } })).status).toBe(200)
  })

  it('a damaged key keeps the server from starting, without being repeated, and an empty file is made anew', async () => {
    await using server = await startTestServer()
    const path = join(server.database.dataDir, 'encryption.key')
    await server.stop()
    await writeFile(path, 'local-1:bm90IGEga2V5\n')
    const error = await server.restart().then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toContain(path)
    expect(error?.message).not.toContain('bm90IGEga2V5')
    await writeFile(path, '')
    await chmod(path, 0o644)
    await using next = await server.restart()
    expect(await readFile(path, 'utf8')).toMatch(/^local-/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(next.url).toContain('http')
  })
})

describe('an encrypted secret', () => {
  it('does not decrypt in another project that its row is copied to', async () => {
    await using smtp = await startSmtpAuthServer()
    const env = { FLOWPOST_ENCRYPTION_KEY: key('k1'), FLOWPOST_CAPTURE: 'off' }
    await using server = await startTestServer({ env, egress: loopbackEgress })
    const { project: victim } = await createFlow(server)
    const { project: thief } = await createFlow(server)
    for (const [id, password] of [
      [victim.id, 'victims-password'],
      [thief.id, 'thiefs-password'],
    ])
      await server.request('PUT', pathOf(id, 'smtp'), { json: { settings: smtpSettingsFor(smtp), secrets: { password } } })
    await server.stop()
    await onDatabase(server.database, async (query) => {
      const moved = await query(
        `update integrations t set secrets = v.secrets from integrations v, projects tp, projects vp
         where t.project_id = tp.id and v.project_id = vp.id and tp.name = $1 and vp.name = $2 returning 1`,
        [thief.name, victim.name],
      )
      expect(moved).toHaveLength(1)
    })

    await using next = await server.restart()
    const stolen = await waitForDeliveryStatus(next, (await send(next, thief.id)).id, 'retrying')
    expect(stolen.deliveries[0].failure).toMatchObject({ kind: 'credential', code: 'secret_unreadable', retryable: true })
    expect((await readCompleted(next, (await send(next, victim.id)).id)).status).toBe('sent')
    expect(smtp.received.map(({ password }) => password)).toEqual(['victims-password'])
    const reported = next.logged.filter((line) => line.includes('cannot be decrypted'))
    expect(reported).toHaveLength(1)
    expect(JSON.parse(reported[0] ?? '')).toMatchObject({ level: 'error', project: thief.id, source_type: 'smtp', reason: 'not_authentic' })
  })

  it('under a key that is missing waits for it: messages are retried, reads work, and a kept secret is asked for anew', async () => {
    await using smtp = await startSmtpAuthServer()
    const [first, second] = [key('k1'), key('k2')]
    const settings = { egress: loopbackEgress, retryPolicy: { initialWaitMs: 200, maxWaitMs: 200, budgetMs: 60_000 } }
    await using server = await startTestServer({ ...settings, env: { FLOWPOST_ENCRYPTION_KEY: first, FLOWPOST_CAPTURE: 'off' } })
    const { project, flow } = await createFlow(server)
    await server.request('PUT', pathOf(project.id, 'smtp'), {
      json: { settings: smtpSettingsFor(smtp), secrets: { password: 'secret-1' } },
    })
    await server.stop()

    const without = await server.restart({ ...settings, env: { FLOWPOST_ENCRYPTION_KEY: second, FLOWPOST_CAPTURE: 'off' } })
    const read = await without.request('GET', pathOf(project.id, 'smtp'))
    expect(read.json.secrets).toEqual({ password: { set: true } })
    const kept = await without.request('PUT', pathOf(project.id, 'smtp'), { json: { settings: smtpSettingsFor(smtp) } })
    expect(kept.json.errors).toEqual([expect.objectContaining({ pointer: '/secrets/password', code: 'required' })])
    const checked = await without.request('POST', `/v1/settings/projects/${project.id}/flows/${flow.id}/check`)
    expect(checked.json).toMatchObject({ ok: false, checks: [{ name: 'credential', code: 'secret_unreadable' }] })
    const waiting = await send(without, project.id)
    await waitForDeliveryStatus(without, waiting.id, 'retrying')
    await without.stop()

    await using back = await server.restart({
      ...settings,
      env: { FLOWPOST_ENCRYPTION_KEY: `${second},${first}`, FLOWPOST_CAPTURE: 'off' },
    })
    expect((await readCompleted(back, waiting.id)).status).toBe('sent')
    expect(smtp.received).toHaveLength(1)
  })
})
