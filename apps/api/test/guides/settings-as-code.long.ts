import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventEnv as encryption } from '../support/event-endpoints.ts'
import { blocksOf, readFromRepository, readGuide } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { startTestServer } from '../support/test-server.ts'

const guide = readGuide('settings-as-code')

it.skipIf(spawnSync('curl', ['--version']).status !== 0)('settings-as-code.md applies a file and finds drift', async () => {
  const blocks = blocksOf('settings-as-code')
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
  const config = blocks.find(({ language }) => language === 'ts')?.code ?? ''
  const [install = '', validate = '', plan = '', apply = '', send = '', edit = '', applyAgain = '', ...rest] = commands
  const [changeFlow = '', findDrift = '', resolveDrift = '', writeTypes = '', createKey = '', ...others] = rest
  expect(others).toEqual([])

  await using server = await startTestServer({ env: { ...encryption, FLOWPOST_CAPTURE: 'missing' } })
  await using terminal = openGuideTerminal(server)
  const readFile = (name: string) => readFileSync(join(terminal.folder, 'billing-settings', name), 'utf8')
  const expectOutput = async (code: string, exitCode: number, ...texts: string[]) => {
    const result = await terminal.run(code)
    for (const text of texts) expect(result.output).toContain(text)
    expect(result.code).toBe(exitCode)
  }

  await expectOutput(install, 0)
  writeFileSync(join(terminal.folder, 'billing-settings/flowpost.config.ts'), config)
  await expectOutput(validate, 0, 'flowpost.config.ts is valid.')
  await expectOutput(plan, 2, '4 to create, 0 to change, 0 to delete.')
  expect(guide).toContain('`4 to create, 0 to change, 0 to delete.`')
  await expectOutput(apply, 0, 'Applied.\n', 'The server matches the file.\n')
  await expectOutput(send, 0, ' is sent.')
  await expectOutput(edit, 2, '"ops@example.com" → "team@example.com"', '0 to create, 1 to change, 0 to delete.')
  await expectOutput(applyAgain, 0, 'Applied.\n')
  await expectOutput(changeFlow, 0, '"active":false')
  await expectOutput(findDrift, 2, 'The server differs from the file.', 'active: false → true')
  await expectOutput(resolveDrift, 0, 'pulled.config.ts with 2 flows.', 'Applied.\n', 'The server matches the file.\n')
  expect(readFile('pulled.config.ts')).toContain('active: false')
  await expectOutput(writeTypes, 0, 'flowpost.lock.json')
  expect(readFile('flowpost.d.ts')).toContain('billing: {')
  await expectOutput(createKey, 0, 'fp_')
})

it("settings-as-code.md lists the workflow's jobs with their commands", () => {
  const workflow = readFromRepository('examples/settings-as-code/.github/workflows/flowpost.yml')
  const jobs = [...workflow.matchAll(/^ {2}(\w+):\n {4}(?:[\s\S]*?)(?=^ {2}\w+:\n {4}|$(?![\s\S]))/gm)].filter(([text]) =>
    text.includes('steps:'),
  )
  const listed = [...guide.matchAll(/^\| `(\w+)` \| [^|]+ \| (.+) \|$/gm)].filter(([, , commands]) => commands?.includes('npx flowpost'))
  expect(listed.map(([, name]) => name)).toEqual(jobs.map(([, name]) => name))
  for (const [index, [, , commands = '']] of listed.entries())
    for (const [, command = ''] of commands.matchAll(/`([^`]+)`/g)) expect(jobs[index]?.[0]).toContain(`- run: ${command}`)
})
