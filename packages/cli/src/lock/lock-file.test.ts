import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { formatLock, lockFileName, readLock } from './lock-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'flowpost-lock-'))
afterAll(() => rm(folder, { recursive: true }))
const lock = { lockfile_version: 1 as const, projects: {} }

describe('a lock file', () => {
  it('is read with a byte order mark and the line breaks of Windows', async () => {
    await writeFile(join(folder, lockFileName), `\ufeff${formatLock(lock).replaceAll('\n', '\r\n')}`)
    expect(await readLock(folder)).toEqual(lock)
  })

  it('is rejected if it is not valid UTF-8', async () => {
    await writeFile(join(folder, lockFileName), Buffer.from([0x7b, 0xff, 0x7d]))
    await expect(readLock(folder)).rejects.toThrow('is not valid UTF-8.')
  })
})
