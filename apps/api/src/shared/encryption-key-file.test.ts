import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EncryptionKeyFileError, readEncryptionKeyFile } from './encryption-key-file.ts'

let dataDir: string
let path: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flowpost-key-'))
  path = join(dataDir, 'encryption.key')
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe("a data folder's encryption key file", () => {
  it('is created once, readable by its owner alone', async () => {
    const created = await readEncryptionKeyFile(dataDir, { create: true })
    const again = await readEncryptionKeyFile(dataDir, { create: true })
    expect(created.keys).toHaveLength(1)
    expect(again.keys[0]?.id).toBe(created.keys[0]?.id)
    expect(again.keys[0]?.key.equals(created.keys[0]?.key as never)).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(again.isReadableByOthers).toBe(false)
  })

  it('has a different key in each folder', async () => {
    const one = await readEncryptionKeyFile(dataDir, { create: true })
    const two = await readEncryptionKeyFile(join(dataDir, 'other'), { create: true })
    expect(one.keys[0]?.key.equals(two.keys[0]?.key as never)).toBe(false)
    expect(one.keys[0]?.id).not.toBe(two.keys[0]?.id)
  })

  it('is not created unless requested', async () => {
    expect((await readEncryptionKeyFile(dataDir, { create: false })).keys).toEqual([])
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  it('holds one key per line, the primary key first', async () => {
    const line = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
    await writeFile(path, `${line('new', 1)}\r\n\n  ${line('old', 2)}\n`)
    expect((await readEncryptionKeyFile(dataDir, { create: true })).keys.map(({ id }) => id)).toEqual(['new', 'old'])
  })

  it('is rejected and left unchanged when it is damaged', async () => {
    await writeFile(path, 'local-1:dHJ1bmNhdGVk')
    const rejected = readEncryptionKeyFile(dataDir, { create: true })
    await expect(rejected).rejects.toThrow(EncryptionKeyFileError)
    await expect(rejected).rejects.not.toThrow('dHJ1bmNhdGVk')
    expect(await readFile(path, 'utf8')).toBe('local-1:dHJ1bmNhdGVk')
  })

  it('is created again when a crash left an empty file', async () => {
    await writeFile(path, '')
    expect((await readEncryptionKeyFile(dataDir, { create: true })).keys).toHaveLength(1)
  })

  it('is never written through a symbolic link', async () => {
    const elsewhere = join(dataDir, 'elsewhere')
    await symlink(elsewhere, path)
    await expect(readEncryptionKeyFile(dataDir, { create: true })).rejects.toThrow('EEXIST')
    await expect(stat(elsewhere)).rejects.toThrow('ENOENT')
  })

  it('is reported when other users can read it', async () => {
    await readEncryptionKeyFile(dataDir, { create: true })
    await chmod(path, 0o640)
    expect((await readEncryptionKeyFile(dataDir, { create: true })).isReadableByOthers).toBe(true)
  })
})
