import { describe, expect, it } from 'vitest'
import { apiKeyFaults, orderedScopes } from './api-key-faults.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const later = now + 60_000
const text = (at: number) => new Date(at).toISOString()
const maker = { scopes: ['settings:read', 'keys:write'] as const, expiresAt: later }
const pointers = (body: unknown) => apiKeyFaults(maker, now, body).map(({ pointer }) => pointer)

describe('a key that a credential makes', () => {
  it('may have any of its scopes, and no other', () => {
    expect(pointers({ scopes: ['keys:write', 'settings:write', 'settings:read', 'notifications:send'] })).toEqual([
      '/scopes/1',
      '/scopes/3',
    ])
    expect(pointers({ scopes: ['settings:read'] })).toEqual([])
    // Unknown ones are for the schema to refuse.
    expect(pointers({ scopes: ['nonsense', 7] })).toEqual([])
  })

  it('ends after now, and with the credential at the latest', () => {
    expect(pointers({ expires_at: text(now) })).toEqual(['/expires_at'])
    expect(pointers({ expires_at: text(now + 1) })).toEqual([])
    expect(pointers({ expires_at: text(later) })).toEqual([])
    expect(pointers({ expires_at: text(later + 1) })).toEqual(['/expires_at'])
    expect(apiKeyFaults({ scopes: maker.scopes }, now, { expires_at: text(later + 1) })).toEqual([])
  })

  it('ends before the year 10000, which no answer could write', () => {
    const forever = { scopes: maker.scopes }
    expect(apiKeyFaults(forever, now, { expires_at: '9999-12-31T23:59:59.999Z' })).toEqual([])
    expect(apiKeyFaults(forever, now, { expires_at: '9999-12-31T23:59:59.999-00:01' })).toMatchObject([{ pointer: '/expires_at' }])
  })

  it('asks for nothing in excess with a body that the schema refuses', () => {
    for (const body of [undefined, null, 'x', [], { scopes: 'all', expires_at: 'never' }]) expect(pointers(body)).toEqual([])
  })
})

it('scopes are kept once each, in the order of the contract', () => {
  expect(orderedScopes(['keys:write', 'settings:read', 'keys:write'])).toEqual(orderedScopes(['settings:read', 'keys:write']))
  expect(orderedScopes(['keys:write', 'settings:read', 'keys:write'])).toHaveLength(2)
})
