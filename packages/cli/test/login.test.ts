import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createFlowpostMock } from '@flowpost/testing'
import { startMockServer } from '@flowpost/testing/server'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { devEnvironmentPath, formatDevEnvironment } from '../src/environments/folder-environment.ts'
import { createMachine } from './support/run-cli.ts'

const mock = createFlowpostMock()
const server = await startMockServer(mock)
afterAll(() => server.close())
const { home, run } = createMachine()
const file = join(home, '.config/flowpost/environments.json')

const login = (name: string) => run(['login', name, '--url', server.url], { stdin: `${mock.apiKey}\n` })

beforeEach(async () => {
  await login('local')
})

describe('flowpost login', () => {
  it('stores the server and the key for this user only', async () => {
    const { code, stdout } = await login('work')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Stored http:\S+ as work \(key key_\w+\)\. It is now the current server\.\n$/)
    expect(stdout).not.toContain(mock.apiKey)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      current: 'work',
      environments: { local: {}, work: { base_url: server.url, api_key: mock.apiKey } },
    })
    // No temporary file remains.
    expect(readdirSync(dirname(file))).toEqual(['environments.json'])
  })

  it('stores every server when several commands run at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `same-time-${index}`)
    const results = await Promise.all(names.map((name) => run(['login', name, '--no-check', '--url', server.url], { stdin: 'fp_x' })))
    expect(results.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).environments)).toEqual(expect.arrayContaining(names))
    expect(readdirSync(dirname(file))).toEqual(['environments.json'])
  })

  it('deletes a lock file that a crash has left behind', async () => {
    writeFileSync(`${file}.lock`, '')
    utimesSync(`${file}.lock`, new Date(), new Date(Date.now() - 60_000))
    expect((await login('unlocked')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('unlocked')
    expect(readdirSync(dirname(file))).toEqual(['environments.json'])
  })

  it('waits while another process has the lock', async () => {
    writeFileSync(`${file}.lock`, '')
    const result = login('waited')
    await setTimeout(100)
    expect(readFileSync(file, 'utf8')).not.toContain('waited')
    rmSync(`${file}.lock`)
    expect((await result).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('waited')
  })

  it('asks for the URL and the key at a terminal', async () => {
    const { code, stdout } = await run(['login', 'asked'], { answers: [`${server.url}/`, mock.apiKey] })
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Stored ${server.url} as asked`)])
  })

  it('stores nothing when a question is canceled', async () => {
    const before = readFileSync(file, 'utf8')
    const { code, stderr } = await run(['login', 'canceled'], { answers: [server.url, undefined] })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Canceled. Nothing was stored.')])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('stores nothing when the server rejects the key', async () => {
    const { code, stderr } = await run(['login', 'wrong', '--url', server.url], { stdin: 'fp_wrong' })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Run `flowpost login` with another key.')])
    expect(readFileSync(file, 'utf8')).not.toContain('wrong')
  })

  it('accepts a key that may only send', async () => {
    const apiKey = mock.seed.apiKey({ scopes: ['notifications:send'] })
    expect((await run(['login', 'sender', '--url', server.url], { stdin: apiKey })).code).toBe(0)
  })

  it('warns about a connection that is not encrypted', async () => {
    const { code, stderr } = await run(['login', 'plain', '--url', 'http://flowpost.example.com', '--no-check'], { stdin: 'fp_x' })
    expect([code, stderr]).toEqual([0, expect.stringContaining('Warning: The connection is not encrypted')])
  })

  it('names the variable with a URL that is not valid, but not if the URL is from --url', async () => {
    const env = { FLOWPOST_BASE_URL: 'ftp://x' }
    expect((await run(['login'], { env, stdin: 'fp_x' })).stderr).toContain('Correct FLOWPOST_BASE_URL.')
    expect((await run(['login', '--url', 'ftp://y'], { env, stdin: 'fp_x' })).stderr).not.toContain('FLOWPOST_BASE_URL')
  })

  it.each([
    [['login', '--url', 'ftp://x'], 'fp_x', 'The URL must be an http or https URL'],
    [['login', '--url', 'http://user:secret@x'], 'fp_x', 'without credentials'],
    [['login', 'a/b', '--url', 'http://x'], 'fp_x', 'The name a/b is not valid.'],
    [['login'], 'fp_x', 'There is no URL.'],
    [['login', '--url', 'http://localhost'], '\n', 'There is no key.'],
    [['login', '--url', 'http://localhost', '--no-check'], 'Bearer fp_secret', 'The key contains a character that no key has'],
    [['login', 'x', '--url', 'http://localhost', '--key', 'fp_x'], '', "Unknown option '--key'"],
  ])('rejects %j', async (args, stdin, message) => {
    const { code, stderr } = await run(args, { stdin })
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('secret')
  })
})

describe('flowpost env', () => {
  it('lists the stored servers without keys', async () => {
    await login('work')
    const { stdout } = await run(['env'])
    expect(stdout).toMatch(/^ +NAME +SERVER +KEY$/m)
    expect(stdout).toMatch(/^\* +work +http:\S+ +key key_\w+$/m)
    expect(stdout).not.toContain(mock.apiKey)
    const { environments, current } = (await run(['env', 'list', '--json'])).json()
    expect([current, environments[0]]).toEqual(['work', { name: 'local', base_url: server.url, key_id: expect.stringMatching(/^key_/) }])
  })

  it('shows that the server of `flowpost dev` takes precedence in its folder', async () => {
    const path = devEnvironmentPath(home)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, formatDevEnvironment({ baseUrl: server.url, apiKey: mock.apiKey }))
    const { stderr } = await login('work')
    expect(stderr).toContain('In this folder, the server of `flowpost dev` takes precedence over the environment work. Use --env work')
    const { stdout } = await run(['env'])
    expect(stdout.match(/^\*.*$/gm)).toEqual([expect.stringMatching(/^\* +\(folder\) +http:\S+ +\.flowpost in this folder/)])
    expect((await run(['env', 'list', '--json'])).json()).toMatchObject({ current: null, from_folder: true })
    const used = await run(['env', 'use', 'local'])
    expect([used.code, used.stderr]).toEqual([0, expect.stringContaining('takes precedence over the environment local. Use --env local')])
    rmSync(dirname(path), { recursive: true })
  })

  it.each([
    [{ FLOWPOST_API_KEY: 'fp_x' }, 'FLOWPOST_API_KEY is set, but FLOWPOST_BASE_URL is not'],
    [{ FLOWPOST_BASE_URL: 'http://localhost' }, 'FLOWPOST_BASE_URL is set, but FLOWPOST_API_KEY is not'],
  ])('marks no server as current while only one of the two variables is set: %j', async (env, message) => {
    for (const command of [['env'], ['env', 'use', 'local']]) {
      const { code, stdout, stderr } = await run(command, { env })
      expect([code, stderr]).toEqual([0, expect.stringContaining(message)])
      expect(stdout).not.toMatch(/^\*/m)
    }
    const { code, stderr } = await run(['whoami'], { env })
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  it('says that the two variables take precedence over the selected server', async () => {
    const env = { FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: mock.apiKey }
    const { code, stderr } = await run(['env', 'use', 'local'], { env })
    expect([code, stderr]).toEqual([0, expect.stringContaining('precedence over the environment local. Unset them, or use --env local.')])
  })

  it('selects another server', async () => {
    await login('work')
    expect((await run(['env', 'use', 'local'])).code).toBe(0)
    expect((await run(['whoami'])).stderr).toContain('from the environment local')
    expect((await run(['whoami', '--env', 'work'])).stderr).toContain('from the environment work')
  })

  it('removes a server and its key', async () => {
    await login('old')
    expect((await run(['env', 'remove', 'old'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('old')
    const { code, stderr } = await run(['whoami'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Run `flowpost env use NAME`.')])
  })

  it('rejects an unknown name', async () => {
    const { code, stderr } = await run(['env', 'use', 'none'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no environment none. Environments: ')])
  })
})

describe('the selected server', () => {
  it('comes from the environment variables, if both are set', async () => {
    const env = { FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: mock.apiKey }
    expect((await run(['whoami'], { env })).stderr).toContain('from FLOWPOST_BASE_URL and FLOWPOST_API_KEY')
    expect((await run(['env'], { env })).stdout).toMatch(/^\* +\(variables\)/m)
    expect((await run(['whoami', '--env', 'local'], { env })).stderr).toContain('from the environment local')
  })

  it.each(['FLOWPOST_BASE_URL', 'FLOWPOST_API_KEY'])(
    'requires both variables: %s alone is never combined with a stored server or key',
    async (name) => {
      const { code, stderr } = await run(['whoami'], { env: { [name]: 'http://localhost' } })
      expect([code, stderr]).toEqual([1, expect.stringMatching(`${name} is set, but FLOWPOST_\\w+ is not\\.`)])
    },
  )

  it.each([['whoami'], ['env'], ['env', 'use', 'local'], ['login', 'x', '--url', server.url]])(
    'is rejected if FLOWPOST_BASE_URL contains a password, which is not printed: %s',
    async (...args) => {
      const env = { FLOWPOST_BASE_URL: server.url.replace('://', '://user:s3cret@'), FLOWPOST_API_KEY: mock.apiKey }
      const { code, stdout, stderr } = await run(args, { env, stdin: mock.apiKey })
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringContaining('without credentials, query or fragment.\nCorrect FLOWPOST_BASE'),
      ])
      expect(stderr).not.toContain('s3cret')
    },
  )

  it('is missing on a new machine', async () => {
    const { code, stderr } = await run(['log'], { env: { XDG_CONFIG_HOME: join(home, 'empty') } })
    expect([code, stderr]).toEqual([1, expect.stringContaining('No server is configured.\nRun `flowpost login`')])
  })

  it('warns when others may read the keys', async () => {
    chmodSync(file, 0o644)
    expect((await run(['whoami'])).stderr).toContain(`has the mode 644, so other users of this machine may read its keys. Run: chmod 600`)
  })

  it.each([
    ['is damaged', '{'],
    [
      'contains a URL with a password',
      JSON.stringify({ current: 'a', environments: { a: { base_url: 'http://ann:s3cret@localhost', api_key: 'fp_x' } } }),
    ],
  ])('is not read from a file that %s', async (_, text) => {
    const folder = join(home, 'damaged/flowpost')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'environments.json'), text)
    for (const command of ['whoami', 'env']) {
      const { code, stdout, stderr } = await run([command], { env: { XDG_CONFIG_HOME: dirname(folder) } })
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('environments.json is not valid.')])
      expect(stderr).not.toContain('s3cret')
    }
  })
})

describe('the config folder', () => {
  it('is named if it cannot be created', async () => {
    const { code, stderr } = await run(['login', 'x', '--json', '--url', server.url], {
      env: { XDG_CONFIG_HOME: file },
      stdin: mock.apiKey,
    })
    const message = expect.stringContaining(`${join(file, 'flowpost/environments.json')} cannot be written: ENOTDIR`)
    expect([code, JSON.parse(stderr).error]).toEqual([1, { code: 'usage', message, hint: null }])
  })
})
