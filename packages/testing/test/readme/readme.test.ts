import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = import.meta.dirname
const examples = resolve(folder, '../../../../examples/consumer-tests')
const readme = readFileSync(resolve(folder, '../../README.md'), 'utf8')

/** The first test with the package name instead of relative imports. */
const firstTest = readFileSync(resolve(folder, 'first-test.test.ts'), 'utf8')
  .replaceAll("'../../src/index.ts'", "'@flowpost/testing'")
  .replace(/'\.\.\/\.\.\/src\/(\w+)\.ts'/g, "'@flowpost/testing/$1'")

const expectInReadme = (name: string, source: string) => {
  const language = name.endsWith('x') ? 'tsx' : 'ts'
  expect(readme).toContain(`<!-- ${name} -->\n\`\`\`${language}\n${source}\`\`\`\n`)
}

describe('the README', () => {
  it('contains first-test.test.ts', () => expectInReadme('first-test.test.ts', firstTest))

  it.each(['node-test.ts', 'service-with-retries.test.ts', 'waiting-job.test.ts', 'delivery-status.tsx', 'react-component.test.ts'])(
    'contains %s of examples/consumer-tests',
    (name) => expectInReadme(name, readFileSync(resolve(examples, name), 'utf8')),
  )

  it('contains an example for node:test that passes', async () => {
    const child = spawn(process.execPath, ['--test', resolve(examples, 'node-test.ts')], { stdio: 'ignore' })
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('mentions every entry point of the package', () => {
    const { exports } = JSON.parse(readFileSync(resolve(folder, '../../package.json'), 'utf8')) as { exports: Record<string, string> }
    for (const entry of Object.keys(exports)) expect(readme).toContain(`@flowpost/testing${entry.slice(1)}`)
  })
})
