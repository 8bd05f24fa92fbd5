import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sampleProvider } from '../test/sample-provider.ts'
import { defineProvider, type Provider } from './provider.ts'
import { builtInProviders } from './providers/built-in.ts'
import { createRegistry } from './registry.ts'

const named = (id: string): Provider => ({ ...sampleProvider(), id })

describe('a registry', () => {
  it('lists its providers in order and finds them by id', () => {
    const registry = createRegistry([...builtInProviders, named('telegram')])
    expect(registry.list().at(-1)?.id).toBe('telegram')
    expect(registry.get('smtp')?.kind).toBe('email')
    expect(registry.has('telegram')).toBe(true)
    expect(registry.get('constructor')).toBeUndefined()
  })

  it('refuses two providers with the same id', () => {
    expect(() => createRegistry([named('a'), named('a')])).toThrow('Two providers have the id a.')
  })

  it.each(['', 'A', '1a', 'a_b', 'a:b', 'a;b', 'é', `a${'b'.repeat(32)}`, 'a\n'])('refuses the id %j', (id) => {
    expect(() => createRegistry([named(id)])).toThrow(TypeError)
  })
})

it.each(builtInProviders.map((provider) => [provider.id, provider] as const))('shows the settings of %s as JSON Schema', (_, provider) => {
  expect(z.toJSONSchema(provider.settings, { io: 'input' })).toMatchObject({ type: 'object', additionalProperties: false })
  expect(Object.keys(provider.secrets.shape).length).toBeGreaterThan(0)
})

describe('a definition', () => {
  it('is refused when its id is out of grammar', () => {
    expect(() => sampleProvider(undefined, { id: 'Sample' })).toThrow(TypeError)
  })

  it.each(['settings', 'secrets', 'deploymentSettings'])('is refused when its %s would let a misspelt field pass', (part) => {
    const loose = { [part]: z.object({ room: z.string() }) }
    expect(() => defineProvider({ ...sampleProvider(), ...loose } as never)).toThrow(/strictObject/)
  })

  it.each([{ settings: ['host'] }, { secrets: ['room'] }])(
    'is refused when its secretDestination %j names an unknown field',
    (secretDestination) => {
      expect(() => sampleProvider(undefined, { secretDestination })).toThrow(/secretDestination of provider sample names/)
    },
  )

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(sampleProvider())).toBe(true)
  })
})
