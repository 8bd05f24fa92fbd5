import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startCliServer } from './support/run-cli.ts'
import { hasPython, terminal } from './support/terminal.ts'

const script = fileURLToPath(new URL('../src/flowpost.ts', import.meta.url))

const { mock, server, home } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com', override_target: true })

const variables = (baseUrl = server.url) => ({ FLOWPOST_BASE_URL: baseUrl, FLOWPOST_API_KEY: mock.apiKey })

const start = (command: string, args: readonly string[], env: Record<string, string> = variables()) => {
  const { NO_COLOR: _, FORCE_COLOR: __, FLOWPOST_BASE_URL: ___, FLOWPOST_API_KEY: ____, ...inherited } = process.env
  const child = spawn(command, args, { cwd: home, env: { ...inherited, HOME: home, XDG_CONFIG_HOME: '', TERM: 'xterm', ...env } })
  const result = (async () => {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    return { code: child.exitCode, signal: child.signalCode, stdout, stderr }
  })()
  return { child, result }
}

const startCli = (args: readonly string[], env?: Record<string, string>) => start(process.execPath, [script, ...args], env)

/** Runs the program in a pseudo-terminal, and types answers when their questions appear. */
const runInTerminal = (args: readonly string[], answers: readonly (readonly [string, string])[], env?: Record<string, string>) =>
  start('python3', [terminal, JSON.stringify(answers), process.execPath, script, ...args], env).result

/** Runs the program with a reader of both outputs that ends at once. Returns the program's exit code. */
const runWithoutReader = async (args: readonly string[]) => {
  const { stdout } = await start('bash', ['-c', '"$0" "$@" 2>&1 | true; echo $PIPESTATUS', process.execPath, script, ...args]).result
  return Number(stdout)
}

/** Starts a server that responds to every request with an empty list, after a delay. */
const startSlowServer = async (delayMs: number) => {
  const slow = createServer((_, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [], next_cursor: null }))
    }, delayMs).unref()
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  onTestFinished(() => {
    slow.closeAllConnections()
    slow.close()
  })
  return { url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`, requested: once(slow, 'request') }
}

describe('the process', () => {
  it('prints a notification to a pipe without colors', async () => {
    const { child, result } = startCli(['send', '--subject', 'Invoice 42', '--wait'])
    child.stdin.end('It is ready.\n')
    const { code, stdout, stderr } = await result
    expect([code, stdout]).toEqual([0, expect.stringMatching(/is sent\.\n$/)])
    expect(stdout + stderr).not.toContain('\x1b')
    expect(mock.outbox.at(-1)?.text).toBe('It is ready.')
  })

  it('ends silently when the reader of its output is gone', async () => {
    const send = () => mock.client().notifications.send({ project_id: project.id, subject: 's', message: 'm' })
    await send()
    const pipe = '"$0" "$1" log --follow --limit 1 --json | head -n 1 | wc -l; echo $PIPESTATUS'
    // Sends more notifications, so that the program prints again after its reader has ended.
    const timer = setInterval(() => void send(), 300)
    onTestFinished(() => clearInterval(timer))
    const { stdout, stderr } = await start('bash', ['-c', pipe, process.execPath, script]).result
    expect(stdout).toMatch(/^\s*1\n0\n$/)
    expect(stderr).toBe('')
  })

  it('writes the console output of a config file and its imports to standard error', async () => {
    writeFileSync(join(home, 'log.mjs'), `console.info('from the import')`)
    const lines = ["import './log.mjs'", `console.log('from the file')`, `export default { project: { key: 'p', name: 'P' }, flows: {} }`]
    writeFileSync(join(home, 'logs.config.mjs'), lines.join('\n'))
    const { code, stdout, stderr } = await startCli(['validate', 'logs.config.mjs', '--json']).result
    expect([code, JSON.parse(stdout).valid, stderr]).toEqual([0, true, 'from the import\nfrom the file\n'])
  })

  it('completes its work when the reader of its output is gone', async () => {
    const config = { project: { key: 'shop', name: 'Shop' }, flows: {}, event_endpoints: { audit: { events: ['delivery.failed'] } } }
    writeFileSync(join(home, 'shop.config.mjs'), `export default ${JSON.stringify(config)}`)
    expect(await runWithoutReader(['apply', 'shop.config.mjs', '--yes', '--secrets-file', 'secrets.json'])).toBe(0)
    expect(JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8'))).toEqual({ audit: expect.stringMatching(/^whsec_/) })
  })

  it('exits with the code of its result when the reader of its output is gone', async () => {
    mock.faults.deliveriesTo('gone@example.com', { fail: 'bounce' })
    const args = ['send', 'Hi', '--subject', 's', '--project', 'billing', '--target', 'gone@example.com', '--wait']
    expect(await runWithoutReader(args)).toBe(1)
  })

  it('ends at once on Ctrl-C, and says how to repeat a send', async () => {
    const slow = await startSlowServer(60_000)
    const { child, result } = startCli(
      ['send', 'Hi', '--subject', 's', '--project', project.id, '--idempotency-key', 'k-1'],
      variables(slow.url),
    )
    child.stdin.end()
    await slow.requested
    const startedAt = performance.now()
    child.kill('SIGINT')
    const { code, stderr } = await result
    expect(code).toBe(130)
    expect(stderr).toContain('add: --idempotency-key k-1')
    // Without Ctrl-C, the command would wait half a minute for the server, which responds after a minute.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})

describe.skipIf(!hasPython)('in a terminal', () => {
  it('asks for the key without showing it', async () => {
    const env = { FLOWPOST_BASE_URL: '', FLOWPOST_API_KEY: '' }
    const { code, stdout } = await runInTerminal(
      ['login', 'asked'],
      [
        ['URL of the server', `${server.url}\r`],
        ['API key', `${mock.apiKey}\r`],
      ],
      env,
    )
    expect(stdout).toContain(`Stored ${server.url} as asked`)
    expect(stdout).not.toContain(mock.apiKey)
    expect(code).toBe(0)
  })

  it('stores nothing when Ctrl-C ends the question', async () => {
    const { code, stdout } = await runInTerminal(['login', 'canceled', '--url', server.url], [['API key', '\x03']])
    expect([code, stdout]).toEqual([expect.toBeOneOf([1, 130]), expect.stringContaining('Nothing was stored')])
  })

  it('asks before it revokes a key', async () => {
    const { id } = await mock.client().apiKeys.create({ name: 'old' })
    const { code, stdout } = await runInTerminal(['keys', 'revoke', id], [['Revoke', 'y']])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Revoked ${id}.`)])
  })

  it('shows progress after a second, removes it, and uses colors', async () => {
    const { url } = await startSlowServer(1_500)
    const { stdout } = await runInTerminal(['log'], [], variables(url))
    expect(stdout).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Searching/)
    expect(stdout).toContain('\r\x1b[2K\x1b[2mNo notifications match.')
    const quick = await runInTerminal(['env'], [], { NO_COLOR: '1' })
    expect(quick.stdout).toContain('NAME')
    expect(quick.stdout).not.toContain('\x1b')
  })
})
