import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProject, statusForKey } from './support/api-keys.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

// Creating an embedded database takes a second of CPU time, which takes much longer on a busy machine.
const creationTimeoutMs = 120_000

const program = join(import.meta.dirname, '../bin/keys.js')

/** Runs the operator's command in a separate process. */
const runKeys = (args: readonly string[], env: Readonly<Record<string, string>>) =>
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

describe('pnpm keys, while a server is running', () => {
  it('creates a key for any user, which works at once', async () => {
    await using server = await startTestServer()
    const { code, stdout, stderr } = await runKeys(['create', '--user', 'dora', ...scopeArguments, '--name', 'ci'], server.database.env)

    expect([code, stdout]).toEqual([0, expect.stringMatching(/^fp_[0-9a-z]{26}_[A-Za-z0-9_-]{43}\n$/)])
    expect(stderr).toMatch(/^key_[0-9a-z]{26} for dora: settings:read, keys:write\. /)
    const { json } = await server.request('GET', '/v1/settings/api-keys', { key: stdout.trim() })
    expect(json.data).toMatchObject([{ name: 'ci', scopes: ['settings:read', 'keys:write'], project_id: null, expires_at: null }])
  })

  it('creates a key with a project and an expiry, but not with a project of another user', async () => {
    await using server = await startTestServer()
    const project = await createProject(server, 'billing')
    const options = [...scopeArguments, '--project', project, '--expires', '2999-01-01T00:00:00+01:00', '--json']
    const created = await runKeys(['create', '--user', 'alice', ...options], server.database.env)
    const rejected = await runKeys(['create', '--user', 'bob', ...options], server.database.env)

    expect(JSON.parse(created.stdout)).toMatchObject({ user_id: 'alice', project_id: project, expires_at: '2998-12-31T23:00:00.000Z' })
    expect(await statusForKey(server, JSON.parse(created.stdout).key)).toBe(200)
    expect([rejected.code, rejected.stdout, rejected.stderr]).toEqual([1, '', `The user bob has no project ${project}.\n`])
  })

  it('lists the keys of all users or of one, and revokes a key with its child keys', async () => {
    await using server = await startTestServer()
    const { env } = server.database
    const { stdout } = await runKeys(['create', '--user', 'dora', ...scopeArguments], env)
    const parent = stdout.trim()
    const child = await server.request('POST', '/v1/settings/api-keys', { key: parent, json: { name: 'child' } })
    const all = await runKeys(['list'], env)
    const keysOfDora = JSON.parse((await runKeys(['list', '--user', 'dora', '--json'], env)).stdout)
    const revoked = await runKeys(['revoke', keysOfDora[0].id], env)

    const [title, ...rows] = all.stdout.trimEnd().split('\n')
    expect(title).toMatch(/^ID +USER +NAME +SCOPES +PROJECT +EXPIRES +LAST USED +CREATED$/)
    expect(rows.map((row) => row.split(/ +/)[1])).toEqual(['alice', 'bob', 'dora', 'dora'])
    expect(all.stdout).not.toContain('fp_')
    expect(keysOfDora.map(({ name }: { name: string }) => name)).toEqual(['created by the operator', 'child'])
    expect([revoked.code, revoked.stdout.trimEnd().split('\n').sort()]).toEqual([
      0,
      keysOfDora.map(({ id }: { id: string }) => `revoked ${id}`).sort(),
    ])
    expect(await Promise.all([parent, child.json.key].map((key) => statusForKey(server, key)))).toEqual([401, 401])
    const again = await runKeys(['revoke', keysOfDora[0].id], env)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('or it is already revoked')])
  })

  it('reports every invalid argument', async () => {
    await using server = await startTestServer()
    const { env } = server.database
    const invalid = await runKeys(['create', '--user', 'oidc:1:x', '--scope', 'admin', '--expires', 'tomorrow', '--name', 'a\nb'], env)
    const past = await runKeys(['create', '--user', 'x', ...scopeArguments, '--expires', '2020-01-01T00:00:00Z'], env)
    const late = await runKeys(['create', '--user', 'x', ...scopeArguments, '--expires', '9999-12-31T23:59:59-01:00'], env)
    const withoutScope = await runKeys(['create', '--user', 'x'], env)

    expect(invalid.code).toBe(1)
    expect(
      invalid.stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ', 1)[0]),
    ).toEqual(['--user', '--scope', '--name', '--expires'])
    expect([past.code, past.stderr]).toEqual([1, '--expires must be in the future.\n'])
    expect([late.code, late.stderr]).toEqual([1, '--expires must be before the year 10000 in UTC.\n'])
    expect([withoutScope.code, withoutScope.stderr]).toEqual([
      1,
      expect.stringContaining('--scope is required. Give at least one of: settings:read'),
    ])
  })
})

describe('pnpm keys, while no server is running', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.remove())

  it('creates a key in the database, and a server that starts later accepts it', async () => {
    const created = await runKeys(['create', '--user', 'dora', ...scopeArguments], database.env)
    const listed = await runKeys(['list', '--json'], database.env)
    const server = await startTestServer({ database })

    expect(created.code).toBe(0)
    expect(JSON.parse(listed.stdout)).toMatchObject([{ user_id: 'dora' }])
    expect(await statusForKey(server, created.stdout.trim())).toBe(200)
    await server.stop()
  })

  it('creates the keys of concurrent runs, or reports which process uses the embedded database', async () => {
    const runs = await Promise.all(
      ['one', 'two', 'three'].map((name) => runKeys(['create', '--user', 'dora', ...scopeArguments, '--name', name], database.env)),
    )
    const succeeded = runs.filter(({ code }) => code === 0)
    const listed = JSON.parse((await runKeys(['list', '--json'], database.env)).stdout)

    // Only one process can open the embedded database.
    for (const { stderr } of runs.filter(({ code }) => code !== 0))
      expect(stderr).toMatch(/Another operator command is running|in use by|did not answer/)
    expect(succeeded.length).toBeGreaterThan(database.url === undefined ? 0 : 2)
    expect(listed).toHaveLength(succeeded.length)
  })
})

describe('pnpm keys, without a database', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'flowpost-cli-')), 'data')
  })
  afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }))

  it('prints its help', async () => {
    const { code, stdout } = await runKeys(['--help'], {})

    expect(code).toBe(0)
    for (const text of ['pnpm keys create', 'pnpm keys list', 'pnpm keys revoke', '--scope', 'notifications:send'])
      expect(stdout).toContain(text)
  })

  it('names the valid commands when the command is unknown', async () => {
    const { code, stdout, stderr } = await runKeys(['crate'], {})

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe('Unknown command crate. The commands are create, list and revoke. Run `pnpm keys --help` for help.\n')
  })

  it('reports a data folder without a database, and does not create one', async () => {
    const { code, stderr } = await runKeys(['list'], { FLOWPOST_DATA_DIR: dataDir })

    expect([code, stderr]).toEqual([1, `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.\n`])
    expect(existsSync(dataDir)).toBe(false)
  })

  it('creates no database when an argument is invalid', async () => {
    const { code, stderr } = await runKeys(['create', '--user', 'dora', '--scope', 'admin'], { FLOWPOST_DATA_DIR: dataDir })

    expect([code, stderr]).toEqual([1, expect.stringContaining('--scope must be one of')])
    expect(existsSync(dataDir)).toBe(false)
  })

  it(
    'creates the database with the first key',
    async () => {
      const created = await runKeys(['create', '--user', 'dora', ...scopeArguments], { FLOWPOST_DATA_DIR: dataDir })
      const listed = await runKeys(['list', '--json'], { FLOWPOST_DATA_DIR: dataDir })

      expect([created.code, created.stderr]).toEqual([0, expect.stringContaining(`Created a new database in ${dataDir}.`)])
      expect(JSON.parse(listed.stdout)).toMatchObject([{ user_id: 'dora' }])
    },
    creationTimeoutMs,
  )

  it('reports an unreachable database and an invalid environment variable', async () => {
    const unreachable = await runKeys(['list'], { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/flowpost' })
    const invalid = await runKeys(['list'], { PORT: 'x' })

    expect([unreachable.code, unreachable.stderr]).toEqual([1, 'The database at DATABASE_URL cannot be reached.\n'])
    expect([invalid.code, invalid.stderr]).toEqual([1, expect.stringContaining('PORT must be a whole number')])
  })
})
