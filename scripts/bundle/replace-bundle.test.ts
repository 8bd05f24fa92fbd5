import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceBundle } from './replace-bundle.ts'

const paths = ['bin', 'node_modules/@flowpost/delivery', 'THIRD-PARTY.txt']

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flowpost-replace-'))
  folder = join(root, 'server')
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (files: Readonly<Record<string, string>>, target = folder) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), text)
  }
}

const bundle = (release: string) => async (target: string) => {
  write({ [`bin/${release}.js`]: release, 'node_modules/@flowpost/delivery/index.js': release, 'THIRD-PARTY.txt': release }, target)
  return release
}

const filesOf = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

it('writes a bundle into a folder that does not exist, and returns the result', async () => {
  expect(await replaceBundle(folder, paths, bundle('one'))).toBe('one')
  expect(filesOf()).toEqual(['THIRD-PARTY.txt', 'bin/one.js', 'node_modules/@flowpost/delivery/index.js'])
})

it('keeps the files that are not part of the bundle', async () => {
  const others = {
    '.data/master-key': 'secret',
    '.env': 'PORT=1',
    'backups/today/x': 'x',
    'node_modules/left-pad/index.js': '',
    'pigeon.ts': '',
  }
  await replaceBundle(folder, paths, bundle('one'))
  write(others)
  await replaceBundle(folder, paths, bundle('two'))
  expect(filesOf()).toEqual([...Object.keys(others), 'THIRD-PARTY.txt', 'bin/two.js', 'node_modules/@flowpost/delivery/index.js'].sort())
  expect(readFileSync(join(folder, '.data/master-key'), 'utf8')).toBe('secret')
  expect(readFileSync(join(folder, 'node_modules/@flowpost/delivery/index.js'), 'utf8')).toBe('two')
})

it('keeps the old bundle when the new one cannot be written', async () => {
  await replaceBundle(folder, paths, bundle('one'))
  const before = filesOf()
  const failing = async (target: string) => {
    await bundle('two')(target)
    throw new Error('The disk is full.')
  }
  await expect(replaceBundle(folder, paths, failing)).rejects.toThrow('The disk is full.')
  expect(filesOf()).toEqual(before)
})

it('repeats a replacement that was interrupted', async () => {
  write({ 'THIRD-PARTY.txt': 'one', '.new-bundle/bin/two.js': 'two', '.data/master-key': 'secret' })
  await replaceBundle(folder, paths, bundle('three'))
  expect(filesOf()).toEqual(['.data/master-key', 'THIRD-PARTY.txt', 'bin/three.js', 'node_modules/@flowpost/delivery/index.js'])
  write({ '.new-bundle/bin/two.js': 'two', 'node_modules/one.js': 'one' }, join(root, 'first'))
  await replaceBundle(join(root, 'first'), paths, bundle('three'))
  expect(existsSync(join(root, 'first/bin/three.js'))).toBe(true)
})

it('changes nothing in a folder that contains files and no bundle', async () => {
  write({ 'bin/mine.js': 'mine' })
  await expect(replaceBundle(folder, paths, bundle('one'))).rejects.toThrow(`${folder} contains files, but no bundle.`)
  expect(filesOf()).toEqual(['bin/mine.js'])
})
