import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const biome = join(dirname(fileURLToPath(import.meta.resolve('@biomejs/biome/package.json'))), 'bin', 'biome')

// Biome runs outside the repository, so it reads no configuration file. These flags set the style instead.
const flags = [
  '--indent-style=space',
  '--indent-width=2',
  '--line-width=140',
  '--javascript-formatter-quote-style=single',
  '--semicolons=as-needed',
  '--trailing-commas=all',
]

/**
 * Formats TypeScript in the style of this repository.
 *
 * @throws {Error} On a syntax error.
 */
export const format = (source: string): string => {
  const run = spawnSync(process.execPath, [biome, 'format', '--stdin-file-path=generated.ts', ...flags], {
    input: source,
    encoding: 'utf8',
    cwd: tmpdir(),
  })
  if (run.status !== 0) throw new Error(`Could not format the generated code:\n${run.stderr}`)
  return run.stdout
}
