import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { loopbackEgress, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const createKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const slack = { settings: {}, secrets: { token: 'xoxb-1' } }
const pathOf = (projectId: string, sourceType: string) => `/v1/settings/projects/${projectId}/integrations/${sourceType}`

const createProject = async (server: TestServer, name = 'billing'): Promise<string> =>
  (await server.request('POST', '/v1/settings/projects', { json: { name } })).json.id

describe.runIf(inject('postgres'))('on PostgreSQL without an encryption key', () => {
  it('an integration with a secret is rejected with 409, and one without is stored', async () => {
    await using server = await startTestServer()
    const project = await createProject(server)
    const rejected = await server.request('PUT', pathOf(project, 'slack'), { json: slack })
    expect([rejected.status, rejected.json.code]).toEqual([409, 'encryption_not_configured'])
    expect((await server.request('GET', pathOf(project, 'slack'))).status).toBe(404)
    const invalid = await server.request('PUT', pathOf(project, 'slack'), { json: { settings: { x: 1 }, secrets: { token: 'xoxb-1' } } })
    expect(invalid.status).toBe(422)
    const withoutSecret = await server.request('PUT', pathOf(project, 'smtp'), {
      json: { settings: { host: 'smtp.example.com', from: 'b@example.com' }, secrets: { password: null } },
    })
    expect([withoutSecret.status, withoutSecret.json.secrets]).toEqual([200, {}])
  })
})

describe.skipIf(inject('postgres'))('on the embedded database without an encryption key', () => {
  it('a key file that only its owner can read is created and used again after a restart', async () => {
    await using server = await startTestServer()
    const path = join(server.database.dataDir, 'encryption.key')
    const keyFile = await readFile(path, 'utf8')
    expect(keyFile).toMatch(/^local-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const project = await createProject(server)
    expect((await server.request('PUT', pathOf(project, 'slack'), { json: slack })).status).toBe(200)
    await server.stop()

    await using next = await server.restart()
    expect(await readFile(path, 'utf8')).toBe(keyFile)
    // Stored secrets are decrypted and encrypted again with the same key.
    expect((await next.request('PUT', pathOf(project, 'slack'), { json: { settings: {} } })).status).toBe(200)
  })

  it('secrets that were encrypted with the created key can be used after FLOWPOST_ENCRYPTION_KEY was set', async () => {
    await using server = await startTestServer()
    const project = await createProject(server)
    await server.request('PUT', pathOf(project, 'slack'), { json: slack })
    await server.stop()
    await using next = await server.restart({ env: { FLOWPOST_ENCRYPTION_KEY: createKey('configured') } })
    expect((await next.request('PUT', pathOf(project, 'slack'), { json: { settings: {} } })).status).toBe(200)
  })

  it('the server does not start with a damaged key file, and replaces an empty one', async () => {
    await using server = await startTestServer()
    const path = join(server.database.dataDir, 'encryption.key')
    await server.stop()
    await writeFile(path, 'local-1:bm90IGEga2V5\n')
    const error = await server.restart().then(
      () => undefined,
      (reason: Error) => reason,
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
  it('is not decrypted after it was copied to another project', async () => {
    await using smtp = await startSmtpAuthServer()
    const env = { FLOWPOST_ENCRYPTION_KEY: createKey('k1'), FLOWPOST_CAPTURE: 'off' }
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
      const updated = await query(
        `update integrations t set secrets = v.secrets from integrations v, projects tp, projects vp
         where t.project_id = tp.id and v.project_id = vp.id and tp.name = $1 and vp.name = $2 returning 1`,
        [thief.name, victim.name],
      )
      expect(updated).toHaveLength(1)
    })

    await using next = await server.restart()
    const notification = await waitForDeliveryStatus(next, (await send(next, thief.id)).id, 'retrying')
    expect(notification.deliveries[0].failure).toMatchObject({ kind: 'credential', code: 'secret_unreadable', retryable: true })
    expect((await readCompleted(next, (await send(next, victim.id)).id)).status).toBe('sent')
    expect(smtp.received.map(({ password }) => password)).toEqual(['victims-password'])
    const warnings = next.logged.filter((line) => line.includes('cannot be decrypted'))
    expect(warnings).toHaveLength(1)
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({ level: 'error', project: thief.id, source_type: 'smtp', reason: 'not_authentic' })
  })

  it('can be used again once its missing key is configured, and messages are retried until then', async () => {
    await using smtp = await startSmtpAuthServer()
    const [first, second] = [createKey('k1'), createKey('k2')]
    const options = { egress: loopbackEgress, retryPolicy: { initialWaitMs: 200, maxWaitMs: 200, budgetMs: 60_000 } }
    await using server = await startTestServer({ ...options, env: { FLOWPOST_ENCRYPTION_KEY: first, FLOWPOST_CAPTURE: 'off' } })
    const { project, flow } = await createFlow(server)
    await server.request('PUT', pathOf(project.id, 'smtp'), {
      json: { settings: smtpSettingsFor(smtp), secrets: { password: 'secret-1' } },
    })
    const { path: inbound } = (await server.request('POST', `${pathOf(project.id, 'smtp')}/rotate-inbound`)).json
    await server.stop()

    const withoutKey = await server.restart({ ...options, env: { FLOWPOST_ENCRYPTION_KEY: second, FLOWPOST_CAPTURE: 'off' } })
    const read = await withoutKey.request('GET', pathOf(project.id, 'smtp'))
    expect(read.json.secrets).toEqual({ password: { set: true } })
    const unchangedSecret = await withoutKey.request('PUT', pathOf(project.id, 'smtp'), { json: { settings: smtpSettingsFor(smtp) } })
    expect(unchangedSecret.json.errors).toEqual([expect.objectContaining({ pointer: '/secrets/password', code: 'required' })])
    const checked = await withoutKey.request('POST', `/v1/settings/projects/${project.id}/flows/${flow.id}/check`)
    expect(checked.json).toMatchObject({ ok: false, checks: [{ name: 'credential', code: 'secret_unreadable' }] })
    const pending = await send(withoutKey, project.id)
    await waitForDeliveryStatus(withoutKey, pending.id, 'retrying')
    // Recipients are found by digest. The key of the digests is encrypted with the missing key too.
    const search = await withoutKey.request('GET', '/v1/notifications?target=ops@example.com')
    expectProblem(search, 'unavailable')
    const headers = { 'Content-Type': 'message/rfc822' }
    const report = await withoutKey.request('POST', inbound, { body: 'Subject: Undelivered', headers, key: null })
    expectProblem(report, 'unavailable')
    for (const response of [search, report]) expect(response.headers.get('retry-after')).toBe('60')
    expect(withoutKey.logged.filter((line) => line.includes('recipient digest key'))).toHaveLength(1)
    await withoutKey.stop()

    await using withBothKeys = await server.restart({
      ...options,
      env: { FLOWPOST_ENCRYPTION_KEY: `${second},${first}`, FLOWPOST_CAPTURE: 'off' },
    })
    expect((await readCompleted(withBothKeys, pending.id)).status).toBe('sent')
    expect((await withBothKeys.request('GET', '/v1/notifications?target=ops@example.com')).json.data).toHaveLength(1)
    expect(smtp.received).toHaveLength(1)
  })
})
