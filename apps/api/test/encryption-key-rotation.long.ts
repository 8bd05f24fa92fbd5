import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { secretsProgram } from '../src/cli/secrets.ts'
import { readKeyId } from '../src/shared/encryption.ts'
import { onDatabase } from './support/direct-database.ts'
import { addFlow, readCompleted, send } from './support/resources.ts'
import { runBinary, runCommand } from './support/run-command.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import type { TestDatabase } from './support/test-database.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const createKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const rotate = (database: TestDatabase, keys: string, ...args: string[]) =>
  runCommand(secretsProgram, ['rotate', ...args], { ...database.env, FLOWPOST_ENCRYPTION_KEY: keys })

const createProject = async (server: TestServer, smtp: SmtpAuthServer, number: number): Promise<string> => {
  const project = await server.request('POST', '/v1/settings/projects', { json: { name: `project ${number}` } })
  const { id } = project.json
  await addFlow(server, id, { target: `ops${number}@example.com` })
  const response = await server.request('PUT', `/v1/settings/projects/${id}/integrations/smtp`, {
    json: { settings: smtpSettingsFor(smtp), secrets: { password: `password ${number}` } },
  })
  expect(response.status, response.text).toBe(200)
  return id
}

/** Returns the number of integrations that are encrypted with each key, keyed by its id. */
const countByKey = async (database: TestDatabase): Promise<Record<string, number>> => {
  const rows = await onDatabase(database, (query) =>
    query<{ secrets: Uint8Array }>('select secrets from integrations where secrets is not null'),
  )
  return Object.fromEntries([...Map.groupBy(rows, ({ secrets }) => readKeyId(secrets))].map(([id, group]) => [id, group.length]))
}

describe('rotation of the encryption key', () => {
  it('loses no credential or message while both are written, and makes the old key unnecessary', { timeout: 120_000 }, async () => {
    await using smtp = await startSmtpAuthServer()
    const [old, next] = [createKey('old'), createKey('next')]
    const env = (keys: string) => ({ env: { FLOWPOST_ENCRYPTION_KEY: keys, FLOWPOST_CAPTURE: 'off' }, egress: loopbackEgress })
    await using first = await startTestServer(env(old))
    const { database, keys } = first
    const count = 130
    const projects: string[] = []
    for (let number = 0; number < count; number += 1) projects.push(await createProject(first, smtp, number))
    await first.stop()

    const server = await startTestServer({ ...env(`${next},${old}`), database, keys })
    const etags = await Promise.all(
      projects
        .slice(0, 5)
        .map(async (id) => (await server.request('GET', `/v1/settings/projects/${id}/integrations/smtp`)).headers.get('etag')),
    )
    let rotating = true
    const accepted: string[] = []
    const sending = (async () => {
      for (let round = 0; rotating || round < 60; round += 1) {
        const id = projects[(round * 7) % count] ?? ''
        accepted.push((await send(server, id, { subject: `message ${round}` })).id)
        const otherId = projects[40 + (round % 90)] ?? ''
        const response = await server.request('PUT', `/v1/settings/projects/${otherId}/integrations/smtp`, {
          json: { settings: smtpSettingsFor(smtp) },
        })
        expect(response.status, response.text).toBe(200)
      }
    })()
    const result = await rotate(database, `${next},${old}`, '--json')
    rotating = false
    await sending

    expect(result.err).toBe('')
    const report = JSON.parse(result.out)
    expect(report).toMatchObject({ key: 'next', conflicts: 0, unreadable: 0 })
    expect(report.rotated).toBeGreaterThan(0)
    expect(report.rotated + report.current).toBeLessThanOrEqual(count)
    const completed = await Promise.all(accepted.map((id) => readCompleted(server, id)))
    expect(completed.filter(({ status }) => status !== 'sent')).toEqual([])
    expect(smtp.received.map(({ subject }) => subject).sort()).toEqual(accepted.map((_, round) => `message ${round}`).sort())
    for (const { to, password } of smtp.received) expect(`ops${password.replace('password ', '')}@example.com`).toBe(to)
    for (const [index, etag] of etags.entries())
      expect((await server.request('GET', `/v1/settings/projects/${projects[index]}/integrations/smtp`)).headers.get('etag')).toBe(etag)
    await server.stop()
    expect(await countByKey(database)).toEqual({ next: count })

    await using last = await startTestServer({ ...env(next), database, keys })
    expect((await readCompleted(last, (await send(last, projects[0] ?? '')).id)).status).toBe('sent')
  })

  it('fails and reports the integrations it cannot decrypt, without changing them', async () => {
    await using smtp = await startSmtpAuthServer()
    const [lost, next] = [createKey('lost'), createKey('next')]
    await using server = await startTestServer({ database: await createTestDatabase(), env: { FLOWPOST_ENCRYPTION_KEY: lost } })
    const project = await createProject(server, smtp, 1)
    await server.stop()
    const result = await rotate(server.database, next)
    expect(result.code).toBe(1)
    expect(result.out).toContain(`${project} smtp needs the key "lost"`)
    expect(result.out).toContain('0 integrations re-encrypted with the key next')
    expect(await countByKey(server.database)).toEqual({ lost: 1 })
  })

  it('fails if it cannot decrypt the recipient digest key', async () => {
    const [lost, next] = [createKey('lost'), createKey('next')]
    await using server = await startTestServer({ database: await createTestDatabase(), env: { FLOWPOST_ENCRYPTION_KEY: lost } })
    await server.stop()
    const unreadable = await rotate(server.database, next)
    expect(unreadable.code).toBe(1)
    expect(unreadable.out).toContain('Recipient digest key: cannot be decrypted with the given keys and did not change.')
    expect(unreadable.err).toContain('encrypted with the key \\"lost\\"')
    const rotated = await rotate(server.database, `${next},${lost}`)
    expect([rotated.code, rotated.err]).toEqual([0, ''])
    expect(rotated.out).toContain('Recipient digest key: re-encrypted.')
  })

  it('prints its usage, and reports invalid keys without exposing them', async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    await server.stop()
    const help = await runCommand(secretsProgram, ['--help'], {})
    const misused = await runBinary('secrets.js', ['turn'], {})
    const badKey = await rotate(server.database, 'k1:c2hvcnQ=,k1')
    expect([help.code, misused.code, badKey.code]).toEqual([0, 2, 1])
    expect(help.out).toContain('FLOWPOST_ENCRYPTION_KEY')
    expect(badKey.err).toContain('entry 1: the key must be the base64 of exactly 32 bytes')
    expect(badKey.err).toContain('entry 2 must be <id>:<base64 of 32 bytes>')
    expect(badKey.err).not.toContain('c2hvcnQ=')
  })
})

describe.runIf(inject('postgres'))('rotation on PostgreSQL', () => {
  it('fails without an encryption key', async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    const result = await runCommand(secretsProgram, ['rotate'], server.database.env)
    expect([result.code, result.out]).toEqual([1, ''])
    expect(result.err).toContain('set FLOWPOST_ENCRYPTION_KEY')
  })
})

describe.skipIf(inject('postgres'))('rotation on the embedded database', () => {
  it('is performed by the running server, which must encrypt with the requested key', async () => {
    await using smtp = await startSmtpAuthServer()
    const [old, next] = [createKey('old'), createKey('next')]
    await using server = await startTestServer({ database: await createTestDatabase(), env: { FLOWPOST_ENCRYPTION_KEY: old } })
    await createProject(server, smtp, 1)
    const rejected = await rotate(server.database, `${next},${old}`)
    expect(rejected.code).toBe(1)
    expect(rejected.err).toContain('The server encrypts with the key old, not with next.')
    const accepted = await rotate(server.database, old)
    expect([accepted.code, accepted.err]).toEqual([0, ''])
    expect(accepted.out).toContain('0 integrations re-encrypted with the key old; 1 integration already used it.')
  })

  it('fails if the server has not loaded the first key of the key file', async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    const path = join(server.database.dataDir, 'encryption.key')
    const old = readFileSync(path, 'utf8')
    writeFileSync(path, `${createKey('new')}\n${old}`)
    const rejected = await runCommand(secretsProgram, ['rotate'], server.database.env)
    expect([rejected.code, rejected.err]).toEqual([1, expect.stringContaining('Restart the server with new as its first key')])
    await server.stop()
    await using restarted = await server.restart()
    expect((await runCommand(secretsProgram, ['rotate'], restarted.database.env)).out).toContain('with the key new')
  })

  it('fails when the data folder has no database', async () => {
    await using server = await startTestServer()
    const dataDir = join(server.database.dataDir, 'typo')
    const result = await runCommand(secretsProgram, ['rotate'], { FLOWPOST_DATA_DIR: dataDir })
    expect([result.code, result.err]).toEqual([1, `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.\n`])
  })
})
