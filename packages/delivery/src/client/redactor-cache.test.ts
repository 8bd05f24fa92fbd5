import { expect, it } from 'vitest'
import { getRedactor } from './redactor-cache.ts'

it('returns the same redactor for the same secrets', () => {
  const secrets = { urls: { ops: 'https://hooks.example/0123456789abcdef' } }
  expect(getRedactor(secrets)).toBe(getRedactor(secrets))
  expect(getRedactor({ ...secrets })).not.toBe(getRedactor(secrets))
})

it.each([
  ['is changed', { token: 'new-secret' }],
  ['is added', { password: 'new-secret' }],
])('removes a secret that %s in the same object', (_, change) => {
  const secrets: Record<string, string> = { token: 'old-secret' }
  getRedactor(secrets)
  Object.assign(secrets, change)
  expect(getRedactor(secrets)('bad new-secret !')).toBe('bad [redacted] !')
})

it('accepts secrets that are not an object', () => {
  expect(getRedactor(null)('fine')).toBe('fine')
})
