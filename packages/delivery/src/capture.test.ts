import { describe, expect, it } from 'vitest'
import { createMessage, createSampleProvider } from '../test/fixtures.ts'
import { captureMessage } from './capture.ts'
import { DeliveryError } from './delivery-error.ts'
import { builtInProviders } from './providers/built-in.ts'

describe('captureMessage', () => {
  it.each(builtInProviders.map((provider) => [provider.id, provider] as const))(
    'composes a message for %s without a credential',
    async (_, provider) => {
      const target = provider.kind === 'email' ? 'ada@example.com' : 'C024BE91L'
      const composed = await captureMessage(
        provider,
        createMessage({ target, content: { subject: 'Hello', text: 'plain', html: '<p>rich</p>' } }),
      )
      expect(composed).toMatchObject({ text: 'plain', envelope: { to: target } })
      if (provider.kind === 'email') expect(composed).toMatchObject({ html: '<p>rich</p>', envelope: { from: 'flowpost@localhost' } })
    },
  )

  it('returns the content for a provider without placeholder settings', async () => {
    const composed = await captureMessage(createSampleProvider(), createMessage({ target: 'room-1' }))
    expect(composed).toMatchObject({ headers: [['Subject', 'Greetings']], text: 'Hello', envelope: { to: 'room-1' } })
  })

  it('uses the given settings', async () => {
    expect((await captureMessage(createSampleProvider(), createMessage(), { room: 'attic' })).headers).toEqual([['Room', 'attic']])
  })

  it('fails permanently, as sending does, when the schema does not accept stored settings anymore', async () => {
    const captured = captureMessage(createSampleProvider(), createMessage(), { room: 'attic', removed: true })
    await expect(captured).rejects.toMatchObject({ kind: 'credential', code: 'settings_invalid', retryable: false })
  })

  const notSent = { kind: 'provider', detail: 'The provider threw an unexpected error. The message was not sent.', retryable: true }
  const content = { kind: 'content', code: 'too_long', detail: 'The message is too long.' } as const
  it.each([
    ['an unexpected error', new Error('broken\0'), { ...notSent, code: 'provider_fault', providerResponse: 'Error: broken' }],
    ['a DeliveryError', new DeliveryError(content), content],
  ])('rejects with a DeliveryError when the provider throws %s', async (_, error, expected) => {
    const provider = createSampleProvider(undefined, { compose: () => Promise.reject(error) })
    const rejection: unknown = await captureMessage(provider, createMessage(), { room: 'attic' }).catch((reason: unknown) => reason)
    expect(rejection).toBeInstanceOf(DeliveryError)
    expect(rejection).toMatchObject(expected)
  })
})
