import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readFromRepository, readGuide, repositoryFolder as root } from '../support/guide-pages.ts'

const guides = readdirSync(`${root}/docs/guides`).map((file) => file.replace('.md', ''))
const { scripts } = JSON.parse(readFromRepository('package.json')) as { scripts: Record<string, string> }

// The files that name the environment variables: of the server, of the proxy and the nodes in `ops/ha`, of the command line
// and of the failover tests.
const known = ['docs/configuration.md', 'ops/ha/haproxy.cfg', 'ops/ha/node.env.example', 'packages/cli/README.md', 'CONTRIBUTING.md']
  .map(readFromRepository)
  .join('\n')

describe.each(guides)('%s.md', (name) => {
  const guide = readGuide(name)
  const all = (pattern: RegExp) => [...new Set([...guide.matchAll(pattern)].map(([, match = '']) => match))]

  it('names only variables that exist', () => {
    const variables = all(/\b((?:FLOWPOST|OTEL|PATRONI)_[A-Z0-9_]*[A-Z0-9])\b/g)
    expect(variables.filter((variable) => !known.includes(variable))).toEqual([])
  })

  it('names only scripts and commands that exist', () => {
    for (const script of all(/npx pnpm ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script)
    for (const file of all(/node (bin\/\w+\.js)/g)) expect(existsSync(`${root}/apps/api/${file}`), file).toBe(true)
  })

  it('names only files that exist', () => {
    for (const path of all(/[` ]((?:ops|apps|bench|examples|packages)\/[\w./-]*\w)/g))
      expect(existsSync(`${root}/${path}`), path).toBe(true)
  })

  it('fits in 160 lines', () => {
    expect(guide.split('\n').length).toBeLessThan(160)
  })
})
