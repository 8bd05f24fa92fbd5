import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isIgnored } from './bundle/dockerfile.ts'

const root = resolve(import.meta.dirname, '..')
const pages = globSync('docs/**/*.md', { cwd: root }).map((page) => readFileSync(join(root, page), 'utf8'))
const folders = pages.flatMap((page) => [...page.matchAll(/pnpm backup ([\w.][\w./-]*)/g)].map(([, folder = '']) => folder))

it('the guides make backups in the folder of the repository', () => {
  expect(folders.length).toBeGreaterThan(1)
})

describe.each(folders)('the backup %s of a guide', (folder) => {
  it('is ignored by git', () => {
    expect(spawnSync('git', ['check-ignore', '--quiet', `${folder}/backup.dump`], { cwd: root }).status).toBe(0)
  })

  it('is not part of the build context of the image', () => {
    expect(isIgnored(readFileSync(join(root, '.dockerignore'), 'utf8'))(`${folder}/backup.dump`)).toBe(true)
  })
})
