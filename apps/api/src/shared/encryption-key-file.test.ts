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

describe('the encryption key of a data folder', () => {
  it('is made once, for its owner alone, and read from then on', async () => {
    const made = await readEncryptionKeyFile(dataDir, { make: true })
    const again = await readEncryptionKeyFile(dataDir, { make: true })
    expect(made.keys).toHaveLength(1)
    expect(again.keys[0]?.id).toBe(made.keys[0]?.id)
    expect(again.keys[0]?.key.equals(made.keys[0]?.key as never)).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(again.isOpenToOthers).toBe(false)
  })

  it('is another one in another folder', async () => {
    const one = await readEncryptionKeyFile(dataDir, { make: true })
    const two = await readEncryptionKeyFile(join(dataDir, 'other'), { make: true })
    expect(one.keys[0]?.key.equals(two.keys[0]?.key as never)).toBe(false)
    expect(one.keys[0]?.id).not.toBe(two.keys[0]?.id)
  })

  it('is not made where none is wanted', async () => {
    expect((await readEncryptionKeyFile(dataDir, { make: false })).keys).toEqual([])
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  it('may be several, a line each, of which the first seals', async () => {
    const line = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
    await writeFile(path, `${line('new', 1)}\r\n\n  ${line('old', 2)}\n`)
    expect((await readEncryptionKeyFile(dataDir, { make: true })).keys.map(({ id }) => id)).toEqual(['new', 'old'])
  })

  it('is refused when it is damaged, and left as it is', async () => {
    await writeFile(path, 'local-1:dHJ1bmNhdGVk')
    const refused = readEncryptionKeyFile(dataDir, { make: true })
    await expect(refused).rejects.toThrow(EncryptionKeyFileError)
    await expect(refused).rejects.not.toThrow('dHJ1bmNhdGVk')
    expect(await readFile(path, 'utf8')).toBe('local-1:dHJ1bmNhdGVk')
  })

  it('is made anew when a crash has left an empty file, with which nothing can have been sealed', async () => {
    await writeFile(path, '')
    expect((await readEncryptionKeyFile(dataDir, { make: true })).keys).toHaveLength(1)
  })

  it('is never written through a link that somebody has put there', async () => {
    const elsewhere = join(dataDir, 'elsewhere')
    await symlink(elsewhere, path)
    await expect(readEncryptionKeyFile(dataDir, { make: true })).rejects.toThrow('EEXIST')
    await expect(stat(elsewhere)).rejects.toThrow('ENOENT')
  })

  it('is told to be open to others when it is', async () => {
    await readEncryptionKeyFile(dataDir, { make: true })
    await chmod(path, 0o640)
    expect((await readEncryptionKeyFile(dataDir, { make: true })).isOpenToOthers).toBe(true)
  })
})
