import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connectionOptions } from './connection-options.ts'
import { connectionUrlIssue } from './connection-url.ts'

it.each([
  'postgres://flowpost@db/flowpost',
  'postgresql://flowpost:p%2Cw@db:5432/flowpost?sslmode=verify-full',
  'postgres://flowpost@db/flowpost?target_session_attrs=read-write',
  'postgres://flowpost@db/flowpost?target_session_attrs=primary',
  'postgres:///flowpost?host=/var/run/postgresql',
  'postgres://flowpost:50%off%@db/flowpost',
  'postgres://flowpost:x%!9%f0k@db/flowpost',
  'postgres://fl%C3%B6w:s%C3%A9cret@db/fl%C3%B6w',
  'POSTGRES://flowpost:secret@db/flowpost',
  'postgres://db:5432/flowpost?user=flowpost@db',
])('accepts %s', (url) => {
  expect(connectionUrlIssue(url)).toBeUndefined()
})

it.each([
  'postgres://flowpost:secret@db1,db2/flowpost',
  'postgres://flowpost:secret@db1:5432,db2:5433/flowpost?target_session_attrs=read-write',
  'postgres:///flowpost?host=db1,db2',
  'postgres:///flowpost?host=db1%2Cdb2',
])('rejects several hosts without repeating the password: %s', (url) => {
  expect(connectionUrlIssue(url)).toMatch(/^must name one host, not several\. .*HAProxy.*docs\/operations\.md/)
  expect(connectionUrlIssue(url)).not.toContain('secret')
})

it.each(['standby', 'prefer-standby', 'read-only'])('rejects target_session_attrs=%s', (attributes) => {
  expect(connectionUrlIssue(`postgres://db/flowpost?target_session_attrs=${attributes}`)).toMatch(
    `target_session_attrs is not supported, and "${attributes}" may select a standby`,
  )
})

it('rejects the parameter schema, which statements in plain SQL would ignore', () => {
  expect(connectionUrlIssue('postgres://flowpost:secret@db/flowpost?schema=flowpost')).toBe(
    'must not contain the parameter "schema". To use a schema other than public, set search_path, for example with ' +
      '`alter role flowpost set search_path = flowpost` (docs/operations.md)',
  )
})

it.each(['db', 'mysql://db/flowpost'])('rejects %s, which is not a PostgreSQL URL', (url) => {
  expect(connectionUrlIssue(url)).toBe('must be a URL that starts with postgres:// or postgresql://')
})

it.each([
  'postgres://flowpost:secret/1@db/flowpost',
  'postgres://flowpost:secret#1@db/flowpost',
  'postgres://flowpost:secret?1@db/flowpost',
  'postgres://flowpost:12/secret@db/flowpost',
  'postgres://flowpost:12#secret@db/flowpost',
  'postgres://db:port/flowpost',
  'postgres://flowpost:secret%E9x@db/flowpost',
  'postgres://flow%E9:secret@db/flowpost',
  'postgres://flowpost:secret@db/flow%E9',
])('rejects %s and says how to write a password', (url) => {
  expect(connectionUrlIssue(url)).toMatch(/^must be a valid URL\. Percent-encode the special characters of the password/)
  expect(connectionUrlIssue(url)).not.toContain('secret')
})

it('a URL without a password uses PGPASSWORD as it is', () => {
  vi.stubEnv('PGPASSWORD', 'p/a#s?s%41@')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(new Client(connectionOptions('postgres://flowpost@db/flowpost', 'flowpost')).password).toBe('p/a#s?s%41@')
})
