import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { firstMessageCommands } from '../src/features/outbox/first-message.ts'
import { startupBanner } from '../src/startup-banner.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

const readme = () => readFile(`${root}/README.md`, 'utf8')
const example = `${root}/examples/first-message/send.ts`

const environmentOf = (server: TestServer) => ({ ...process.env, FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: server.keys.alice })

describe('README', () => {
  it('contains the code of examples/first-message, which sends a message each time it runs', async () => {
    const shown = /<!-- examples\/first-message\/send\.ts -->\n```ts\n([\s\S]*?)```/.exec(await readme())?.[1]
    expect(shown).toBe(await readFile(example, 'utf8'))

    await using server = await startTestServer()
    for (const _ of ['first run', 'second run']) {
      const { stdout } = await run(process.execPath, [example], { env: environmentOf(server) })
      expect(stdout).toBe('ops@example.com: captured\n')
    }
  })

  it('contains an example that prints `sent` after a delivery by SMTP', async () => {
    await using smtp = await startSmtpSink()
    await using server = await startTestServer({ env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com' } })
    const { stdout } = await run(process.execPath, [example], { env: environmentOf(server) })
    expect(stdout).toBe('ops@example.com: sent\n')
    expect(smtp.received).toHaveLength(1)
  })

  it('contains curl commands that send a message', async ({ skip }) => {
    if (
      await run('curl', ['--version']).then(
        () => false,
        () => true,
      )
    )
      skip('curl is not installed.')
    const block = /with curl:\n\n```sh\n([\s\S]*?)```/.exec(await readme())?.[1] ?? ''
    const commands = block.replace(/^export .*$/gm, '')
    expect(commands.trim()).toBe(firstMessageCommands)
    await using server = await startTestServer()
    const { stdout } = await run('sh', ['-euc', commands], { env: environmentOf(server) })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ status: 'sent', deliveries: [{ captured: true }] })

    const { data } = await server.client().notifications.list()
    expect(data).toMatchObject([{ subject: 'Invoice 42' }])
  })

  it('contains an excerpt of the startup text', async () => {
    const excerpt = /```text\n([\s\S]*?)```/.exec(await readme())?.[1] ?? ''
    const { config } = readConfig({})
    const started = { port: 3000, firstKey: 'fp_…', outboxToken: '…', onHold: false, sourceTypes: ['smtp'], loadedProviders: [] }
    const printed = startupBanner({ ...started, config, dataDir: '.data' })
    expect(excerpt).toContain('fp_…')
    // A line with only `…` stands for other lines.
    for (const part of excerpt.split(/^…$/m)) expect(printed).toContain(part)
  })

  it('contains every command and program in docs/get-started.md', async () => {
    const blocks = (await readFile(`${root}/docs/get-started.md`, 'utf8')).match(/^```\w+\n[\s\S]*?^```$/gm) ?? []
    expect(blocks).toHaveLength(4)
    const lines = (await readme()).split('\n')
    for (const block of blocks) for (const line of block.split('\n')) expect(lines).toContain(line)
    for (const block of blocks.slice(1)) expect(await readme()).toContain(block)
  })

  it('uses the pnpm version that package.json pins by hash', async () => {
    const { packageManager } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'))
    const [, version] = /^pnpm@(\d+\.\d+\.\d+)\+sha512\.[0-9a-f]{128}$/.exec(packageManager) ?? []
    expect(version).toBeDefined()
    expect(await readFile(`${root}/.npmrc`, 'utf8')).toContain(`\npackage[]=pnpm@${version}\n`)
  })

  // A reader may not have pnpm, but every reader has npx.
  it.each(['README.md', 'bench/README.md'])('runs pnpm with npx in every command of %s', async (path) => {
    expect((await readFile(`${root}/${path}`, 'utf8')).match(/.*(?<!npx )\bpnpm (?:-|\w).*/g)).toBeNull()
  })
})
