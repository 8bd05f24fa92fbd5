import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mergeIntegration, type StoredSecrets } from './merge-integration.ts'

const provider = {
  settings: z.strictObject({ domain: z.string() }),
  secrets: z.strictObject({ user: z.string(), pin: z.string().optional(), urls: z.strictObject({ a: z.url() }).optional() }),
}
const storedWith = (secrets: Record<string, unknown>): StoredSecrets => ({
  names: Object.keys(secrets),
  open: (names) => Object.fromEntries(names.map((name) => [name, secrets[name]])),
})
const settings = { domain: 'example.com' }
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
    const stored = { names: ['user', 'pin'], open: () => undefined }
    expect(told(mergeIntegration(provider, stored, { settings }))).toEqual(['/secrets/user required', '/secrets/pin required'])
    expect(mergeIntegration(provider, stored, { settings, secrets: { user: 'b', pin: null } }).faults).toEqual([])
  })
})
