import { expect, it } from 'vitest'
import { connectionUrlIssue } from './connection-url.ts'

it.each([
  'postgres://flowpost@db/flowpost',
  'postgresql://flowpost:p%2Cw@db:5432/flowpost?sslmode=verify-full',
  'postgres://flowpost@db/flowpost?target_session_attrs=read-write',
  'postgres://flowpost@db/flowpost?target_session_attrs=primary',
  'postgres:///flowpost?host=/var/run/postgresql',
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

it.each(['db', 'mysql://db/flowpost', 'postgres://db:port/flowpost'])('rejects %s, which is not a PostgreSQL URL', (url) => {
  expect(connectionUrlIssue(url)).toBe('must be a URL that starts with postgres:// or postgresql://')
})
