import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { simulatedChannelPrefix, simulatedDomain, simulatedRecipients } from '@flowpost/domain'
import { describe, expect, it, onTestFinished } from 'vitest'

const folder = import.meta.dirname
const examples = resolve(folder, '../../../../examples/consumer-tests')
const readme = readFileSync(resolve(folder, '../../README.md'), 'utf8')

/** The first test with the package name instead of relative imports. */
const firstTest = readFileSync(resolve(folder, 'first-test.test.ts'), 'utf8')
  .replaceAll("'../../src/index.ts'", "'@flowpost/testing'")
  .replace(/'\.\.\/\.\.\/src\/(\w+)\.ts'/g, "'@flowpost/testing/$1'")

const workspace = resolve(folder, '../../../..')

/** Joins the examples that are not files into one program. Later examples use variables from earlier examples. */
const remainingExamples = (): string => {
  const blocks = [...readme.matchAll(/(?<!-->\n)^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  return [`import { createFlowpostMock } from '@flowpost/testing'\n`, ...blocks].join('')
}

const createProject = async (source: string): Promise<string> => {
  const project = await mkdtemp(join(tmpdir(), 'flowpost-readme-'))
  onTestFinished(() => rm(project, { recursive: true }))
  await mkdir(join(project, 'node_modules/@flowpost'), { recursive: true })
  await symlink(resolve(folder, '../..'), join(project, 'node_modules/@flowpost/testing'))
  await symlink(join(workspace, 'node_modules/@types'), join(project, 'node_modules/@types'))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ extends: join(workspace, 'tsconfig.base.json'), files: ['example.ts'] }))
  await writeFile(join(project, 'example.ts'), source)
  return project
}

const run = async (args: string[], cwd: string) => {
  const child = spawn(process.execPath, args, { cwd })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

const expectInReadme = (name: string, source: string) => {
  const language = name.endsWith('x') ? 'tsx' : 'ts'
  expect(readme).toContain(`<!-- ${name} -->\n\`\`\`${language}\n${source}\`\`\`\n`)
}

describe('the README', () => {
  it('contains first-test.test.ts', () => expectInReadme('first-test.test.ts', firstTest))

  it.each([
    'node-test.ts',
    'seeds.test.ts',
    'lock-file.test.ts',
    'test-key.test.ts',
    'service-with-retries.test.ts',
    'waiting-job.test.ts',
    'delivery-status.tsx',
    'react-component.test.ts',
  ])('contains %s from examples/consumer-tests', (name) => expectInReadme(name, readFileSync(resolve(examples, name), 'utf8')))

  it('contains an example for node:test that passes', async () => {
    const child = spawn(process.execPath, ['--test', resolve(examples, 'node-test.ts')], { stdio: 'ignore' })
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('contains other examples, which compile and run', { timeout: 60_000 }, async () => {
    const examples = remainingExamples()
    expect(examples).toContain('mock.faults.clear()')
    expect(examples).toContain('mock.clock.advance(')
    const project = await createProject(examples)
    const compiled = await run([join(workspace, 'node_modules/typescript/bin/tsc'), '-p', project], project)
    expect(compiled).toMatchObject({ code: 0, stdout: '' })
    expect(await run(['example.ts'], project)).toMatchObject({ code: 0, stderr: '' })
  })

  it('lists the simulated recipients', () => {
    const rows = simulatedRecipients.map(
      ({ name, outcome }) => `| \`${name}@${simulatedDomain}\` | \`${simulatedChannelPrefix}${name}\` | ${outcome} |\n`,
    )
    expect(readme).toContain(`|---|---|---|\n${rows.join('')}\n`)
  })

  it('mentions every entry point of the package', () => {
    const { exports } = JSON.parse(readFileSync(resolve(folder, '../../package.json'), 'utf8')) as { exports: Record<string, string> }
    for (const entry of Object.keys(exports)) expect(readme).toContain(`@flowpost/testing${entry.slice(1)}`)
  })
})
