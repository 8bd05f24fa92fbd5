import { describe, expect, it } from 'vitest'
import { findApiKeyErrors, requireRetryMode, requireRevocable, sortScopes } from './api-keys.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const later = now + 60_000
const text = (at: number) => new Date(at).toISOString()
const creator = { scopes: ['settings:read', 'keys:write'] as const, mode: 'live' as const, expiresAt: later }
const pointers = (body: unknown) => findApiKeyErrors(creator, now, body).map(({ pointer }) => pointer)

describe('findApiKeyErrors', () => {
  it('rejects scopes that the creator lacks', () => {
    expect(pointers({ scopes: ['keys:write', 'settings:write', 'settings:read', 'notifications:send'] })).toEqual([
      '/scopes/1',
      '/scopes/3',
    ])
    expect(pointers({ scopes: ['settings:read'] })).toEqual([])
    // `findApiKeyErrors` ignores unknown scopes, because the schema rejects them.
    expect(pointers({ scopes: ['nonsense', 7] })).toEqual([])
  })

  it("rejects an expiry that is in the past or later than the creator's", () => {
    expect(pointers({ expires_at: text(now) })).toEqual(['/expires_at'])
    expect(pointers({ expires_at: text(now + 1) })).toEqual([])
    expect(pointers({ expires_at: text(later) })).toEqual([])
    expect(pointers({ expires_at: text(later + 1) })).toEqual(['/expires_at'])
    expect(findApiKeyErrors({ scopes: creator.scopes, mode: 'live' }, now, { expires_at: text(later + 1) })).toEqual([])
  })

  it('rejects an expiry after the year 9999, which RFC 3339 cannot express', () => {
    const unlimitedCreator = { scopes: creator.scopes, mode: 'live' as const }
    expect(findApiKeyErrors(unlimitedCreator, now, { expires_at: '9999-12-31T23:59:59.999Z' })).toEqual([])
    expect(findApiKeyErrors(unlimitedCreator, now, { expires_at: '9999-12-31T23:59:59.999-00:01' })).toMatchObject([
      { pointer: '/expires_at' },
    ])
  })

  it('rejects a live key requested with a test key', () => {
    const errorsOf = (mode: 'live' | 'test', body: object) =>
      findApiKeyErrors({ ...creator, mode }, now, body).map(({ pointer }) => pointer)
    expect(errorsOf('test', { mode: 'live' })).toEqual(['/mode'])
    for (const body of [{ mode: 'test' }, {}, { mode: 'LIVE' }]) expect(errorsOf('test', body)).toEqual([])
    for (const body of [{ mode: 'test' }, { mode: 'live' }, {}]) expect(errorsOf('live', body)).toEqual([])
  })

  it('returns no errors for a body that the schema rejects', () => {
    for (const body of [undefined, null, 'x', [], { scopes: 'all', expires_at: 'never' }]) expect(pointers(body)).toEqual([])
  })
})

it("sortScopes returns distinct scopes in the contract's order", () => {
  expect(sortScopes(['keys:write', 'settings:read', 'keys:write'])).toEqual(sortScopes(['settings:read', 'keys:write']))
  expect(sortScopes(['keys:write', 'settings:read', 'keys:write'])).toHaveLength(2)
})

describe('a test key', () => {
  const test = { keyId: 'key_1', scopes: ['keys:write'] as const, mode: 'test' as const }
  const key = (mode: 'live' | 'test', ancestorIds: readonly string[] = []) => ({
    id: 'key_2',
    scopes: ['keys:write'] as const,
    mode,
    expiresAt: null,
    bootstrap: false,
    ancestorIds,
  })

  it('can revoke test keys, but no live key', () => {
    expect(() => requireRevocable(test, key('test'))).not.toThrow()
    expect(() => requireRevocable(test, key('live'))).toThrow('The key is live')
    expect(() => requireRevocable({ ...test, mode: 'live' }, key('test'))).not.toThrow()
  })

  it('can retry test notifications, but no live one', () => {
    expect(() => requireRetryMode(test, { test: true })).not.toThrow()
    expect(() => requireRetryMode(test, { test: false })).toThrow('Use a live key.')
    for (const notification of [{ test: true }, { test: false }])
      expect(() => requireRetryMode({ mode: 'live' }, notification)).not.toThrow()
  })
})
