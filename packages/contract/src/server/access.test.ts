import { describe, expect, it } from 'vitest'
import { bearerToken, requireAccess } from './access.ts'

const unauthenticated = expect.objectContaining({ code: 'unauthenticated' }) as Error
const scopeMissing = expect.objectContaining({ code: 'scope_missing' }) as Error

describe('a bearer token', () => {
  it('is read whatever the case of the scheme', () => {
    expect(bearerToken('Bearer fp_a')).toBe('fp_a')
    expect(bearerToken('bEARER   a.b-c~d+e/f==')).toBe('a.b-c~d+e/f==')
  })

  it('is asked for when there is none', () => {
    for (const header of [
      null,
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Basic dXNlcg==',
      'Bearer a b',
      'Bearer ü',
      `Bearer ${'x'.repeat(8193)}`,
    ])
      expect(() => bearerToken(header), String(header).slice(0, 20)).toThrow(unauthenticated)
  })
})

describe('a credential', () => {
  const operation = { scope: 'settings:write', unbound: false } as const

  it('passes with the scope of the operation, and no other', () => {
    requireAccess(operation, { scopes: ['settings:read', 'settings:write'] })
    expect(() => requireAccess(operation, { scopes: ['settings:read'] })).toThrow(scopeMissing)
  })

  it('of one project passes unless the operation is about projects themselves', () => {
    const bound = { scopes: ['settings:write'], projectId: 'p' } as const
    requireAccess(operation, bound)
    expect(() => requireAccess({ ...operation, unbound: true }, bound)).toThrow(scopeMissing)
    requireAccess({ ...operation, unbound: true }, { scopes: ['settings:write'] })
  })
})
