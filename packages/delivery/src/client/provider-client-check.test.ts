import { describe, expect, it } from 'vitest'
import { createMessage, createSampleProvider, sampleCredential } from '../../test/fixtures.ts'
import { createManualClock } from '../../test/manual-clock.ts'
import { createProviderClient } from './provider-client.ts'

const clock = createManualClock()

describe('close', () => {
  it('aborts deliveries in flight and rejects new ones', async () => {
    const client = createProviderClient({ clock })
    const provider = createSampleProvider(() => new Promise(() => {}))
    const request = { provider, credential: sampleCredential, message: createMessage({ target: 'room-1' }) }
    const promise = client.deliver(request)
    const expected = { kind: 'provider', code: 'aborted', retryable: true }
    await Promise.all([expect(promise).rejects.toMatchObject(expected), client.close()])
    await expect(client.deliver(request)).rejects.toMatchObject(expected)
    expect(clock.pending()).toBe(0)
  })
})

describe('check', () => {
  it('passes the target and redacts secrets in the results', async () => {
    const client = createProviderClient({ clock })
    const provider = createSampleProvider(undefined, {
      check: async ({ target, secrets }) => [{ name: 'membership', ok: false, code: 'x', detail: `${target} ${secrets.token}` }],
    })
    expect(await client.check({ provider, credential: sampleCredential, target: 'room-1' })).toEqual([
      { name: 'membership', ok: false, code: 'x', detail: 'room-1 [redacted]' },
    ])
  })

  const result = { name: 'membership', ok: true, code: 'ok', detail: '' }
  it.each([
    ['no results', undefined],
    ['no result', [null]],
    ['a result without a detail', [{ ...result, detail: undefined }]],
    ['a result whose `ok` is a string', [result, { ...result, ok: 'yes' }]],
  ])('fails if the provider returns %s', async (_, results) => {
    const client = createProviderClient({ clock })
    const provider = createSampleProvider(undefined, { check: async () => results as never })
    expect(await client.check({ provider, credential: sampleCredential })).toEqual([
      { name: 'reach', ok: false, code: 'provider_fault', detail: 'The provider returned a malformed check result.' },
    ])
  })

  it('replaces a code that is not a string', async () => {
    const client = createProviderClient({ clock })
    const provider = createSampleProvider(undefined, { check: async () => [{ ...result, ok: false, code: 404 as never }] })
    expect(await client.check({ provider, credential: sampleCredential })).toMatchObject([{ ok: false, code: 'unrecognized' }])
  })

  it("returns the provider's error as a failed result", async () => {
    const client = createProviderClient({ clock })
    const provider = createSampleProvider(undefined, { check: () => Promise.reject(new Error('hush-hush')) })
    expect(await client.check({ provider, credential: sampleCredential })).toEqual([
      { name: 'reach', ok: false, code: 'provider_fault', detail: 'The provider threw an unexpected error.' },
    ])
  })
})
