import { describe, expect, it } from 'vitest'
import { findApiKeyErrors, sortScopes } from './api-keys.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const later = now + 60_000
const text = (at: number) => new Date(at).toISOString()
const creator = { scopes: ['settings:read', 'keys:write'] as const, expiresAt: later }
const pointers = (body: unknown) => findApiKeyErrors(creator, now, body).map(({ pointer }) => pointer)

describe('findApiKeyErrors', () => {
  it('rejects scopes that the creator lacks', () => {
    expect(pointers({ scopes: ['keys:write', 'settings:write', 'settings:read', 'notifications:send'] })).toEqual([
      '/scopes/1',
      '/scopes/3',
    ])
    expect(pointers({ scopes: ['settings:read'] })).toEqual([])
    // The schema rejects unknown scopes.
    expect(pointers({ scopes: ['nonsense', 7] })).toEqual([])
  })

  it('rejects an expiry that is past or later than that of the creator', () => {
    expect(pointers({ expires_at: text(now) })).toEqual(['/expires_at'])
    expect(pointers({ expires_at: text(now + 1) })).toEqual([])
    expect(pointers({ expires_at: text(later) })).toEqual([])
    expect(pointers({ expires_at: text(later + 1) })).toEqual(['/expires_at'])
    expect(findApiKeyErrors({ scopes: creator.scopes }, now, { expires_at: text(later + 1) })).toEqual([])
  })

  it('rejects an expiry after the year 9999, which RFC 3339 cannot express', () => {
    const unlimitedCreator = { scopes: creator.scopes }
    expect(findApiKeyErrors(unlimitedCreator, now, { expires_at: '9999-12-31T23:59:59.999Z' })).toEqual([])
    expect(findApiKeyErrors(unlimitedCreator, now, { expires_at: '9999-12-31T23:59:59.999-00:01' })).toMatchObject([
      { pointer: '/expires_at' },
    ])
  })

  it('returns no errors for a body that the schema rejects', () => {
    for (const body of [undefined, null, 'x', [], { scopes: 'all', expires_at: 'never' }]) expect(pointers(body)).toEqual([])
  })
})

it('sortScopes returns distinct scopes in the order of the contract', () => {
  expect(sortScopes(['keys:write', 'settings:read', 'keys:write'])).toEqual(sortScopes(['settings:read', 'keys:write']))
  expect(sortScopes(['keys:write', 'settings:read', 'keys:write'])).toHaveLength(2)
})
