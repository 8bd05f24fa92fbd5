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
  names: Object.keys(secrets),
  open: (names) => Object.fromEntries(names.map((name) => [name, secrets[name]])),
})
const told = (merged: ReturnType<typeof mergeIntegration>) => merged.faults.map(({ pointer, code }) => `${pointer} ${code}`)

describe('the body of a PUT of an integration', () => {
  it('keeps a secret that it leaves out, replaces one that it gives, and removes one that is null', () => {
    const stored = storedWith({ user: 'a', pin: '1' })
    expect(mergeIntegration(provider, stored, { settings })).toEqual({ settings, secrets: { user: 'a', pin: '1' }, faults: [] })
    expect(mergeIntegration(provider, stored, { settings, secrets: { pin: '2' } }).secrets).toEqual({ user: 'a', pin: '2' })
    expect(mergeIntegration(provider, stored, { settings, secrets: { pin: null } }).secrets).toEqual({ user: 'a' })
    expect(told(mergeIntegration(provider, stored, { settings, secrets: { user: null } }))).toEqual(['/secrets/user required'])
  })

  it('tells every fault of settings and secrets with its place', () => {
    const merged = mergeIntegration(provider, undefined, { settings: { more: 1 }, secrets: { pin: 1, 'a/b': null, urls: { a: 'x' } } })
    expect(told(merged).sort()).toEqual([
      '/secrets/a~1b unknown_field',
      '/secrets/pin invalid_type',
      '/secrets/urls/a invalid_value',
      '/secrets/user required',
      '/settings/domain required',
      '/settings/more unknown_field',
    ])
  })

  it('drops a stored secret that the provider no longer takes', () => {
    const stored = storedWith({ user: 'a', legacy: 'x' })
    expect(mergeIntegration(provider, stored, { settings }).secrets).toEqual({ user: 'a' })
    expect(told(mergeIntegration(provider, stored, { settings, secrets: { legacy: null } }))).toEqual([])
  })

  it('says of a stored secret that it has become invalid, and nothing of what it is', () => {
    const merged = mergeIntegration(provider, storedWith({ user: 'a', urls: { a: 'hidden' } }), { settings })
    expect(merged.faults).toMatchObject([{ pointer: '/secrets/urls/a', message: expect.stringContaining('Give it anew') as string }])
    expect(JSON.stringify(merged.faults)).not.toContain('hidden')
  })

  it('asks for stored secrets anew that cannot be opened, once each', () => {
    const stored = { settings, names: ['user', 'pin'], open: () => undefined }
    expect(told(mergeIntegration(provider, stored, { settings }))).toEqual(['/secrets/user required', '/secrets/pin required'])
    expect(mergeIntegration(provider, stored, { settings, secrets: { user: 'b', pin: null } }).faults).toEqual([])
  })
})

describe('a PUT that changes where secrets go', () => {
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
    ['one instead of the default', { ...same, tls: false }],
    ['none instead of one', { host: 'a.example' }],
    ['another value within a field', { ...same, paths: { x: '1', y: '3' } }],
  ])('asks for every secret that is left out, after %s', (_, settings) => {
    const merged = mergeIntegration(rules, stored, { settings })
    expect(told(merged)).toEqual(required)
    expect(merged.faults[0]?.message).toBe('This secret was set for a different server; provide it again.')
    expect(JSON.stringify(merged)).not.toContain('hidden')
    expect(mergeIntegration(rules, stored, { settings, secrets: { password: 'new', pin: null } }).faults).toEqual([])
  })

  it('keeps secrets while only other settings change, or a default is written out', () => {
    for (const settings of [
      { ...same, from: 'x' },
      { ...same, tls: true },
    ])
      expect(mergeIntegration(rules, stored, { settings })).toMatchObject({ faults: [], secrets: { password: 'hidden', pin: '1' } })
  })

  it('asks for the other secrets when one is given that is an address, and not when it is removed', () => {
    expect(told(mergeIntegration(rules, stored, { settings: same, secrets: { url: 'https://b.example' } }))).toEqual(required)
    expect(mergeIntegration(rules, stored, { settings: same, secrets: { url: null, pin: '2' } }).faults).toEqual([])
  })

  it('takes every field for one that decides, when the provider declares none', () => {
    const { secretDestination: _, ...undeclared } = rules
    expect(told(mergeIntegration(undeclared, stored, { settings: { ...same, from: 'x' } }))).toEqual(required)
    expect(told(mergeIntegration(undeclared, stored, { settings: same, secrets: { pin: '2' } }))).toEqual(['/secrets/password required'])
    expect(mergeIntegration(undeclared, stored, { settings: same }).faults).toEqual([])
  })

  it('asks for no secret twice that cannot be decrypted either, and needs none when none is stored', () => {
    const unreadable = { ...stored, open: () => undefined }
    expect(told(mergeIntegration(rules, unreadable, { settings: { host: 'b.example' } }))).toEqual(required)
    const empty = { ...stored, names: [] }
    expect(mergeIntegration(rules, empty, { settings: { host: 'b.example' }, secrets: { password: 'x' } }).faults).toEqual([])
  })
})
