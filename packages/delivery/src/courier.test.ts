import { afterEach, describe, expect, it, vi } from 'vitest'
import { outgoing } from '../test/delivery-case.ts'
import { createManualClock } from '../test/manual-clock.ts'
import { sampleCredential, sampleProvider } from '../test/sample-provider.ts'
import { type Courier, createCourier } from './courier.ts'
import { DeliveryError } from './delivery-error.ts'
import type { OutgoingMessage, Provider } from './provider.ts'

const clock = createManualClock()
let courier: Courier

afterEach(() => courier?.close())

async function deliver(
  provider: Provider,
  changes: Partial<OutgoingMessage> = {},
  credential: Parameters<Courier['deliver']>[0]['credential'] = sampleCredential,
) {
  courier = createCourier({ clock, timeoutMs: 1000 })
  return courier.deliver({ provider, credential, message: outgoing({ target: 'room-1', ...changes }) })
}

const failure = (promise: Promise<unknown>): Promise<DeliveryError> =>
  promise.then(
    () => Promise.reject(new Error('It was delivered.')),
    (error) => {
      expect(error).toBeInstanceOf(DeliveryError)
      return error
    },
  )

describe('a delivery', () => {
  it('gives what the provider answered, without secrets and bounded', async () => {
    const provider = sampleProvider(async () => ({
      providerMessageId: `hush-hush-${'9'.repeat(300)}`,
      response: `hush-hush\n${'x'.repeat(2000)}`,
    }))
    const result = await deliver(provider)
    expect(result.providerMessageId).toHaveLength(255)
    expect(result.response).toHaveLength(1000)
    expect(JSON.stringify(result)).not.toContain('hush')
  })

  it('is sent when the provider does not throw, whatever it answers', async () => {
    expect(await deliver(sampleProvider(async () => undefined as never))).toEqual({ providerMessageId: null, response: '' })
  })

  it('hands the provider what its schemas made of the credential', async () => {
    const seen: unknown[] = []
    await deliver(
      sampleProvider(async ({ settings, secrets }) => {
        seen.push(settings, secrets)
        return { providerMessageId: null, response: '' }
      }),
    )
    expect(seen).toEqual([{ room: 'attic' }, { token: 'hush-hush' }])
  })

  it('passes on what the provider says went wrong, without secrets', async () => {
    const error = await failure(
      deliver(
        sampleProvider(async () => {
          throw new DeliveryError({ kind: 'rate', code: 'slow_down', detail: 'Token hush-hush is too fast.', retryAfterMs: 5 })
        }),
      ),
    )
    expect(error).toMatchObject({
      kind: 'rate',
      code: 'slow_down',
      detail: 'Token [redacted] is too fast.',
      retryable: true,
      retryAfterMs: 5,
    })
    expect(error.cause).toBeUndefined()
    expect(`${error.stack}`).not.toContain('hush')
  })

  it('hides a secret in a code', async () => {
    const error = await failure(
      deliver(
        sampleProvider(async () => {
          throw new DeliveryError({ kind: 'target', code: 'hush-hush', detail: '' })
        }),
      ),
    )
    expect(error.code).toBe('unrecognised')
  })
})

describe('an unknown error', () => {
  it('before the message left may be retried', async () => {
    const error = await failure(
      deliver(
        sampleProvider(async () => {
          throw new TypeError('hush-hush is not a function')
        }),
      ),
    )
    expect(error).toMatchObject({ kind: 'provider', code: 'provider_fault', retryable: true })
    expect(error.detail).toBe('The provider has a fault. The message was not sent.')
    expect(error.answer).toBe('TypeError: [redacted] is not a function')
  })

  it('after the message began to leave leaves the outcome open', async () => {
    const error = await failure(
      deliver(
        sampleProvider(async ({ leaving }) => {
          leaving()
          throw new Error('odd')
        }),
      ),
    )
    expect(error).toMatchObject({ kind: 'ambiguous', code: 'provider_fault', retryable: true })
  })
})

describe('what is not fit to send', () => {
  const never = sampleProvider(() => Promise.reject(new Error('It was called.')))

  it.each([
    ['settings', { settings: { room: 1 }, secrets: { token: 'hush-hush' } }, 'settings_invalid', 'settings.room'],
    ['secrets', { settings: { room: 'r' }, secrets: { token: 7 } }, 'secrets_invalid', 'secrets.token'],
    ['unknown fields', { settings: { room: 'r', rooom: 'x' }, secrets: { token: 'hush-hush' } }, 'settings_invalid', 'settings'],
    ['a missing credential', { settings: null, secrets: null }, 'settings_invalid', 'settings'],
  ])('by its %s fails for good, naming the field', async (_, credential, code, path) => {
    const error = await failure(deliver(never, {}, credential))
    expect(error).toMatchObject({ kind: 'credential', code, retryable: false })
    expect(error.detail).toContain(path)
  })

  it('by its target fails for good', async () => {
    expect(await failure(deliver(never, { target: 'attic' }))).toMatchObject({
      kind: 'target',
      code: 'target_invalid',
      detail: 'Rooms start with room-.',
    })
  })

  it('by its length fails for good, counted in characters', async () => {
    await deliver(sampleProvider(), { content: { subject: '', text: '🚀'.repeat(10) } })
    const error = await failure(deliver(never, { content: { subject: '', text: 'x'.repeat(11) } }))
    expect(error).toMatchObject({ kind: 'content', code: 'content_too_long', retryable: false })
  })
})

describe('a time-out', () => {
  it('ends the attempt even when the provider does not heed it', async () => {
    const promise = failure(deliver(sampleProvider(() => new Promise(() => {}))))
    await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0))
    clock.advance(999)
    clock.advance(1)
    expect(await promise).toMatchObject({ kind: 'provider', code: 'timed_out', retryable: true })
  })

  it('after the message began to leave leaves the outcome open', async () => {
    const started = Promise.withResolvers<void>()
    const promise = failure(
      deliver(
        sampleProvider(({ leaving }) => {
          leaving()
          started.resolve()
          return new Promise(() => {})
        }),
      ),
    )
    await started.promise
    clock.advance(1000)
    expect(await promise).toMatchObject({ kind: 'ambiguous', code: 'timed_out' })
  })

  it('aborts the signal of the call', async () => {
    let signal: AbortSignal | undefined
    const promise = failure(
      deliver(
        sampleProvider((call) => {
          signal = call.signal
          return new Promise(() => {})
        }),
      ),
    )
    await vi.waitFor(() => expect(signal).toBeDefined())
    clock.advance(1000)
    await promise
    expect(signal?.aborted).toBe(true)
  })

  it('leaves no timer behind', async () => {
    await deliver(sampleProvider())
    expect(clock.pending()).toBe(0)
  })

  it('covers the opening of a session', async () => {
    const promise = failure(deliver(sampleProvider(undefined, { open: () => new Promise(() => {}) })))
    await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0))
    clock.advance(1000)
    expect(await promise).toMatchObject({ kind: 'provider', code: 'timed_out' })
  })
})

describe('the signal of the caller', () => {
  it('ends the attempt', async () => {
    courier = createCourier({ clock })
    const controller = new AbortController()
    const promise = failure(
      courier.deliver({
        provider: sampleProvider(() => new Promise(() => {})),
        credential: sampleCredential,
        message: outgoing({ target: 'room-1' }),
        signal: controller.signal,
      }),
    )
    controller.abort(new Error('hush-hush'))
    expect(await promise).toMatchObject({ kind: 'provider', code: 'aborted', retryable: true })
  })

  it('that is aborted already keeps the provider from being called', async () => {
    courier = createCourier({ clock })
    const send = vi.fn()
    const delivery = {
      provider: sampleProvider(send),
      credential: sampleCredential,
      message: outgoing({ target: 'room-1' }),
      signal: AbortSignal.abort(),
    }
    expect(await failure(courier.deliver(delivery))).toMatchObject({ kind: 'provider', code: 'aborted' })
    expect(send).not.toHaveBeenCalled()
  })
})
