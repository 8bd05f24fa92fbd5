import type { Clock } from './clock.ts'

const stepMs = 500

/**
 * Calls back when an attempt has had `timeoutMs` to work. It counts in steps, each at its nominal length, so time during which
 * the event loop was blocked or the machine was suspended does not count against the provider. Answers that have already
 * arrived are read before the callback.
 * @returns a function that cancels it.
 */
export const startDeadline = (clock: Clock, timeoutMs: number, onTimeout: () => void): (() => void) => {
  let cancel = () => {}
  const wait = (leftMs: number): void => {
    const nextMs = Math.min(stepMs, leftMs)
    // A timer without a delay runs after the sockets of this turn of the event loop were read.
    cancel = leftMs > 0 ? clock.setTimer(() => wait(leftMs - nextMs), nextMs) : clock.setTimer(onTimeout, 0)
  }
  wait(timeoutMs)
  return () => cancel()
}
