import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { dumpSchema, restoreDump } from '../../src/backup/postgres-tools.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'

const canRun = postgresBinaries() !== undefined && ['pg_dump', 'pg_restore'].every((tool) => spawnSync(tool, ['--version']).status === 0)

describe.skipIf(!canRun)('pg_dump and pg_restore on a server with TLS (need the PostgreSQL binaries)', () => {
  let postgres: PrivatePostgres
  let certificate: string
  const folder = mkdtempSync(join(tmpdir(), 'flowpost-backups-'))
  const dump = join(folder, 'database.dump')

  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    const admin = new Client(postgres.url)
    await admin.connect()
    const names = '-subj /CN=database -addext subjectAltName=IP:127.0.0.1'
    const files = '-keyout server.key -out server.crt'
    await admin.query(
      `copy (select 1) to program 'openssl req -x509 -newkey rsa:2048 -nodes ${files} -days 1 ${names} && chmod 600 server.key'`,
    )
    await admin.query('alter system set ssl = on')
    await admin.query('select pg_reload_conf()')
    await admin.query('create table example as select 1 as id')
    const { rows } = await admin.query<{ certificate: string }>(`select pg_read_file('server.crt') as certificate`)
    certificate = rows[0]?.certificate ?? ''
    await admin.end()
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await postgres[Symbol.asyncDispose]()
  })

  it.each(['prefer', 'require', 'verify-full'])('fail with sslmode=%s if the certificate is not trusted', async (mode) => {
    await expect(dumpSchema(`${postgres.url}?sslmode=${mode}`, 'public', dump)).rejects.toThrow('certificate verify failed')
  })

  it('succeed if the certificate is in sslrootcert', async () => {
    const file = join(folder, 'ca.pem')
    writeFileSync(file, certificate)
    const url = `${postgres.url}?sslmode=require&sslrootcert=${file}&query_timeout=5000`
    await dumpSchema(url, 'public', dump)
    await restoreDump(url, dump, true)
  })

  it('succeed if Node.js trusts the certificate, and leave no temporary file', async () => {
    const trusted = getCACertificates('default')
    vi.stubEnv('TMPDIR', folder)
    setDefaultCACertificates([certificate])
    try {
      await dumpSchema(`${postgres.url}?sslmode=verify-full`, 'public', dump)
    } finally {
      setDefaultCACertificates(trusted)
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('flowpost-ca-'))).toEqual([])
  })
})
