import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type IntegrationRules, mergeIntegration, type StoredIntegration } from './merge-integration.ts'

const settings = { domain: 'example.com' }
const provider: IntegrationRules = {
  secretDestination: {},
  settings: z.strictObject({ domain: z.string() }),
  secrets: z.strictObject({ user: z.string(), pin: z.string().optional(), urls: z.strictObject({ a: z.url() }).optional() }),
}
const storedWith = (secrets: Record<string, unknown>, stored: object = settings): StoredIntegration => ({
  settings: stored,
  secretNames: Object.keys(secrets),
  decryptSecrets: (names) => Object.fromEntries(names.map((name) => [name, secrets[name]])),
})
const listErrors = (merged: ReturnType<typeof mergeIntegration>) => merged.errors.map(({ pointer, code }) => `${pointer} ${code}`)

describe('mergeIntegration', () => {
  it('retains an omitted secret, replaces a given one, and removes a null one', () => {
    const stored = storedWith({ user: 'a', pin: '1' })
    expect(mergeIntegration(provider, stored, { settings })).toEqual({ settings, secrets: { user: 'a', pin: '1' }, errors: [] })
    expect(mergeIntegration(provider, stored, { settings, secrets: { pin: '2' } }).secrets).toEqual({ user: 'a', pin: '2' })
    expect(mergeIntegration(provider, stored, { settings, secrets: { pin: null } }).secrets).toEqual({ user: 'a' })
    expect(listErrors(mergeIntegration(provider, stored, { settings, secrets: { user: null } }))).toEqual(['/secrets/user required'])
  })

  it('returns every error of settings and secrets with its pointer', () => {
    const merged = mergeIntegration(provider, undefined, { settings: { more: 1 }, secrets: { pin: 1, 'a/b': null, urls: { a: 'x' } } })
    expect(listErrors(merged).sort()).toEqual([
      '/secrets/a~1b unknown_field',
      '/secrets/pin invalid_type',
      '/secrets/urls/a invalid_value',
      '/secrets/user required',
      '/settings/domain required',
      '/settings/more unknown_field',
    ])
  })

  it('drops a stored secret that is no longer in the schema', () => {
    const stored = storedWith({ user: 'a', legacy: 'x' })
    expect(mergeIntegration(provider, stored, { settings }).secrets).toEqual({ user: 'a' })
    expect(listErrors(mergeIntegration(provider, stored, { settings, secrets: { legacy: null } }))).toEqual([])
  })

  it('reports an invalid stored secret without revealing it', () => {
    const merged = mergeIntegration(provider, storedWith({ user: 'a', urls: { a: 'hidden' } }), { settings })
    expect(merged.errors).toMatchObject([{ pointer: '/secrets/urls/a', message: expect.stringContaining('Provide it again') as string }])
    expect(JSON.stringify(merged.errors)).not.toContain('hidden')
  })

  it('reports exactly one error for each stored secret that cannot be decrypted', () => {
    const stored = { settings, secretNames: ['user', 'pin'], decryptSecrets: () => undefined }
    expect(listErrors(mergeIntegration(provider, stored, { settings }))).toEqual(['/secrets/user required', '/secrets/pin required'])
    expect(mergeIntegration(provider, stored, { settings, secrets: { user: 'b', pin: null } }).errors).toEqual([])
  })
})

describe('mergeIntegration with a changed secret destination', () => {
  const rules: IntegrationRules = {
    settings: z.strictObject({
      host: z.string(),
      tls: z.boolean().default(true),
      paths: z.record(z.string(), z.string()).optional(),
      from: z.string().optional(),
    }),
    secrets: z.strictObject({ password: z.string(), pin: z.string().optional(), url: z.string().optional() }),
    secretDestination: { settings: ['host', 'tls', 'paths'], secrets: ['url'] },
  }
  const stored: StoredIntegration = {
    ...storedWith({ password: 'hidden', pin: '1' }, { host: 'a.example', paths: { x: '1', y: '2' } }),
  }
  const same = { host: 'a.example', paths: { y: '2', x: '1' } }
  const required = ['/secrets/password required', '/secrets/pin required']

  it.each([
    ['another value', { ...same, host: 'b.example' }],
    ['a value instead of the default', { ...same, tls: false }],
    ['the removal of a value', { host: 'a.example' }],
    ['another value within a field', { ...same, paths: { x: '1', y: '3' } }],
  ])('requires every omitted secret after %s', (_, settings) => {
    const merged = mergeIntegration(rules, stored, { settings })
    expect(listErrors(merged)).toEqual(required)
    expect(merged.errors[0]?.message).toBe('This secret was set for another server or account. Provide it again.')
    expect(JSON.stringify(merged)).not.toContain('hidden')
    expect(mergeIntegration(rules, stored, { settings, secrets: { password: 'new', pin: null } }).errors).toEqual([])
  })

  it('retains secrets if other settings change, or a default becomes explicit', () => {
    for (const settings of [
      { ...same, from: 'x' },
      { ...same, tls: true },
    ])
      expect(mergeIntegration(rules, stored, { settings })).toMatchObject({ errors: [], secrets: { password: 'hidden', pin: '1' } })
  })

  it('requires the other secrets if a destination secret is given, but not if it is removed', () => {
    expect(listErrors(mergeIntegration(rules, stored, { settings: same, secrets: { url: 'https://b.example' } }))).toEqual(required)
    expect(mergeIntegration(rules, stored, { settings: same, secrets: { url: null, pin: '2' } }).errors).toEqual([])
  })

  it('treats every field as a destination if the provider declares none', () => {
    const { secretDestination: _, ...undeclared } = rules
    expect(listErrors(mergeIntegration(undeclared, stored, { settings: { ...same, from: 'x' } }))).toEqual(required)
    expect(listErrors(mergeIntegration(undeclared, stored, { settings: same, secrets: { pin: '2' } }))).toEqual([
      '/secrets/password required',
    ])
    expect(mergeIntegration(undeclared, stored, { settings: same }).errors).toEqual([])
  })

  it('reports a secret that cannot be decrypted only once, and requires no secret if none is stored', () => {
    const unreadable = { ...stored, decryptSecrets: () => undefined }
    expect(listErrors(mergeIntegration(rules, unreadable, { settings: { host: 'b.example' } }))).toEqual(required)
    const empty = { ...stored, secretNames: [] }
    expect(mergeIntegration(rules, empty, { settings: { host: 'b.example' }, secrets: { password: 'x' } }).errors).toEqual([])
  })
})
