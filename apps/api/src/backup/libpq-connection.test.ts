// cspell:ignore Dmail PGSSLMODE hostaddr sslpassword
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toLibpq } from './libpq-connection.ts'

beforeEach(() => {
  vi.stubEnv('PGPASSWORD', undefined)
  vi.stubEnv('PGSSLMODE', undefined)
})

// The driver reads the file, and needs only that it is not empty.
const caFile = import.meta.filename

/** Returns the query string of the URL for PostgreSQL's client programs, given the query string of `DATABASE_URL`. */
const queryFor = (given: string) => decodeURIComponent(new URL(toLibpq(`postgres://a@db/flowpost?${given}`).url).search.slice(1))

describe("the URL for PostgreSQL's client programs", () => {
  it.each([
    ['postgres://a:p%40ss@db:5433/flowpost', 'postgres://a@db:5433/flowpost'],
    ['postgres://a@db/flowpost?password=p%40ss', 'postgres://a@db/flowpost'],
  ])('has no password, which is in the environment: %s', (given, url) => {
    expect(toLibpq(given)).toEqual({ url, env: { PGPASSWORD: 'p@ss' }, needsCaFile: false })
  })

  it.each([
    ['', ''],
    ['sslmode=disable', 'sslmode=disable'],
    ['sslmode=no-verify', 'sslmode=require'],
    [`sslmode=no-verify&sslrootcert=${caFile}`, 'sslmode=require'],
    ['ssl=no-verify', 'sslmode=require'],
    ['uselibpqcompat=true&sslmode=prefer', 'sslmode=require'],
    ['uselibpqcompat=true&sslmode=require', 'sslmode=require'],
    [`uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${caFile}`, `sslmode=verify-ca&sslrootcert=${caFile}`],
    [`sslmode=require&sslrootcert=${caFile}`, `sslmode=verify-full&sslrootcert=${caFile}`],
    [`sslrootcert=${caFile}`, `sslmode=verify-full&sslrootcert=${caFile}`],
  ])('checks the certificate as the driver does with "%s"', (given, query) => {
    expect(queryFor(given)).toBe(query)
    expect(toLibpq(`postgres://a@db/flowpost?${given}`).needsCaFile).toBe(false)
  })

  it.each([
    'sslmode=prefer',
    'sslmode=require',
    'sslmode=verify-ca',
    'sslmode=verify-full',
    'ssl=true',
    'uselibpqcompat=true&sslmode=verify-full',
  ])('verifies the certificate with the CA certificates of Node.js with "%s"', (given) => {
    expect(queryFor(given)).toBe('sslmode=verify-full')
    expect(toLibpq(`postgres://a@db/flowpost?${given}`).needsCaFile).toBe(true)
  })

  it('applies PGSSLMODE as the driver does', () => {
    vi.stubEnv('PGSSLMODE', 'require')
    expect(queryFor('')).toBe('sslmode=verify-full')
    vi.stubEnv('PGSSLMODE', 'no-verify')
    expect(queryFor('')).toBe('sslmode=require')
  })

  it('has the parameters that libpq and the driver have in common, and no others', () => {
    const common = ['client_encoding=UTF8', 'connect_timeout=10', 'target_session_attrs=primary', 'channel_binding=require']
    const ofDriver = ['query_timeout=5000', 'statement_timeout=5000', 'lock_timeout=5000', 'binary=true', 'uselibpqcompat=true']
    const otherTargets = ['dbname=other', 'hostaddr=10.0.0.9', 'service=other', 'sslpassword=secret', 'application_name=other']
    const query = queryFor([...common, ...ofDriver, ...otherTargets].join('&'))
    expect(query.split('&').toSorted()).toEqual(common.toSorted())
  })

  it('encodes spaces as libpq decodes them', () => {
    expect(toLibpq('postgres://a@db/flowpost?options=-c%20search_path%3Dmail&ssl=0').url).toBe(
      'postgres://a@db/flowpost?options=-c%20search_path%3Dmail',
    )
  })
})
