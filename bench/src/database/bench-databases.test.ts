import { expect, it } from 'vitest'
import { serverVersion } from './bench-databases.ts'

it('returns the version of a server, and whether autovacuum is off', () => {
  const version = '15.20 (Debian 15.20-0+deb12u1)'
  expect(serverVersion({ version, autovacuum: 'on' })).toBe('15.20')
  expect(serverVersion({ version, autovacuum: 'off' })).toBe('15.20, with autovacuum off')
})
