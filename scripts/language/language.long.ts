import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { bannedPhrases } from './banned-phrases.ts'
import { findBannedPhrases } from './find-banned-phrases.ts'

const root = resolve(import.meta.dirname, '../..')

const checkSpelling = (path: string, text: string) => {
  const cspell = join(root, 'node_modules/cspell/bin.mjs')
  return spawnSync(process.execPath, [cspell, 'lint', '--no-progress', `stdin://${join(root, path)}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
}

it.each(bannedPhrases.map((phrase) => [phrase.example, phrase] as const))('finds "%s"', (example, { instead }) => {
  expect(findBannedPhrases(`first line\n${example}`)).toContainEqual(expect.objectContaining({ line: 2, instead }))
})

it('finds a phrase that is broken across the lines of a comment', () => {
  const found = findBannedPhrases('/**\n * Runs in a process of its\n * own.\n */')
  expect(found).toEqual([expect.objectContaining({ line: 2, text: 'of its * own' })])
})

it('accepts ordinary English', () => {
  // Each part of this text resembles a banned name or phrase, but is allowed.
  const text = "Kept by default. The mostRecent fault: at least one retry, in turn. /** Whether it is known. */ /** What's new. */"
  expect(findBannedPhrases(text)).toEqual([])
})

it.each(['connection refused', 'the connection was refused', 'refuses', 'It refused the connection'])(
  'accepts "%s" as a phrase',
  (text) => {
    expect(findBannedPhrases(text)).toEqual([])
  },
)

it('fails the spelling check for banned words and for a misspelled one', () => {
  const banned = ['refuse', 'refuses', 'refusal', 'heard', 'told', 'refuseConnection', 'courier', 'anew']
  const { status, stdout } = checkSpelling('scripts/x.ts', [...banned, 'recieves'].map((word) => `// The ${word}.\n`).join(''))
  expect(status).toBe(1)
  for (const line of banned.keys()) expect(stdout).toMatch(new RegExp(`:${line + 1}:\\d+ - Forbidden word`))
  expect(stdout).toContain(`:${banned.length + 1}:8 - Unknown word (recieves)`)
})

it("accepts the project's words in the spelling check", () => {
  expect(checkSpelling('scripts/x.ts', '// PGlite holds the mebibytes of flowpost.\n').status).toBe(0)
})
