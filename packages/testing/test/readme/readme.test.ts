import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = import.meta.dirname
const readme = readFileSync(resolve(folder, '../../README.md'), 'utf8')

/** A file of this folder as its reader would write it: with the name of the package instead of its files. */
const asRead = (name: string): string =>
  readFileSync(resolve(folder, name), 'utf8')
    .replaceAll("'../../src/index.ts'", "'@flowpost/testing'")
    .replace(/'\.\.\/\.\.\/src\/(\w+)\.ts'/g, "'@flowpost/testing/$1'")

describe('the README', () => {
  it.each(['first-test.test.ts', 'service-with-retries.test.ts', 'waiting-job.test.ts', 'delivery-status.tsx', 'react-component.test.ts'])(
    'has %s as it is run',
    (name) => {
      const language = name.endsWith('x') ? 'tsx' : 'ts'
      expect(readme).toContain(`<!-- ${name} -->\n\`\`\`${language}\n${asRead(name)}\`\`\`\n`)
    },
  )

  it('names every entry of the package', () => {
    const { exports } = JSON.parse(readFileSync(resolve(folder, '../../package.json'), 'utf8')) as { exports: Record<string, string> }
    for (const entry of Object.keys(exports)) expect(readme).toContain(`@flowpost/testing${entry.slice(1)}`)
  })
})
