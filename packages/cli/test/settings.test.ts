import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMachine, startCliServer } from './support/run-cli.ts'

const { mock, run, server } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com' })

const withKey = (apiKey: string) => ({ env: { FLOWPOST_API_KEY: apiKey } })

describe('flowpost whoami', () => {
  it('shows the server, the key, its scopes and expiry', async () => {
    const { code, stdout } = await run(['whoami'])
    expect(code).toBe(0)
    expect(stdout).toContain(`server   ${server.url}\n`)
    expect(stdout).toMatch(/^key {6}key_\w+, first key$/m)
    expect(stdout).toMatch(/^scopes {3}settings:read settings:write keys:write notifications:send notifications:read$/m)
    expect(stdout).toMatch(/^project {2}all\nexpires {2}never$/m)
  })

  it('shows a test key and the project that it is bound to', async () => {
    const result = await run(['whoami', '--json'], withKey(mock.seed.apiKey({ project, mode: 'test', name: 'ci' })))
    expect(result.json()).toMatchObject({ name: 'ci', mode: 'test', project_id: project.id, expires_at: null, base_url: server.url })
  })

  it('shows only what a key without settings:read can find out', async () => {
    const { code, stdout } = await run(['whoami'], withKey(mock.seed.apiKey({ scopes: ['notifications:read'] })))
    expect(code).toBe(0)
    expect(stdout).toContain('settings cannot be read (scope settings:read)\nmessages can be read\n')
    expect(stdout).not.toContain('scopes ')
  })

  it('shows the user of an access token', async () => {
    const claims = Buffer.from(JSON.stringify({ sub: 'ada', exp: 2_000_000_000 })).toString('base64url')
    const { stderr } = await run(['whoami'], withKey(`e30.${claims}.c2ln`))
    expect(stderr).toContain('user ada')
  })
})

describe('flowpost keys', () => {
  it('creates a key and prints only the key, for pipes', async () => {
    const { code, stdout, stderr } = await run([
      'keys',
      'create',
      'ci',
      '--scope',
      'notifications:send',
      '--scope',
      'notifications:read',
      '-p',
      'billing',
      '--test',
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^fp_test_\S+\n$/)
    expect(stderr).toContain('Store the key now: it is not shown again.')
    const listed = (await run(['keys', '--json'])).json().keys.at(-1)
    expect(listed).toMatchObject({ name: 'ci', mode: 'test', project_id: project.id, scopes: ['notifications:send', 'notifications:read'] })
  })

  it('lists keys without secrets and marks the key in use', async () => {
    const { stdout } = await run(['keys', 'list'])
    expect(stdout).toMatch(/key_\w+ \(this key\) +first key +live/)
    expect(stdout).not.toContain('fp_')
  })

  it('revokes a key after a confirmation', async () => {
    const { id } = (await run(['keys', 'create', 'old', '--expires', '30d', '--json'])).json()
    const canceled = await run(['keys', 'revoke', id], { answers: [false] })
    expect([canceled.code, canceled.stderr]).toEqual([1, expect.stringContaining('Nothing was revoked.')])
    const { code, stdout } = await run(['keys', 'revoke', id], { answers: [true] })
    expect([code, stdout]).toEqual([0, `Revoked ${id}.\n`])
    expect((await run(['keys', '--json'])).stdout).not.toContain(id)
  })

  it('does not revoke without a terminal or --yes', async () => {
    const { id } = (await run(['keys', 'create', 'old', '--json'])).json()
    expect(await run(['keys', 'revoke', id], { stdin: 'y\n' })).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --yes.') })
    expect(await run(['keys', 'revoke', id, '--yes', '--json'], { stdin: '' })).toMatchObject({ code: 0 })
  })

  it('rejects an unknown scope', async () => {
    const { code, stderr } = await run(['keys', 'create', 'ci', '--scope', 'all'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Scopes: settings:read, settings:write')])
  })
})

describe('flowpost doctor', () => {
  it('exits with 0 if it finds no problem', async () => {
    const { code, stdout } = await run(['doctor'])
    expect(stdout).toMatch(/^ok {7}server: http:\S+ answers in \d+ ms$/m)
    expect(stdout).toMatch(/^ok {7}versions: server \S+, flowpost 0\.0\.0, @flowpost\/client \d\S*, Node \d\S+$/m)
    expect(stdout).toMatch(/^ok {7}clock: \d s apart$/m)
    expect(stdout).toContain('No problems found.')
    expect(code).toBe(0)
  })

  it('accepts a URL that ends with a slash', async () => {
    const { code, stdout } = await run(['doctor'], { env: { FLOWPOST_BASE_URL: `${server.url}/` } })
    expect([code, stdout]).toEqual([0, expect.stringContaining(`server: ${server.url} answers in`)])
  })

  it('finds a server that does not answer', async () => {
    const { code, stdout } = await run(['doctor'], { env: { FLOWPOST_BASE_URL: 'http://127.0.0.1:9' } })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^problem {2}server: http:\/\/127\.0\.0\.1:9 does not answer: .+\n {9}Start the server.+\n {9}https:\/\/\S+\/reference\/log$/m,
    )
  })

  it('finds a URL at which no Flowpost server answers', async () => {
    const other = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stdout } = await run(['doctor'], { env: { FLOWPOST_BASE_URL: `http://127.0.0.1:${port}` } })
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^problem {2}server: \S+\/readyz returned 404 instead of 200\.\n +Correct the URL/m),
    ])
  })

  it('finds a key that the server rejects', async () => {
    const { code, stdout } = await run(['doctor'], withKey('fp_wrong'))
    expect([code, stdout]).toEqual([1, expect.stringContaining('problem  key: The server rejects the key.')])
  })

  it('finds clocks that differ', async () => {
    const { code, stdout } = await run(['doctor'], { now: () => Date.now() + 300_000 })
    expect([code, stdout]).toEqual([1, expect.stringMatching(/problem {2}clock: The server clock is (299|30[01]) s behind this machine\./)])
  })

  it('finds unhealthy flows, and projects without flows', async () => {
    mock.seed.project({ name: 'empty' })
    const bad = mock.seed.flow({ project, name: 'unhealthy', target: 'gone@example.com' })
    mock.faults.deliveriesTo('gone@example.com', { fail: 'bounce' })
    const client = mock.client()
    for (let count = 0; count < 10; count++)
      await client.notifications.send({ project_id: project.id, flow_id: bad.id, subject: 's', message: 'm' }).settled()
    const result = await run(['doctor', '--json'])
    const problems = result.json().findings.filter(({ status }: { status: string }) => status === 'problem')
    expect(result.code).toBe(1)
    expect(problems).toEqual([
      expect.objectContaining({
        check: 'flow billing / unhealthy',
        action: expect.stringContaining('flowpost check'),
        help: expect.stringMatching(/\/reference\/failures$/),
      }),
    ])
    expect(result.json().findings).toContainEqual(expect.objectContaining({ check: 'project empty', status: 'warning' }))
  })

  it('reports no problem for an unhealthy flow that is inactive', async () => {
    const retired = mock.seed.flow({ project, name: 'retired', target: 'left@example.com' })
    mock.faults.deliveriesTo('left@example.com', { fail: 'bounce' })
    const client = mock.client()
    for (let count = 0; count < 10; count++)
      await client.notifications.send({ project_id: project.id, flow_id: retired.id, subject: 's', message: 'm' }).settled()
    const { health } = await client.flows.update(project.id, retired.id, (current) => ({ ...current, active: false }))
    const { findings } = (await run(['doctor', '--json'])).json()
    expect(health.status).toBe('unhealthy')
    expect(findings).not.toContainEqual(expect.objectContaining({ check: 'flow billing / retired' }))
  })

  it('warns about a key that expires soon', async () => {
    const key = mock.seed.apiKey({ expiresAt: new Date(mock.clock.now() + 3_600_000) })
    const { stdout } = await run(['doctor'], { ...withKey(key) })
    expect(stdout).toContain('warning  expiry: The key expires in ')
  })

  it('says how to configure a server on a new machine', async () => {
    const { code, stderr } = await createMachine().run(['doctor'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Run `flowpost login`')])
  })
})
