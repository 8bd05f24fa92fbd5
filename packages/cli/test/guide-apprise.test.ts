import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { mapAppriseUrl } from '../src/import/map-apprise.ts'
import { startCliServer } from './support/run-cli.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/guides/move-from-apprise.md'), 'utf8')
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] ?? '')

const { mock, server, home } = await startCliServer()

/** Runs commands in a folder in which the CLI is installed. */
const runCommands = async (commands: string) => {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'flowpost'), `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, '../src/flowpost.ts')}" "$@"\n`)
  chmodSync(join(bin, 'flowpost'), 0o755)
  mkdirSync(join(home, 'node_modules/@flowpost'), { recursive: true })
  symlinkSync(join(root, 'packages/cli'), join(home, 'node_modules/@flowpost/cli'))
  const child = spawn('sh', ['-euc', commands], {
    cwd: home,
    env: {
      HOME: home,
      PATH: `${bin}:${process.env['PATH']}`,
      NO_COLOR: '1',
      FLOWPOST_BASE_URL: server.url,
      FLOWPOST_API_KEY: mock.apiKey,
    },
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect(child.exitCode, errors + output).toBe(0)
  return output
}

it('the commands in the guide move-from-apprise.md import, apply and send', async () => {
  const [config = ''] = blocksOf('ini')
  writeFileSync(join(home, 'apprise.conf'), config)
  const output = await runCommands(blocksOf('sh').join('\n'))
  expect(output).toContain('line 3  Flowpost has no provider for telegram://.')
  expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600)
  await expect.poll(() => mock.outbox.length).toBe(4)
  const disk = 'Disk of host-7\nIt is 91 % full.'
  expect(mock.outbox.map(({ source_type, target, text: sent }) => [source_type, target, sent]).sort()).toEqual([
    ['slack', 'C024BE91L', disk],
    ['slack', 'C024BE91L', disk],
    ['smtp', 'ops@example.com', 'It is 91 % full.'],
    ['smtp', 'ops@example.com', 'It is 91 % full.'],
  ])
  const project = (await mock.client().projects.list()).data.find(({ key }) => key === 'ops')
  const integrations = (await mock.client().integrations.list(project?.id ?? '')).data
  expect(integrations.map(({ source_type }) => source_type).sort()).toEqual(['slack', 'smtp'])
})

it.each([
  ['mailto://ann:pw@example.com', 'smtp'],
  ['mailtos://ann:pw@example.com', 'smtp'],
  ['mailgun://ann@mg.example.com/key-1', 'mailgun'],
  ['slack://xoxb-1-a/C024BE91L', 'slack'],
  ['discord://1234/token', 'discord'],
  ['workflows://prod.westeurope.logic.azure.com/wf/signature?pa=yes', 'teams'],
  ['json://example.com/hook', 'webhook'],
  ['jsons://example.com/hook', 'webhook'],
])('%s maps to %s, as the guide says', (url, sourceType) => {
  expect(mapAppriseUrl(url)).toMatchObject({ sourceType })
  const [scheme = ''] = url.split('://')
  expect(page).toMatch(new RegExp(`^\\|[^|]*\`${scheme}://\`[^|]*\\| \`${sourceType}\` \\|`, 'm'))
})

it.each(['slack://TokenA/TokenB/TokenC', 'msteams://token/1', 'telegram://1:a/2', 'jsons://ann:pw@example.com', 'o365://a/b/c/d'])(
  '%s does not map, as the guide says',
  (url) => expect(mapAppriseUrl(url)).toHaveProperty('reason'),
)
