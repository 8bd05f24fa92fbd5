import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = resolve(import.meta.dirname, '../src')
const imported = /^(?:import|export)\b[^'"]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/** Everything that a file imports at run time or for types, files of the package followed. */
const importsOf = (file: string, seen = new Set<string>()): Set<string> => {
  for (const [, from, bare, dynamic] of readFileSync(file, 'utf8').matchAll(imported)) {
    const name = from ?? bare ?? dynamic ?? ''
    const target = name.startsWith('.') ? resolve(dirname(file), name) : name
    if (seen.has(target)) continue
    seen.add(target)
    if (name.startsWith('.')) importsOf(target, seen)
  }
  return seen
}

const packagesOf = (entry: string): string[] => [...importsOf(resolve(source, entry))].filter((name) => !name.startsWith('/')).toSorted()

describe('an entry of the package', () => {
  it.each([
    ['index.ts', ['@flowpost/client', '@flowpost/contract', '@flowpost/contract/rules', '@flowpost/domain', 'zod']],
    ['matchers.ts', ['@flowpost/client', '@flowpost/contract', '@flowpost/contract/rules', '@flowpost/domain', 'zod']],
    ['conformance/index.ts', ['@flowpost/client', '@flowpost/contract', '@flowpost/contract/rules']],
    ['conformance/model/index.ts', ['@flowpost/client', '@flowpost/contract', '@flowpost/contract/rules', 'fast-check']],
  ])('%s imports nothing of Node, so that it runs in browsers and workers', (entry, packages) => {
    expect(packagesOf(entry)).toEqual(packages)
  })

  it('finds what only a server may import', () => {
    expect(packagesOf('server.ts')).toContain('node:http')
  })
})
