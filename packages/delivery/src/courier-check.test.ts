import { describe, expect, it } from 'vitest'
import { outgoing } from '../test/delivery-case.ts'
import { createManualClock } from '../test/manual-clock.ts'
import { sampleCredential, sampleProvider } from '../test/sample-provider.ts'
import { createCourier } from './courier.ts'

const clock = createManualClock()

describe('closing', () => {
  it('gives up what is on its way and takes nothing more', async () => {
    const courier = createCourier({ clock })
    const provider = sampleProvider(() => new Promise(() => {}))
    const delivery = { provider, credential: sampleCredential, message: outgoing({ target: 'room-1' }) }
    const promise = courier.deliver(delivery)
    const expected = { kind: 'provider', code: 'aborted', retryable: true }
    await Promise.all([expect(promise).rejects.toMatchObject(expected), courier.close()])
    await expect(courier.deliver(delivery)).rejects.toMatchObject(expected)
    expect(clock.pending()).toBe(0)
  })
})

describe('a check', () => {
  it('hands over the target and gives the findings without secrets', async () => {
    const courier = createCourier({ clock })
    const provider = sampleProvider(undefined, {
      check: async ({ target, secrets }) => [{ name: 'membership', ok: false, code: 'x', detail: `${target} ${secrets.token}` }],
    })
    expect(await courier.check({ provider, credential: sampleCredential, target: 'room-1' })).toEqual([
      { name: 'membership', ok: false, code: 'x', detail: 'room-1 [redacted]' },
    ])
  })

  it('that fails is a finding', async () => {
    const courier = createCourier({ clock })
    const provider = sampleProvider(undefined, { check: () => Promise.reject(new Error('hush-hush')) })
    expect(await courier.check({ provider, credential: sampleCredential })).toEqual([
      { name: 'reach', ok: false, code: 'provider_fault', detail: 'The provider has a fault.' },
    ])
  })
})
