import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keysProgram } from '../src/cli/keys.ts'
import { createProject, statusForKey } from './support/api-keys.ts'
import { runBinary, runCommand } from './support/run-command.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

// Creating an embedded database takes a second of CPU time, and much more elapsed time on a busy machine.
const creationTimeoutMs = 120_000

type Environment = Readonly<Record<string, string>>

const runKeys = (args: readonly string[], env: Environment) => runCommand(keysProgram, args, env)
const runKeysProcess = (args: readonly string[], env: Environment) => runBinary('keys.js', args, env)

const scopeArguments = ['--scope', 'settings:read', '--scope', 'keys:write']

describe('pnpm keys, while a server is running', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({ database: await createTestDatabase() })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('creates a key for any user, which works at once', async () => {
    const { env } = server.database
    const { code, out, err } = await runKeysProcess(['create', '--user', 'dora', ...scopeArguments, '--name', 'ci'], env)

    expect([code, out]).toEqual([0, expect.stringMatching(/^fp_[0-9a-z]{26}_[A-Za-z0-9_-]{43}\n$/)])
    expect(err).toMatch(/^key_[0-9a-z]{26} \(live\) for dora: settings:read, keys:write\. /)
    const { json } = await server.request('GET', '/v1/settings/api-keys', { key: out.trim() })
    expect(json.data).toMatchObject([{ name: 'ci', scopes: ['settings:read', 'keys:write'], project_id: null, expires_at: null }])
  })

  it("creates a key with a project and an expiry, but not with another user's project", async () => {
    const project = await createProject(server, 'billing')
    const options = [...scopeArguments, '--project', project, '--expires', '2999-01-01T00:00:00+01:00', '--json']
    const created = await runKeys(['create', '--user', 'alice', ...options], server.database.env)
    const rejected = await runKeys(['create', '--user', 'bob', ...options], server.database.env)

    expect(JSON.parse(created.out)).toMatchObject({ user_id: 'alice', project_id: project, expires_at: '2998-12-31T23:00:00.000Z' })
    expect(await statusForKey(server, JSON.parse(created.out).key)).toBe(200)
    expect([rejected.code, rejected.out, rejected.err]).toEqual([1, '', `The user bob has no project ${project}.\n`])
  })

  it('lists the keys of one user or of all users, and revokes a key with its child keys', async () => {
    const { env } = server.database
    const { out } = await runKeys(['create', '--user', 'erin', ...scopeArguments], env)
    const parent = out.trim()
    const child = await server.request('POST', '/v1/settings/api-keys', { key: parent, json: { name: 'child' } })
    const all = await runKeys(['list'], env)
    const keysOfErin = JSON.parse((await runKeys(['list', '--user', 'erin', '--json'], env)).out)
    const revoked = await runKeys(['revoke', keysOfErin[0].id], env)

    const [title, ...rows] = all.out.trimEnd().split('\n')
    expect(title).toMatch(/^ID +USER +NAME +MODE +SCOPES +PROJECT +EXPIRES +LAST USED +CREATED$/)
    const users = rows.map((row) => row.split(/ +/)[1])
    expect(users).toEqual(expect.arrayContaining(['alice', 'bob', 'erin']))
    expect(users.filter((user) => user === 'erin')).toHaveLength(2)
    expect(all.out).not.toContain('fp_')
    expect(keysOfErin.map(({ name }: { name: string }) => name)).toEqual(['created by the operator', 'child'])
    expect([revoked.code, revoked.out.trimEnd().split('\n').sort()]).toEqual([
      0,
      keysOfErin.map(({ id }: { id: string }) => `revoked ${id}`).sort(),
    ])
    // The server receives the notification of the revocation a moment after the command has ended.
    await expect.poll(() => Promise.all([parent, child.json.key].map((key) => statusForKey(server, key)))).toEqual([401, 401])
    const again = await runKeys(['revoke', keysOfErin[0].id], env)
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('or it is already revoked')])
  })

  it('reports every invalid argument', async () => {
    const { env } = server.database
    const invalid = await runKeys(['create', '--user', 'oidc:1:x', '--scope', 'admin', '--expires', 'tomorrow', '--name', 'a\nb'], env)
    const past = await runKeys(['create', '--user', 'x', ...scopeArguments, '--expires', '2020-01-01T00:00:00Z'], env)
    const late = await runKeys(['create', '--user', 'x', ...scopeArguments, '--expires', '9999-12-31T23:59:59-01:00'], env)
    const withoutScope = await runKeys(['create', '--user', 'x'], env)

    expect(invalid.code).toBe(1)
    expect(
      invalid.err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ', 1)[0]),
    ).toEqual(['--user', '--scope', '--name', '--expires'])
    expect([past.code, past.err]).toEqual([1, '--expires must be in the future.\n'])
    expect([late.code, late.err]).toEqual([1, '--expires must be before the year 10000 in UTC.\n'])
    expect([withoutScope.code, withoutScope.err]).toEqual([
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
    expect(JSON.parse(listed.out)).toMatchObject([{ user_id: 'dora' }])
    expect(await statusForKey(server, created.out.trim())).toBe(200)
    await server.stop()
  })

  it('creates the keys of concurrent runs, or reports which process uses the embedded database', async () => {
    const runs = await Promise.all(
      [runKeys, runKeys, runKeysProcess].map((run, index) =>
        run(['create', '--user', 'dora', ...scopeArguments, '--name', `key ${index}`], database.env),
      ),
    )
    const succeeded = runs.filter(({ code }) => code === 0)
    const listed = JSON.parse((await runKeys(['list', '--json'], database.env)).out)

    // Only one process can open the embedded database.
    for (const { err } of runs.filter(({ code }) => code !== 0))
      expect(err).toMatch(/Another operator command is running|in use by|did not answer/)
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
    const { code, out } = await runKeys(['--help'], {})

    expect(code).toBe(0)
    for (const text of ['pnpm keys create', 'pnpm keys list', 'pnpm keys revoke', '--scope', 'notifications:send'])
      expect(out).toContain(text)
  })

  it('names the valid commands when the command is unknown', async () => {
    const { code, out, err } = await runKeysProcess(['crate'], {})

    expect([code, out]).toEqual([2, ''])
    expect(err).toBe('Unknown command crate. The commands are create, list and revoke. Run `pnpm keys --help` for help.\n')
  })

  it('reports a data folder without a database, and does not create one', async () => {
    const { code, err } = await runKeys(['list'], { FLOWPOST_DATA_DIR: dataDir })

    expect([code, err]).toEqual([1, `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.\n`])
    expect(existsSync(dataDir)).toBe(false)
  })

  it('creates no database when an argument is invalid', async () => {
    const { code, err } = await runKeys(['create', '--user', 'dora', '--scope', 'admin'], { FLOWPOST_DATA_DIR: dataDir })

    expect([code, err]).toEqual([1, expect.stringContaining('--scope must be one of')])
    expect(existsSync(dataDir)).toBe(false)
  })

  it(
    'creates the database with the first key',
    async () => {
      const created = await runKeys(['create', '--user', 'dora', ...scopeArguments], { FLOWPOST_DATA_DIR: dataDir })
      const listed = await runKeys(['list', '--json'], { FLOWPOST_DATA_DIR: dataDir })

      expect([created.code, created.err]).toEqual([0, expect.stringContaining(`Created a new database in ${dataDir}.`)])
      expect(JSON.parse(listed.out)).toMatchObject([{ user_id: 'dora' }])
    },
    creationTimeoutMs,
  )

  it('reports an unreachable database and an invalid environment variable', async () => {
    const unreachable = await runKeys(['list'], { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/flowpost' })
    const invalid = await runKeys(['list'], { PORT: 'x' })

    expect([unreachable.code, unreachable.err]).toEqual([1, 'The database at DATABASE_URL cannot be reached.\n'])
    expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining('PORT must be a whole number')])
  })
})
