import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMessage, createSampleProvider, sampleCredential } from '../../test/fixtures.ts'
import { createManualClock } from '../../test/manual-clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import type { OutgoingMessage, Provider } from '../provider.ts'
import { createProviderClient, type ProviderClient } from './provider-client.ts'

const clock = createManualClock()
let client: ProviderClient

afterEach(() => client?.close())

async function deliver(
  provider: Provider,
  overrides: Partial<OutgoingMessage> = {},
  credential: Parameters<ProviderClient['deliver']>[0]['credential'] = sampleCredential,
) {
  client = createProviderClient({ clock, timeoutMs: 1000 })
  return client.deliver({ provider, credential, message: createMessage({ target: 'room-1', ...overrides }) })
}

const expectFailure = (promise: Promise<unknown>): Promise<DeliveryError> =>
  promise.then(
    () => Promise.reject(new Error('The message was delivered.')),
    (error) => {
      expect(error).toBeInstanceOf(DeliveryError)
      return error
    },
  )

describe('deliver', () => {
  it("redacts and truncates the provider's result", async () => {
    const provider = createSampleProvider(async () => ({
      providerMessageId: `hush-hush-${'9'.repeat(300)}`,
      response: `hush-hush\n${'x'.repeat(2000)}`,
    }))
    const result = await deliver(provider)
    expect(result.providerMessageId).toHaveLength(255)
    expect(result.response).toHaveLength(1000)
    expect(JSON.stringify(result)).not.toContain('hush')
  })

  it('returns an empty result for a malformed one', async () => {
    expect(await deliver(createSampleProvider(async () => undefined as never))).toEqual({ providerMessageId: null, response: '' })
  })

  it('passes the parsed credential to the provider', async () => {
    const received: unknown[] = []
    await deliver(
      createSampleProvider(async ({ settings, secrets }) => {
        received.push(settings, secrets)
        return { providerMessageId: null, response: '' }
      }),
    )
    expect(received).toEqual([{ room: 'attic' }, { token: 'hush-hush' }])
  })

  it("rejects with the provider's error, redacted", async () => {
    const error = await expectFailure(
      deliver(
        createSampleProvider(async () => {
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

  it('replaces a code that contains a secret', async () => {
    const error = await expectFailure(
      deliver(
        createSampleProvider(async () => {
          throw new DeliveryError({ kind: 'target', code: 'hush-hush', detail: '' })
        }),
      ),
    )
    expect(error.code).toBe('unrecognized')
  })
})

describe('an unknown error', () => {
  it('is retryable before sending starts', async () => {
    const error = await expectFailure(
      deliver(
        createSampleProvider(async () => {
          throw new TypeError('hush-hush is not a function')
        }),
      ),
    )
    expect(error).toMatchObject({ kind: 'provider', code: 'provider_fault', retryable: true })
    expect(error.detail).toBe('The provider threw an unexpected error. The message was not sent.')
    expect(error.providerResponse).toBe('TypeError: [redacted] is not a function')
  })

  it('is ambiguous after sending starts', async () => {
    const error = await expectFailure(
      deliver(
        createSampleProvider(async ({ markSendStarted }) => {
          markSendStarted()
          throw new Error('unexpected')
        }),
      ),
    )
    expect(error).toMatchObject({ kind: 'ambiguous', code: 'provider_fault', retryable: true })
  })
})

describe('an invalid request', () => {
  const uncallable = createSampleProvider(() => Promise.reject(new Error('The provider was called.')))

  it.each([
    ['invalid settings', { settings: { room: 1 }, secrets: { token: 'hush-hush' } }, 'settings_invalid', 'settings.room'],
    ['invalid secrets', { settings: { room: 'r' }, secrets: { token: 7 } }, 'secrets_invalid', 'secrets.token'],
    ['unknown fields', { settings: { room: 'r', rooom: 'x' }, secrets: { token: 'hush-hush' } }, 'settings_invalid', 'settings'],
    ['a missing credential', { settings: null, secrets: null }, 'settings_invalid', 'settings'],
  ])('fails permanently and names the field: %s', async (_, credential, code, path) => {
    const error = await expectFailure(deliver(uncallable, {}, credential))
    expect(error).toMatchObject({ kind: 'credential', code, retryable: false })
    expect(error.detail).toContain(path)
  })

  it('fails permanently for an invalid target', async () => {
    expect(await expectFailure(deliver(uncallable, { target: 'attic' }))).toMatchObject({
      kind: 'target',
      code: 'target_invalid',
      detail: 'Rooms start with room-.',
    })
  })

  it('fails permanently for content that is too long, counted in code points', async () => {
    await deliver(createSampleProvider(), { content: { subject: '', text: '🚀'.repeat(10) } })
    const error = await expectFailure(deliver(uncallable, { content: { subject: '', text: 'x'.repeat(11) } }))
    expect(error).toMatchObject({ kind: 'content', code: 'content_too_long', retryable: false })
  })
})

describe('the timeout', () => {
  it('ends the attempt even when the provider ignores the signal', async () => {
    const promise = expectFailure(deliver(createSampleProvider(() => new Promise(() => {}))))
    await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0))
    clock.advance(999)
    clock.advance(1)
    expect(await promise).toMatchObject({ kind: 'provider', code: 'timed_out', retryable: true })
  })

  it('is ambiguous after sending starts', async () => {
    const started = Promise.withResolvers<void>()
    const promise = expectFailure(
      deliver(
        createSampleProvider(({ markSendStarted }) => {
          markSendStarted()
          started.resolve()
          return new Promise(() => {})
        }),
      ),
    )
    await started.promise
    clock.advance(1000)
    expect(await promise).toMatchObject({ kind: 'ambiguous', code: 'timed_out' })
  })

  it("aborts the provider's signal", async () => {
    let signal: AbortSignal | undefined
    const promise = expectFailure(
      deliver(
        createSampleProvider((context) => {
          signal = context.signal
          return new Promise(() => {})
        }),
      ),
    )
    await vi.waitFor(() => expect(signal).toBeDefined())
    clock.advance(1000)
    await promise
    expect(signal?.aborted).toBe(true)
  })

  it('leaves no timer pending', async () => {
    await deliver(createSampleProvider())
    expect(clock.pending()).toBe(0)
  })

  it('includes opening a session', async () => {
    const promise = expectFailure(deliver(createSampleProvider(undefined, { open: () => new Promise(() => {}) })))
    await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0))
    clock.advance(1000)
    expect(await promise).toMatchObject({ kind: 'provider', code: 'timed_out' })
  })
})

describe("the caller's signal", () => {
  it('aborts the attempt', async () => {
    client = createProviderClient({ clock })
    const controller = new AbortController()
    const promise = expectFailure(
      client.deliver({
        provider: createSampleProvider(() => new Promise(() => {})),
        credential: sampleCredential,
        message: createMessage({ target: 'room-1' }),
        signal: controller.signal,
      }),
    )
    controller.abort(new Error('hush-hush'))
    expect(await promise).toMatchObject({ kind: 'provider', code: 'aborted', retryable: true })
  })

  it('prevents the call when it is already aborted', async () => {
    client = createProviderClient({ clock })
    const send = vi.fn()
    const request = {
      provider: createSampleProvider(send),
      credential: sampleCredential,
      message: createMessage({ target: 'room-1' }),
      signal: AbortSignal.abort(),
    }
    expect(await expectFailure(client.deliver(request))).toMatchObject({ kind: 'provider', code: 'aborted' })
    expect(send).not.toHaveBeenCalled()
  })
})

it('does not call send when the call ended while the session was being opened', async () => {
  const opening = Promise.withResolvers<string>()
  const send = vi.fn()
  const promise = expectFailure(deliver(createSampleProvider(send, { open: () => opening.promise })))
  await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0))
  clock.advance(1000)
  expect(await promise).toMatchObject({ kind: 'provider', code: 'timed_out' })
  opening.resolve('session')
  await new Promise((resolve) => setImmediate(resolve))
  expect(send).not.toHaveBeenCalled()
})
