import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { commandTable } from '../src/command-table.ts'
import { startCliServer } from './support/run-cli.ts'
import { hasPython, terminal } from './support/terminal.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const blocksOf = (language: string, text = readme) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] ?? '')
const sectionOf = (heading: string) => readme.split(/^## /m).find((section) => section.startsWith(`${heading}\n`))

const { mock, server, home, run } = await startCliServer()
mock.seed.flow({ project: mock.seed.project({ name: 'billing' }), name: 'ops-mail', target: 'ops@example.com' })

// `scripts/check-installation.ts` runs the commands in the preceding section, with installed packages.
it.skipIf(!hasPython)('the commands for an existing server in the README work in a terminal', async () => {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const script = join(import.meta.dirname, '../src/flowpost.ts')
  writeFileSync(join(bin, 'flowpost'), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
  chmodSync(join(bin, 'flowpost'), 0o755)
  const commands = blocksOf('sh', sectionOf('With an existing server'))
  const { FLOWPOST_BASE_URL: _, FLOWPOST_API_KEY: __, ...inherited } = process.env
  const answers = [
    ['URL of the server', `${server.url}\r`],
    ['API key', `${mock.apiKey}\r`],
  ]
  const child = spawn('python3', [terminal, JSON.stringify(answers), 'bash', '-euo', 'pipefail', '-c', commands.join('\n')], {
    env: { ...inherited, HOME: home, XDG_CONFIG_HOME: '', PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' },
  })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(output).toContain(`Stored ${server.url} as local`)
  expect(output).toContain('No problems found.')
  expect(output).toContain('  | It is ready.')
  expect(output.match(/ntf_\w+ is sent\./g)).toHaveLength(2)
  expect(output).toContain('reference  host-7')
  expect(output).toMatch(/\nfp_\w\S+\r\n/)
  expect(output).toMatch(/billing +ops-mail +smtp:ops@example\.com +ok\s*$/)
  expect(child.exitCode).toBe(0)
  expect(mock.outbox.map((message) => message.text)).toEqual(['It is ready.', 'Disk usage is 91 %.'])
})

it('the README lists every command', () => {
  for (const { name } of commandTable) expect(readme).toMatch(new RegExp(`^\\| \`${name}\\b`, 'm'))
})

it.each(['The first five minutes', 'Config files'])('the config file in the section `%s` of the README is valid', async (heading) => {
  const [config] = blocksOf('ts', sectionOf(heading))
  writeFileSync(join(home, 'flowpost.config.ts'), config ?? '')
  expect(await run(['validate'])).toMatchObject({ code: 0 })
})
