import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = resolve(import.meta.dirname, '../src')
const imported = /^(?:import|export)\b[^'"]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/** Returns all transitive imports of a file, including type imports. */
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

describe('a package entry point', () => {
  it.each([
    [
      'index.ts',
      ['@flowpost/client', '@flowpost/client/events', '@flowpost/contract', '@flowpost/contract/rules', '@flowpost/domain', 'zod'],
    ],
    [
      'matchers.ts',
      ['@flowpost/client', '@flowpost/client/events', '@flowpost/contract', '@flowpost/contract/rules', '@flowpost/domain', 'zod'],
    ],
    ['conformance/index.ts', ['@flowpost/client', '@flowpost/contract', '@flowpost/contract/rules']],
    [
      'conformance/model/index.ts',
      [
        '@flowpost/client',
        '@flowpost/client/events',
        '@flowpost/contract',
        '@flowpost/contract/rules',
        '@flowpost/domain',
        'fast-check',
        'zod',
      ],
    ],
  ])('%s imports no Node modules', (entry, packages) => {
    expect(packagesOf(entry)).toEqual(packages)
  })

  it('detects Node modules in server.ts', () => {
    expect(packagesOf('server.ts')).toContain('node:http')
  })
})
