import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withoutRoot } from '../../test/support/without-root.ts'
import { pathExists } from './path-exists.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowpost-paths-'))
  writeFileSync(join(folder, 'file'), '')
})
afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true, force: true })
})

it('returns whether a file or folder exists', () => {
  mkdirSync(join(folder, 'folder'))
  const names = ['file', 'folder', 'missing', 'missing/file', 'file/file']
  expect(names.map((name) => pathExists(join(folder, name)))).toEqual([true, true, false, false, false])
})

it('throws if this process may not open the folder', async () => {
  chmodSync(folder, 0)
  await withoutRoot(async () => expect(() => pathExists(join(folder, 'file'))).toThrow('EACCES'))
})
