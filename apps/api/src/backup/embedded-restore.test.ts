import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EmbeddedConnection } from '../database/embedded-connection.ts'
import { BackupError } from './backup-error.ts'
import { backupEmbedded, restoreEmbedded } from './embedded-backup.ts'
import { readManifest } from './manifest.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowpost-backups-'))
  mkdirSync(join(folder, 'data'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (...names: string[]) => join(folder, ...names)
const write = (text: string, ...names: string[]) => {
  mkdirSync(pathOf(...names, '..'), { recursive: true })
  writeFileSync(pathOf(...names), text)
}
const contentOf = (...names: string[]) => readFileSync(pathOf(...names), 'utf8')

/** A connection to a database in which all tables are empty. */
const connection = {
  query: async () => ({ rows: [] }),
  whilePaused: (work: () => Promise<unknown>) => work(),
} as unknown as EmbeddedConnection

const backUp = async () => {
  write('15\n', 'source', 'db', 'PG_VERSION')
  write('rows of the backup', 'source', 'db', 'base', '5', '1259')
  write('k1:secret\n', 'source', 'encryption.key')
  await backupEmbedded({ connection, dataDir: pathOf('source'), keys: [] }, pathOf('backup'))
}

const restore = async (verify: (dataDir: string) => Promise<void> = async () => {}, replace = true) =>
  restoreEmbedded(pathOf('data'), pathOf('backup'), await readManifest(pathOf('backup')), { replace, verify })

describe('restoring an embedded database', () => {
  it('replaces the database by the one in the backup', async () => {
    await backUp()
    write('current rows', 'data', 'db', 'base', '5', '1259')
    await restore()
    expect(contentOf('data', 'db', 'base', '5', '1259')).toBe('rows of the backup')
    expect(readdirSync(pathOf('data')).toSorted()).toEqual(['db', 'encryption.key'])
  })

  const changes: [reason: string, change: () => void][] = [
    ['db/PG_VERSION is missing', () => rmSync(pathOf('backup', 'db', 'PG_VERSION'))],
    ['db/PG_VERSION is missing', () => rmSync(pathOf('backup', 'db'), { recursive: true })],
    ['encryption.key is missing', () => rmSync(pathOf('backup', 'encryption.key'))],
    ['db/base/5/1259 has changed since the backup', () => truncateSync(pathOf('backup', 'db', 'base', '5', '1259'), 4)],
    ['db/base/5/1259 has changed since the backup', () => write('rows of the Backup', 'backup', 'db', 'base', '5', '1259')],
  ]
  it.each(changes)('keeps the database if the backup is damaged: %s', async (reason, change) => {
    await backUp()
    change()
    write('current rows', 'data', 'db', 'base', '5', '1259')
    await expect(restore()).rejects.toThrow(reason)
    expect(contentOf('data', 'db', 'base', '5', '1259')).toBe('current rows')
    expect(readdirSync(pathOf('data'))).toEqual(['db'])
  })

  it('accepts a backup by an earlier release, which lists no files, unless its database is missing', async () => {
    await backUp()
    const { files: _files, ...manifest } = await readManifest(pathOf('backup'))
    writeFileSync(pathOf('backup', 'manifest.json'), JSON.stringify(manifest))
    await restore()
    expect(contentOf('data', 'db', 'base', '5', '1259')).toBe('rows of the backup')

    rmSync(pathOf('backup', 'db'), { recursive: true })
    await expect(restore()).rejects.toThrow('is not a complete backup: it has no folder "db".')
  })

  it('keeps the earlier database of an interrupted restore until the next restore is complete', async () => {
    await backUp()
    // A restore was interrupted between its two renames.
    write('earlier rows', 'data', 'replaced', 'base', '5', '1259')
    // The next restore fails when it renames the new database.
    await expect(restore(async (staging) => rmSync(join(staging, 'db'), { recursive: true }))).rejects.toThrow('ENOENT')
    expect(contentOf('data', 'replaced', 'base', '5', '1259')).toBe('earlier rows')

    await restore()
    expect(readdirSync(pathOf('data')).toSorted()).toEqual(['db', 'encryption.key'])
  })

  it.each(['db', 'replaced'])('keeps the database in the folder "%s" without --replace', async (name) => {
    await backUp()
    write('earlier rows', 'data', name, 'base', '5', '1259')
    await expect(restore(undefined, false)).rejects.toThrow(`There is a database in ${pathOf('data')}.`)
    expect(contentOf('data', name, 'base', '5', '1259')).toBe('earlier rows')
  })
})

it('backing up an embedded database without Flowpost tables fails with the reason', async () => {
  const query = () => Promise.reject(Object.assign(new Error('relation "flowpost_migrations" does not exist'), { code: '42P01' }))
  const source = { connection: { ...connection, query } as unknown as EmbeddedConnection, dataDir: pathOf('data'), keys: [] }
  await expect(backupEmbedded(source, pathOf('backup'))).rejects.toThrow(
    new BackupError(`The database in ${pathOf('data')} has no Flowpost tables.`),
  )
})
