import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProject, statusWith } from './support/api-keys.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

// Making an embedded database takes a second of computing; a busy machine takes many to give it.
const creationTimeoutMs = 120_000

const program = join(import.meta.dirname, '../bin/keys.js')

/** Runs the operator's command as a process of its own. */
const keys = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } })
    const text = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text.stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text.stderr += chunk
    })
    child.on('close', (code) => resolve({ code, ...text }))
  })

const scopeArguments = ['--scope', 'settings:read', '--scope', 'keys:write']

describe('the command keys, beside a server that runs', () => {
  it('makes a key for any user, which works at once', async () => {
    await using server = await startTestServer()
    const { code, stdout, stderr } = await keys(['create', '--user', 'dora', ...scopeArguments, '--name', 'ci'], server.database.env)

    expect([code, stdout]).toEqual([0, expect.stringMatching(/^fp_[0-9a-z]{26}_[A-Za-z0-9_-]{43}\n$/)])
    expect(stderr).toMatch(/^key_[0-9a-z]{26} for dora: settings:read, keys:write\. /)
    const { json } = await server.request('GET', '/v1/settings/api-keys', { key: stdout.trim() })
    expect(json.data).toMatchObject([{ name: 'ci', scopes: ['settings:read', 'keys:write'], project_id: null, expires_at: null }])
  })

  it('makes a key that is bound and ends, for a project of its user only', async () => {
    await using server = await startTestServer()
    const project = await createProject(server, 'billing')
    const more = [...scopeArguments, '--project', project, '--expires', '2999-01-01T00:00:00+01:00', '--json']
    const made = await keys(['create', '--user', 'alice', ...more], server.database.env)
    const refused = await keys(['create', '--user', 'bob', ...more], server.database.env)

    expect(JSON.parse(made.stdout)).toMatchObject({ user_id: 'alice', project_id: project, expires_at: '2998-12-31T23:00:00.000Z' })
    expect(await statusWith(server, JSON.parse(made.stdout).key)).toBe(200)
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, '', `The user bob has no project ${project}.\n`])
  })

  it('lists the keys of all users or of one, and revokes a key with those that were made with it', async () => {
    await using server = await startTestServer()
    const { env } = server.database
    const { stdout } = await keys(['create', '--user', 'dora', ...scopeArguments], env)
    const parent = stdout.trim()
    const child = await server.request('POST', '/v1/settings/api-keys', { key: parent, json: { name: 'child' } })
    const everyone = await keys(['list'], env)
    const ofDora = JSON.parse((await keys(['list', '--user', 'dora', '--json'], env)).stdout)
    const revoked = await keys(['revoke', ofDora[0].id], env)

    const [title, ...rows] = everyone.stdout.trimEnd().split('\n')
    expect(title).toMatch(/^ID +USER +NAME +SCOPES +PROJECT +EXPIRES +LAST USED +CREATED$/)
    expect(rows.map((row) => row.split(/ +/)[1])).toEqual(['alice', 'bob', 'dora', 'dora'])
    expect(everyone.stdout).not.toContain('fp_')
    expect(ofDora.map(({ name }: { name: string }) => name)).toEqual(['created by the operator', 'child'])
    expect([revoked.code, revoked.stdout.trimEnd().split('\n').sort()]).toEqual([
      0,
      ofDora.map(({ id }: { id: string }) => `revoked ${id}`).sort(),
    ])
    expect(await Promise.all([parent, child.json.key].map((key) => statusWith(server, key)))).toEqual([401, 401])
    const again = await keys(['revoke', ofDora[0].id], env)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('or it is already revoked')])
  })

  it('says every fault of what it is given', async () => {
    await using server = await startTestServer()
    const { env } = server.database
    const bad = await keys(['create', '--user', 'oidc:1:x', '--scope', 'admin', '--expires', 'tomorrow', '--name', 'a\nb'], env)
    const past = await keys(['create', '--user', 'x', ...scopeArguments, '--expires', '2020-01-01T00:00:00Z'], env)
    const late = await keys(['create', '--user', 'x', ...scopeArguments, '--expires', '9999-12-31T23:59:59-01:00'], env)
    const none = await keys(['create', '--user', 'x'], env)

    expect(bad.code).toBe(1)
    expect(
      bad.stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ', 1)[0]),
    ).toEqual(['--user', '--scope', '--name', '--expires'])
    expect([past.code, past.stderr]).toEqual([1, '--expires must be in the future.\n'])
    expect([late.code, late.stderr]).toEqual([1, '--expires must be before the year 10000 in UTC.\n'])
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('--scope is required at least once: one of settings:read')])
  })
})

describe('the command keys, with no server running', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.remove())

  it('uses the database itself, and a server that starts later finds its work', async () => {
    const made = await keys(['create', '--user', 'dora', ...scopeArguments], database.env)
    const listed = await keys(['list', '--json'], database.env)
    const server = await startTestServer({ database })

    expect(made.code).toBe(0)
    expect(JSON.parse(listed.stdout)).toMatchObject([{ user_id: 'dora' }])
    expect(await statusWith(server, made.stdout.trim())).toBe(200)
    await server.stop()
  })

  it('can be run many times at once', async () => {
    const runs = await Promise.all(
      ['one', 'two', 'three'].map((name) => keys(['create', '--user', 'dora', ...scopeArguments, '--name', name], database.env)),
    )
    const done = runs.filter(({ code }) => code === 0)
    const listed = JSON.parse((await keys(['list', '--json'], database.env)).stdout)

    // On the embedded database one holds the folder; the others are told who.
    for (const { stderr } of runs.filter(({ code }) => code !== 0))
      expect(stderr).toMatch(/Another operator command is running|in use by|did not answer/)
    expect(done.length).toBeGreaterThan(database.url === undefined ? 0 : 2)
    expect(listed).toHaveLength(done.length)
  })
})

describe('the command keys, on its own', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'flowpost-cli-')), 'data')
  })
  afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }))

  it('explains itself', async () => {
    const { code, stdout } = await keys(['--help'], {})

    expect(code).toBe(0)
    for (const text of ['pnpm keys create', 'pnpm keys list', 'pnpm keys revoke', '--scope', 'notifications:send'])
      expect(stdout).toContain(text)
  })

  it('points to its help when it is misused', async () => {
    const { code, stdout, stderr } = await keys(['crate'], {})

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe('Unknown command crate. The commands are create, list and revoke. Run `pnpm keys --help` for help.\n')
  })

  it('does not take a path that was mistyped for an empty database', async () => {
    const { code, stderr } = await keys(['list'], { FLOWPOST_DATA_DIR: dataDir })

    expect([code, stderr]).toEqual([1, `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.\n`])
    expect(existsSync(dataDir)).toBe(false)
  })

  it('makes no database for a command with a fault', async () => {
    const { code, stderr } = await keys(['create', '--user', 'dora', '--scope', 'admin'], { FLOWPOST_DATA_DIR: dataDir })

    expect([code, stderr]).toEqual([1, expect.stringContaining('--scope must be one of')])
    expect(existsSync(dataDir)).toBe(false)
  })

  it(
    'makes the first key of a database that is not there yet',
    async () => {
      const made = await keys(['create', '--user', 'dora', ...scopeArguments], { FLOWPOST_DATA_DIR: dataDir })
      const listed = await keys(['list', '--json'], { FLOWPOST_DATA_DIR: dataDir })

      expect([made.code, made.stderr]).toEqual([0, expect.stringContaining(`Created a new database in ${dataDir}.`)])
      expect(JSON.parse(listed.stdout)).toMatchObject([{ user_id: 'dora' }])
    },
    creationTimeoutMs,
  )

  it('says that the database cannot be reached, and what is wrong with the environment', async () => {
    const away = await keys(['list'], { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/flowpost' })
    const wrong = await keys(['list'], { PORT: 'x' })

    expect([away.code, away.stderr]).toEqual([1, 'The database of DATABASE_URL cannot be reached.\n'])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('PORT must be a whole number')])
  })
})
