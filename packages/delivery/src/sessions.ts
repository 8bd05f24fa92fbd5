import { createHash } from 'node:crypto'
import type { Clock } from './clock.ts'
import { DeliveryError } from './delivery-error.ts'
import type { OpenCall, Provider } from './provider.ts'

/** A session in use. It stays open at least until `release` is called. */
export interface SessionLease {
  readonly session: unknown
  readonly release: () => void
}

/** Keeps one session for each provider and credential that is in use. */
export interface Sessions {
  /** Gives the session of this credential, opening it when there is none. Rejects with what `open` throws. */
  readonly lease: (provider: Provider, call: SessionCall) => Promise<SessionLease>
  /** Closes every session, the ones in use too, and opens no more. */
  readonly close: () => Promise<void>
  /** How many are open. */
  readonly size: () => number
}

/** What a session is opened with, and whose credential it is: a tenant never gets a session of the deployment's. */
export interface SessionCall extends OpenCall<unknown, unknown> {
  readonly trusted: boolean
}

interface Entry {
  readonly provider: Provider
  readonly opening: Promise<unknown>
  isOpen: boolean
  users: number
  cancelIdle: (() => void) | undefined
}

/**
 * Makes a cache of sessions. A session is closed after `maxIdleMs` without use, so that a changed
 * credential, which has a session of its own from its first message on, leaves no old one behind.
 */
export function createSessions({ maxIdleMs, clock }: { readonly maxIdleMs: number; readonly clock: Clock }): Sessions {
  const entries = new Map<string, Entry>()
  const numbers = new WeakMap<Provider, number>()
  let lastNumber = 0
  let closed = false

  async function drop(key: string, entry: Entry): Promise<void> {
    if (entries.get(key) === entry) entries.delete(key)
    entry.cancelIdle?.()
    const closing = entry.opening.then(
      (session) => entry.provider.close?.(session),
      () => {},
    )
    // One that is still being opened is closed as soon as it is there; nobody waits for that.
    if (entry.isOpen) await closing
    else closing.catch(() => {})
  }

  function release(key: string, entry: Entry): void {
    entry.users -= 1
    if (entry.users > 0 || entries.get(key) !== entry) return
    entry.cancelIdle = clock.setTimer(() => void drop(key, entry).catch(() => {}), maxIdleMs)
  }

  return {
    async lease(provider, call) {
      if (!provider.open) return { session: undefined, release: () => {} }
      if (closed) throw new DeliveryError({ kind: 'provider', code: 'shutting_down', detail: 'The sender is shutting down.' })
      const number = numbers.get(provider) ?? ++lastNumber
      numbers.set(provider, number)
      const key = `${number} ${fingerprint(call)}`
      let entry = entries.get(key)
      if (!entry) {
        entry = { provider, opening: (async () => provider.open?.(call))(), isOpen: false, users: 0, cancelIdle: undefined }
        entries.set(key, entry)
      }
      entry.cancelIdle?.()
      entry.cancelIdle = undefined
      entry.users += 1
      const current = entry
      try {
        const session = await current.opening
        current.isOpen = true
        let held = true
        return {
          session,
          release: () => {
            if (held) release(key, current)
            held = false
          },
        }
      } catch (error) {
        if (entries.get(key) === current) entries.delete(key)
        throw error
      }
    },
    async close() {
      closed = true
      await Promise.allSettled([...entries].map(([key, entry]) => drop(key, entry)))
    },
    size: () => entries.size,
  }
}

/** Tells credentials apart without keeping them. Schema output has its keys in the schema's order, so equal ones are equal text. */
function fingerprint({ settings, secrets, trusted }: SessionCall): string {
  return createHash('sha256')
    .update(JSON.stringify([trusted, settings, secrets]))
    .digest('base64url')
}
