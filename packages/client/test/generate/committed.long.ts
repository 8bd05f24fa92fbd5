import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { api } from '@flowpost/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { generate } from '../../generate/files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }

describe('the committed files', () => {
  it.each([...generate(api, version)])('match the contract: %s', async (path, source) => {
    expect(await readFile(join(root, path), 'utf8')).toBe(source)
  })

  it('are deterministic', () => {
    expect(generate(api, version)).toEqual(generate(api, version))
  })
})

describe('generate --check', () => {
  it('fails for outdated files, which `generate` updates', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'flowpost-generate-'))
    onTestFinished(() => rm(copy, { recursive: true }))
    for (const name of ['generate', 'src', 'test', 'package.json']) await cp(join(root, name), join(copy, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const run = (...args: string[]) => spawnSync(process.execPath, [join(copy, 'generate/main.ts'), ...args], { encoding: 'utf8' })

    expect(run('--check')).toMatchObject({ status: 0, stdout: '' })
    const file = join(copy, 'src/generated/routes.ts')
    const before = await readFile(file, 'utf8')
    await writeFile(file, before.replace("'DELETE'", "'PUT'"))
    const outdated = run('--check')
    expect(outdated.status).toBe(1)
    expect(outdated.stdout).toContain('outdated: src/generated/routes.ts')
    expect(run().stdout).toContain('written: src/generated/routes.ts')
    expect(await readFile(file, 'utf8')).toBe(before)
  })
})
