import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import { rejectOnAbort, startCallTimeout } from './call-timeout.ts'

const setUp = () => {
  const clock = createManualClock()
  const controller = new AbortController()
  const timeout = startCallTimeout(clock, 1000, controller)
  return { clock, controller, timeout, signal: controller.signal }
}

describe('a timeout that is suspended while the call waits', () => {
  it('starts again after the wait, even if the wait rejects', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { clock, timeout, signal } = setUp()
      const wait = Promise.withResolvers<void>()
      clock.advance(900)
      const suspended = timeout.suspend(() => wait.promise).catch(() => {})
      clock.advance(5000)
      wait[end]()
      await suspended
      clock.advance(999)
      expect(signal.aborted).toBe(false)
      clock.advance(1)
      expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    }
  })

  it('starts again once, after the last of several concurrent waits', async () => {
    const { clock, timeout, signal } = setUp()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const suspended = [timeout.suspend(() => first.promise), timeout.suspend(() => second.promise)]
    first.resolve()
    await suspended[0]
    clock.advance(5000)
    expect(clock.pending()).toBe(0)
    second.resolve()
    await suspended[1]
    expect(clock.pending()).toBe(1)
    clock.advance(999)
    expect(signal.aborted).toBe(false)
  })

  it('leaves no timer behind when the call is aborted meanwhile', async () => {
    const { clock, controller, timeout, signal } = setUp()
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const suspended = timeout.suspend(() => aborted)
    controller.abort(new Error('canceled'))
    timeout.cancel()
    await expect(suspended).rejects.toThrow('canceled')
    expect(clock.pending()).toBe(0)
  })
})

describe('a task whose signal aborts', () => {
  const abortWith = (task: (onAbort: Promise<void>) => Promise<string>): Promise<string> => {
    const controller = new AbortController()
    const { signal } = controller
    const result = rejectOnAbort(task(new Promise((resolve) => signal.addEventListener('abort', () => resolve()))), signal)
    controller.abort(new Error('timed out'))
    return result
  }

  it('may still return a result in the same turn of the event loop', async () => {
    await expect(abortWith((onAbort) => onAbort.then(() => 'sent'))).resolves.toBe('sent')
  })

  it("may still be rejected with the provider's response in the same turn of the event loop", async () => {
    const error = new DeliveryError({ kind: 'rate', code: 'http_429', detail: 'Too many requests.', providerResponse: '429' })
    await expect(abortWith((onAbort) => onAbort.then(() => Promise.reject(error)))).rejects.toBe(error)
  })

  it("is rejected with the signal's reason if it fails without a response or continues", async () => {
    const error = new DeliveryError({ kind: 'provider', code: 'connection_lost', detail: 'The connection was lost.' })
    await expect(abortWith((onAbort) => onAbort.then(() => Promise.reject(error)))).rejects.toThrow('timed out')
    await expect(abortWith((onAbort) => onAbort.then(() => Promise.reject(new Error('other'))))).rejects.toThrow('timed out')
    await expect(abortWith(() => new Promise(() => {}))).rejects.toThrow('timed out')
  })
})
