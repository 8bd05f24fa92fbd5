import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSampleProvider } from '../test/fixtures.ts'
import { defineProvider, type Provider } from './provider.ts'
import { builtInProviders } from './providers/built-in.ts'
import { createRegistry } from './registry.ts'

const createProvider = (id: string): Provider => ({ ...createSampleProvider(), id })

describe('createRegistry', () => {
  it('lists providers in order and returns them by id', () => {
    const registry = createRegistry([...builtInProviders, createProvider('telegram')])
    expect(registry.list().at(-1)?.id).toBe('telegram')
    expect(registry.get('smtp')?.kind).toBe('email')
    expect(registry.has('telegram')).toBe(true)
    expect(registry.get('constructor')).toBeUndefined()
  })

  it('rejects a duplicate id', () => {
    expect(() => createRegistry([createProvider('a'), createProvider('a')])).toThrow('Two providers have the id a.')
  })

  it.each(['', 'A', '1a', 'a_b', 'a:b', 'a;b', 'é', `a${'b'.repeat(32)}`, 'a\n'])('rejects the id %j', (id) => {
    expect(() => createRegistry([createProvider(id)])).toThrow(TypeError)
  })
})

it.each(builtInProviders.map((provider) => [provider.id, provider] as const))(
  'exports the settings of %s as JSON Schema',
  (_, provider) => {
    expect(z.toJSONSchema(provider.settings, { io: 'input' })).toMatchObject({ type: 'object', additionalProperties: false })
    expect(Object.keys(provider.secrets.shape).length).toBeGreaterThan(0)
  },
)

describe('defineProvider', () => {
  it('rejects an invalid id', () => {
    expect(() => createSampleProvider(undefined, { id: 'Sample' })).toThrow(TypeError)
    expect(() => createSampleProvider(undefined, { reportType: 'application/json' })).toThrow('both reportType and readReport')
  })

  it.each(['settings', 'secrets', 'deploymentSettings'])('rejects %s that are not strict', (part) => {
    const overrides = { [part]: z.object({ room: z.string() }) }
    expect(() => defineProvider({ ...createSampleProvider(), ...overrides } as never)).toThrow(/strictObject/)
  })

  it.each([{ settings: ['host'] }, { secrets: ['room'] }])(
    'rejects the secretDestination %j with an unknown field',
    (secretDestination) => {
      expect(() => createSampleProvider(undefined, { secretDestination })).toThrow(/secretDestination of provider sample names/)
    },
  )

  it('returns a frozen object', () => {
    expect(Object.isFrozen(createSampleProvider())).toBe(true)
  })
})
