// Fails if a file or its path contains a banned name or phrase. `cspell` checks for banned single words.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'
import { findBannedPhrases } from './language/find-banned-phrases.ts'

interface SpellingConfig {
  readonly ignorePaths: readonly string[]
}

const root = resolve(import.meta.dirname, '..')

// The phrases are checked in the same files that cspell checks.
const config: SpellingConfig = JSON.parse(readFileSync(join(root, 'cspell.json'), 'utf8'))
const ignored = config.ignorePaths
  // As in `.gitignore`, a pattern with a slash starts at the root, and any other pattern matches in every folder.
  .map((pattern) => (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`))
const isIgnored = (path: string): boolean => ignored.some((glob) => matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`))

const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && !path.endsWith('.png') && !isIgnored(path) && existsSync(join(root, path)))

let count = 0
for (const path of paths) {
  for (const { line, text, instead } of findBannedPhrases(`${path}\n${readFileSync(join(root, path), 'utf8')}`)) {
    count += 1
    console.error(`${path}:${Math.max(1, line - 1)} - Banned phrase (${text}). Instead: ${instead}`)
  }
}
if (count > 0) process.exitCode = 1
console.error(`Banned phrases: ${paths.length} files checked, ${count} issues found.`)
