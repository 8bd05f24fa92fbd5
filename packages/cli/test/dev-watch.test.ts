import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { formatLogLine } from '../src/dev/server-log.ts'
import { installServer, serverOnMock } from './support/dev-server-package.ts'
import { createMachine, type RunOptions, startCliServer } from './support/run-cli.ts'

const { mock, server } = await startCliServer()
const { home: folder, run } = createMachine({ MOCK_URL: server.url, MOCK_KEY: mock.apiKey })
installServer(folder, serverOnMock)

const flow = { source_type: 'smtp', target: 'ops@example.com' }
const write = (source: string) => writeFileSync(join(folder, 'flowpost.config.ts'), source)
const configOf = (flows: object) => `export default ${JSON.stringify({ project: { key: 'billing', name: 'Billing' }, flows })}`

beforeEach(() => {
  mock.reset()
  for (const name of ['.flowpost', 'flowpost.config.ts']) rmSync(join(folder, name), { recursive: true, force: true })
})

/** Starts `flowpost dev`, which runs until the end of the test. Returns functions to stop it and to read its output. */
const startDev = (args: readonly string[] = [], options: RunOptions = {}) => {
  const interrupt = new AbortController()
  let output = ''
  const result = run(['dev', '--port', '0', ...args], {
    ...options,
    signal: interrupt.signal,
    onOutput: (text) => {
      output += text
    },
  })
  const stop = () => {
    interrupt.abort()
    return result
  }
  onTestFinished(async () => void (await stop()))
  const expectOutput = (text: string | RegExp) => expect.poll(() => output, { timeout: 30_000 }).toMatch(text)
  return { expectOutput, stop, text: () => output }
}

const flowsOf = async () => {
  const [project] = (await mock.client().projects.list()).data
  return project ? (await mock.client().flows.list(project.id)).data.map(({ key, target }) => [key, target]) : []
}

describe('the config file of flowpost dev', () => {
  it('is applied when it appears, and again when it changes', async () => {
    const dev = startDev()
    await dev.expectOutput('There is no config file yet.')
    await dev.expectOutput('Commands in this folder use this server.')
    write(configOf({ mail: flow }))
    await dev.expectOutput('flowpost.config.ts to the project billing: 2 created, 0 changed, 0 deleted.')
    write(configOf({ mail: { ...flow, target: 'new@example.com' } }))
    await dev.expectOutput('0 created, 1 changed, 0 deleted.')
    expect(await flowsOf()).toEqual([['mail', 'new@example.com']])
  })

  it('is applied again if it changes while it is applied for the first time', async () => {
    const changed = configOf({ mail: { ...flow, target: 'new@example.com' } })
    // The first load of the file changes it.
    write(`import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(folder, 'flowpost.config.ts'))}, ${JSON.stringify(changed)})
${configOf({ mail: flow })}`)
    const dev = startDev()
    await dev.expectOutput('2 created, 0 changed, 0 deleted.')
    await dev.expectOutput('0 created, 1 changed, 0 deleted.')
    expect(await flowsOf()).toEqual([['mail', 'new@example.com']])
  })

  it('is applied with a misspelled placeholder, and the output warns about it', async () => {
    write(configOf({ mail: { ...flow, message_template: '{{ message }}' } }))
    const dev = startDev()
    await dev.expectOutput('2 created')
    await dev.expectOutput(/Warning: \/flows\/mail\/message_template {2}.*\{\{ message \}\}/)
  })

  it('does not affect the server while it is invalid, and the output names the error and the correction', async () => {
    write(configOf({ mail: flow }))
    const dev = startDev()
    await dev.expectOutput('2 created')
    await dev.expectOutput('Commands in this folder use this server.')
    write('export default {')
    await dev.expectOutput(/Warning: \S+flowpost\.config\.ts cannot be loaded: /)
    write(configOf({ mail: { ...flow, target: 'nobody' } }))
    await dev.expectOutput('is not valid: /flows/mail/target  must be an email address')
    expect(await flowsOf()).toEqual([['mail', 'ops@example.com']])
    const [, url] = /Flowpost is running on (\S+)/.exec(dev.text()) ?? []
    expect((await fetch(`${url}/readyz`)).ok).toBe(true)
    write(configOf({ mail: flow }))
    await dev.expectOutput('0 created, 0 changed, 0 deleted.')
    expect((await dev.stop()).code).toBe(130)
  })

  it('is applied again when a file that it imports changes', async () => {
    const template = (text: string) => writeFileSync(join(folder, 'template.ts'), `export const template = '${text} {{message}}'`)
    template('Old')
    write(`import { template } from './template.ts'
export default { project: { key: 'billing', name: 'Billing' }, flows: { mail: { ...${JSON.stringify(flow)}, message_template: template } } }`)
    const dev = startDev()
    await dev.expectOutput('Commands in this folder use this server.')
    template('New')
    await dev.expectOutput('0 created, 1 changed')
  })

  it('has its event endpoints on other machines without their URL, which is said once, and new secrets are printed', async () => {
    const configOfUrl = (target: string) => {
      const event_endpoints = {
        production: { url: 'https://billing.example.com/events', events: ['delivery.failed'] },
        receiver: { url: 'http://127.0.0.1:9/events', events: ['delivery.failed'] },
      }
      const config = { project: { key: 'billing', name: 'Billing' }, flows: { mail: { ...flow, target } }, event_endpoints }
      return `export default ${JSON.stringify(config)}`
    }
    write(configOfUrl('ops@example.com'))
    const dev = startDev()
    await dev.expectOutput(/Signing secret of the event endpoint receiver, shown only once: whsec_/)
    await dev.expectOutput('Commands in this folder use this server.')
    write(configOfUrl('new@example.com'))
    await dev.expectOutput('0 created, 1 changed')
    expect(dev.text().match(/ignores the URLs of these event endpoints/g)).toHaveLength(1)
    expect(dev.text()).toContain('so that no event leaves this machine: production. Read the events')
    const [project] = (await mock.client().projects.list()).data
    const { data } = await mock.client().eventEndpoints.list(project?.id ?? '')
    expect(data.map(({ key, url }) => [key, url])).toEqual([
      ['production', null],
      ['receiver', 'http://127.0.0.1:9/events'],
    ])
  })

  it('is applied without integrations whose variables are not set, which is said once for each', async () => {
    const missing = { secrets: { token: { env: 'MISSING_TOKEN' } } }
    const configWith = (changed: object, integrations: object) =>
      `export default ${JSON.stringify({ project: { key: 'billing', name: 'Billing' }, flows: { mail: { ...flow, ...changed } }, integrations })}`
    write(configWith({}, {}))
    const dev = startDev()
    await dev.expectOutput('Commands in this folder use this server.')
    write(configWith({}, { slack: missing }))
    await dev.expectOutput('are not set: slack. The local server')
    write(configWith({ target: 'new@example.com' }, { slack: missing, telegram: missing }))
    await dev.expectOutput('are not set: telegram. The local server')
  })

  it('is reported as lines of JSON with --json', async () => {
    write(configOf({ mail: flow }))
    const dev = startDev(['--json'])
    await dev.expectOutput('"event":"applied"')
    write('export default {}')
    await dev.expectOutput('"event":"rejected"')
    const lines = (await dev.stop()).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'ready', base_url: expect.any(String), api_key: expect.stringMatching(/^fp_/) },
      { event: 'applied', project_key: 'billing', changes: 2, omitted: [] },
      { event: 'rejected', message: expect.stringContaining('is not valid') },
    ])
  })
})

describe('flowpost dev --open', () => {
  it('opens the outbox in the browser', async () => {
    const programs = join(folder, 'programs')
    mkdirSync(programs)
    writeFileSync(join(programs, 'xdg-open'), '#!/bin/sh\nprintf %s "$1" > "$OPENED.part"\nmv "$OPENED.part" "$OPENED"\n')
    chmodSync(join(programs, 'xdg-open'), 0o755)
    const opened = join(folder, 'opened')
    const dev = startDev(['--open'], { env: { PATH: `${programs}:${process.env['PATH']}`, OPENED: opened } })
    await expect.poll(() => existsSync(opened), { timeout: 30_000 }).toBe(true)
    const [, outbox] = /^ {2}outbox +(\S+)$/m.exec(dev.text()) ?? []
    expect([readFileSync(opened, 'utf8'), outbox]).toEqual([outbox, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/outbox$/)])
  })

  it('prints the URL if no browser can be started, and continues', async () => {
    const dev = startDev(['--open'], { env: { PATH: join(folder, 'none') } })
    await dev.expectOutput(/Warning: No browser could be started\. Open http:\/\/127\.0\.0\.1:\d+\/outbox\n/)
    expect((await dev.stop()).code).toBe(130)
  })
})

describe("a line of the server's log", () => {
  const entry = { level: 'warn', time: '2026-11-23T09:00:00.000Z', msg: 'Delivery failed.', attempt: 2, target: 'a@b.c' }
  const time = new Date(entry.time).toTimeString().slice(0, 8)
  const tag = (style: string, text: string) => `<${style}>${text}</>`
  const plain = (_: string, text: string) => text

  it.each([
    [entry, `${time} warn  Delivery failed. attempt=2 target=a@b.c`],
    [{ ...entry, err: { type: 'Error', message: 'no' } }, `${time} warn  Delivery failed. attempt=2 target=a@b.c err=no`],
    [{ level: 'info', msg: 'Ready.', list: [1, null] }, 'info  Ready. list=[1,null]'],
    [{ ...entry, msg: 'a\u001b[31mb\nc', target: '\u001b' }, expect.not.stringMatching(/\p{Cc}/u)],
  ])('%j is shown as %j', (line, shown) => {
    expect(formatLogLine(JSON.stringify(line), plain)).toEqual(shown)
  })

  it('has the color of its level', () => {
    const styles = ['debug', 'info', 'warn', 'error', 'fatal'].map(
      (level) => formatLogLine(`{"level":"${level}"}`, tag).match(/<(\w+)>\w/)?.[1],
    )
    expect(styles).toEqual(['dim', 'dim', 'yellow', 'red', 'red'])
  })

  it('is shown without control characters if it is not JSON', () => {
    expect(formatLogLine('{ Listening \u001b[2J', plain)).toBe('{ Listening \ufffd[2J')
  })

  it.each([
    [[], / warn {2}Delivery failed\. attempt=2/],
    [['--json'], /"event":"log","entry":\{"level":"warn"/],
  ])("is printed by flowpost dev %j, unlike the server's other output", async (args, expected) => {
    const dev = startDev(args, { env: { LOGGED: `Startup text\n{ not JSON\n${JSON.stringify(entry)}` } })
    await dev.expectOutput('{ not JSON')
    await dev.expectOutput(expected)
    await dev.expectOutput(/"ready"|Commands in this folder/)
    expect(dev.text()).not.toContain('Startup text')
  })
})
