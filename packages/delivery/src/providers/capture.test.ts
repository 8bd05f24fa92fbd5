import { describe, expect, it } from 'vitest'
import { outgoing } from '../../test/delivery-case.ts'
import { sampleProvider } from '../../test/sample-provider.ts'
import { builtInProviders } from './built-in.ts'
import { captureMessage } from './capture.ts'

describe('a captured message', () => {
  it.each(builtInProviders.map((provider) => [provider.id, provider] as const))('of %s needs no credential', async (_, provider) => {
    const target = provider.kind === 'email' ? 'ada@example.com' : 'C024BE91L'
    const composed = await captureMessage(provider, outgoing({ target, content: { subject: 'Hello', text: 'plain', html: '<p>rich</p>' } }))
    expect(composed).toMatchObject({ text: 'plain', envelope: { to: target } })
    if (provider.kind === 'email') expect(composed).toMatchObject({ html: '<p>rich</p>', envelope: { from: 'flowpost@localhost' } })
  })

  it('of a provider without placeholder settings shows its content', async () => {
    const composed = await captureMessage(sampleProvider(), outgoing({ target: 'room-1' }))
    expect(composed).toMatchObject({ headers: [['Subject', 'Greetings']], text: 'Hello', envelope: { to: 'room-1' } })
  })

  it('is composed with the settings that are given', async () => {
    expect((await captureMessage(sampleProvider(), outgoing(), { room: 'attic' })).headers).toEqual([['Room', 'attic']])
    await expect(captureMessage(sampleProvider(), outgoing(), { room: 1 })).rejects.toThrow()
  })
})
