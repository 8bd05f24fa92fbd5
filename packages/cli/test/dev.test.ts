import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyDevConfig } from '../src/dev/apply-dev-config.ts'
import { findServer } from '../src/dev/find-server.ts'
import { createServerEnvironment } from '../src/dev/server-environment.ts'
import { readFolderEnvironment } from '../src/environments/folder-environment.ts'
import { installServer as installServerPackage } from './support/dev-server-package.ts'
import { createMachine, startCliServer } from './support/run-cli.ts'

const { mock, server, home } = await startCliServer()
const { home: folder, run } = createMachine()
const installServer = (program: string, engines?: string) => installServerPackage(folder, program, engines)

const writeDevEnvironment = (baseUrl: string, apiKey: string = mock.apiKey) => {
  mkdirSync(join(folder, '.flowpost'), { recursive: true })
  writeFileSync(join(folder, '.flowpost/dev.env'), `FLOWPOST_BASE_URL=${baseUrl}\nFLOWPOST_API_KEY=${apiKey}\n`)
}

describe('the server package', () => {
  it('must be installed', async () => {
    const { code, stderr } = await run(['dev'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Run: npm install --save-dev @flowpost/server')])
  })

  it('is found in the folder, and must be complete and support this version of Node', () => {
    const packageFolder = installServer('', '>=24')
    expect(findServer(folder, '24.0.0')).toBe(join(packageFolder, 'server.js'))
    expect(() => findServer(folder, '22.12.0')).toThrow('needs Node 24 or later. This is Node 22.12.0.')
    rmSync(join(packageFolder, 'server.js'))
    expect(() => findServer(folder, '24.0.0')).toThrow(`${packageFolder} is incomplete`)
  })
})

describe('.flowpost/dev.env', () => {
  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])('selects %s', async (baseUrl) => {
    writeDevEnvironment(baseUrl, 'fp_x')
    expect(await readFolderEnvironment(folder)).toEqual({ baseUrl, apiKey: 'fp_x' })
  })

  it.each([
    'https://example.com',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1@example.com',
    'http://localhost@127.0.0.1',
    'http://localhost.example.com',
    'nonsense',
  ])('does not select %s', async (baseUrl) => {
    writeDevEnvironment(baseUrl)
    expect(await readFolderEnvironment(folder)).toBeUndefined()
    expect(await run(['whoami'])).toMatchObject({ code: 1, stderr: expect.stringContaining('No server is configured.') })
  })

  it('is used by commands in the folder, unless --env or variables select another server', async () => {
    writeDevEnvironment(server.url)
    await run(['login', 'other', '--url', 'http://localhost:1', '--no-check'], { stdin: 'fp_x' })
    expect(await run(['whoami', '--json'])).toMatchObject({ code: 0, stdout: expect.stringContaining(server.url) })
    const variables = { FLOWPOST_BASE_URL: 'http://localhost:2', FLOWPOST_API_KEY: 'fp_x' }
    expect((await run(['log', '--timeout', '1s'], { env: variables })).stderr).toContain('http://localhost:2, ')
    expect((await run(['log', '--env', 'other', '--timeout', '1s'])).stderr).toContain('http://localhost:1, ')
  })

  it('prevents a second server for the folder', async () => {
    installServer('')
    writeDevEnvironment(server.url)
    expect(await run(['dev'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`flowpost dev is already running in this folder, on ${server.url}.`),
    })
  })
})

const listening = `import { createServer } from 'node:http'
const server = createServer((request, response) => response.writeHead(request.url === '/readyz' ? 200 : 404).end())
server.listen(Number(process.env.PORT), process.env.HOST)
process.once('SIGTERM', () => process.exit(0))`

describe('flowpost dev', () => {
  it('reports why the server did not start', async () => {
    installServer(`console.error('The data folder is locked.'); process.exitCode = 1`)
    writeDevEnvironment('http://127.0.0.1:1')
    const { code, stderr } = await run(['dev', '--port', '0'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('The server did not start. The data folder is locked.')])
  })

  it('publishes the server with its key in a private file, and stops it with Ctrl-C', async () => {
    installServer(listening)
    rmSync(join(folder, '.flowpost'), { recursive: true })
    const interrupt = new AbortController()
    const result = run(['dev', '--port', '0'], { signal: interrupt.signal })
    await expect.poll(() => readFolderEnvironment(folder), { timeout: 30_000 }).toBeDefined()
    const { baseUrl, apiKey } = (await readFolderEnvironment(folder)) ?? { baseUrl: '', apiKey: '' }
    expect(statSync(join(folder, '.flowpost/dev.env')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, '.flowpost/.gitignore'), 'utf8')).toBe('*\n')
    expect((await fetch(`${baseUrl}/readyz`)).ok).toBe(true)
    interrupt.abort()
    const { code, stdout } = await result
    expect([code, stdout]).toEqual([130, expect.stringContaining(`Flowpost is running on ${baseUrl}\n`)])
    expect(stdout).toContain(`API key  ${apiKey}\n`)
    await expect(fetch(`${baseUrl}/readyz`)).rejects.toThrow()
  })

  it('rejects a port that is in use', async () => {
    const { port } = new URL(server.url)
    expect(await run(['dev', '--port', port])).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} is in use.`) })
  })

  it('gives the server no variables that are meant for other programs', () => {
    const given = { PATH: '/bin', DATABASE_URL: 'postgres://', FLOWPOST_CAPTURE: 'off', FLOWPOST_PROVIDERS: './mine.js', PORT: '80' }
    const variables = createServerEnvironment(given, { port: 3000, apiKey: 'fp_x', dataFolder: '/data', logLevel: 'info' })
    expect(variables).toMatchObject({
      PATH: '/bin',
      FLOWPOST_PROVIDERS: './mine.js',
      PORT: '3000',
      HOST: '127.0.0.1',
      FLOWPOST_CAPTURE: 'on',
    })
    expect(variables).not.toHaveProperty('DATABASE_URL')
  })
})

describe('the config file of a local server', () => {
  const io = { env: {}, workingFolder: home, signal: new AbortController().signal }
  const apply = (source: string) => {
    writeFileSync(join(home, 'flowpost.config.mjs'), source)
    return applyDevConfig(undefined, { flowpost: mock.client(), io })
  }
  const config = (flows: object) =>
    `export default ${JSON.stringify({
      project: { key: 'billing', name: 'Billing' },
      flows,
      integrations: { slack: { secrets: { token: { env: 'MISSING_TOKEN' } } } },
    })}`
  const flow = { source_type: 'smtp', target: 'ops@example.com' }

  it('is applied without integrations whose variables are missing, and deletes resources that it no longer contains', async () => {
    const first = await apply(config({ mail: flow, old: flow }))
    expect(first).toMatchObject({ projectKey: 'billing', omitted: ['slack'] })
    await apply(config({ mail: flow }))
    const { data } = await mock.client().flows.list(first.project_id ?? '')
    expect(data.map(({ key }) => key)).toEqual(['mail'])
  })

  it('is applied without the URLs of event endpoints on other machines', async () => {
    const endpoint = (url: string) => ({ url, events: ['delivery.failed'] })
    const event_endpoints = {
      production: endpoint('https://billing.example.com/events'),
      network: endpoint('http://192.168.0.7/events'),
      disguised: endpoint('http://127.0.0.1.example.com/events'),
      local: endpoint('http://localhost:8080/events'),
      named: endpoint('http://billing.localhost:8080/events'),
      ipv4: endpoint('http://127.0.0.2:8080/events'),
      ipv6: endpoint('http://[::1]:8080/events'),
    }
    const project = { key: 'endpoints', name: 'Endpoints' }
    const { project_id, detached } = await apply(`export default ${JSON.stringify({ project, flows: {}, event_endpoints })}`)
    expect(detached).toEqual(['production', 'network', 'disguised'])
    const { data } = await mock.client().eventEndpoints.list(project_id ?? '')
    expect(Object.fromEntries(data.map(({ key, url }) => [key, url]))).toEqual({
      production: null,
      network: null,
      disguised: null,
      local: 'http://localhost:8080/events',
      named: 'http://billing.localhost:8080/events',
      ipv4: 'http://127.0.0.2:8080/events',
      ipv6: 'http://[::1]:8080/events',
    })
  })

  it('leaves integrations alone that it does not mention', async () => {
    const project = { key: 'kept', name: 'Kept' }
    const { project_id } = await apply(`export default ${JSON.stringify({ project, flows: { mail: flow } })}`)
    mock.seed.integration({ project_id: project_id ?? '', source_type: 'smtp' })
    await apply(`export default ${JSON.stringify({ project, flows: {} })}`)
    expect((await mock.client().integrations.list(project_id ?? '')).data).toHaveLength(1)
  })

  it.each([
    ['throw new Error("no")', 'cannot be loaded: no'],
    [config({ mail: { ...flow, target: 'x' } }), 'is not valid: /flows/mail/target  must be an email address'],
    [config({ A: flow, B: flow }), 'To list all 2 issues, run flowpost validate.'],
  ])('is rejected in one line: %s', async (source, message) => {
    await expect(apply(source)).rejects.toThrow(message)
  })
})
