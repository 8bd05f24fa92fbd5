import { expect, it } from 'vitest'
import { EmbeddedDatabaseLostError, isDatabaseUnavailable } from './failures.ts'

const errorOf = (code: string) => Object.assign(new Error('It failed.'), { code })

it.each([
  ['53100', 'the disk is full'],
  ['53200', 'the server is out of memory'],
  ['53300', 'there are no connections left'],
  ['25006', 'the primary was demoted'],
  ['25P03', 'an open transaction timed out'],
  ['57014', 'a statement exceeded its time limit'],
  ['55P03', 'a lock is held for too long'],
  ['58030', 'the server cannot read its files'],
  ['57P01', 'the server is stopping'],
  ['08006', 'the connection broke'],
])('%s counts as unavailable: %s', (code) => {
  expect(isDatabaseUnavailable(new Error('wrapped', { cause: errorOf(code) }))).toBe(true)
})

it.each(['23505', '42601', '22P02', '28P01', '40001'])('%s does not count as unavailable', (code) => {
  expect(isDatabaseUnavailable(errorOf(code))).toBe(false)
})

it('a lost embedded database counts as unavailable, because the process is restarted', () => {
  expect(isDatabaseUnavailable(new EmbeddedDatabaseLostError('it did not complete a statement'))).toBe(true)
})
