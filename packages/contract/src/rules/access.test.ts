import { describe, expect, it } from 'vitest'
import { parseBearerToken, requireAccess } from './access.ts'

const unauthenticated = expect.objectContaining({ code: 'unauthenticated' }) as Error
const scopeMissing = expect.objectContaining({ code: 'scope_missing' }) as Error

describe('parseBearerToken', () => {
  it('accepts the scheme in any case', () => {
    expect(parseBearerToken('Bearer fp_a')).toBe('fp_a')
    expect(parseBearerToken('bEARER   a.b-c~d+e/f==')).toBe('a.b-c~d+e/f==')
  })

  it('throws unauthenticated for a missing or malformed token', () => {
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
      expect(() => parseBearerToken(header), String(header).slice(0, 20)).toThrow(unauthenticated)
  })
})

it('says that a key may contain a wrong character, such as that of the placeholder fp_…', () => {
  expect(() => parseBearerToken('Bearer fp_…')).toThrow('a character that no key has')
})

describe('requireAccess', () => {
  const operation = { scope: 'settings:write', unbound: false } as const

  it("throws scope_missing without the operation's scope", () => {
    requireAccess(operation, { scopes: ['settings:read', 'settings:write'] })
    expect(() => requireAccess(operation, { scopes: ['settings:read'] })).toThrow(scopeMissing)
  })

  it('throws scope_missing for a credential that is bound to a project if the operation requires an unbound one', () => {
    const bound = { scopes: ['settings:write'], projectId: 'p' } as const
    requireAccess(operation, bound)
    expect(() => requireAccess({ ...operation, unbound: true }, bound)).toThrow(scopeMissing)
    requireAccess({ ...operation, unbound: true }, { scopes: ['settings:write'] })
  })
})
