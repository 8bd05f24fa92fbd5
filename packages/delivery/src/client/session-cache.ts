import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import type { OpenContext, Provider } from '../provider.ts'

/** A lease on a session. Until `release` is called, the session does not count as idle. */
export interface SessionLease {
  readonly session: unknown
  readonly release: () => void
}

/** A cache with one session for each combination of provider and credential. */
export interface SessionCache {
  /**
   * Returns a lease on the credential's session, and opens the session if necessary. Rejects with the error that the
   * provider's `open` throws.
   */
  readonly acquire: (provider: Provider, context: SessionContext) => Promise<SessionLease>
  /** Closes every session, including sessions in use, and rejects new calls. */
  readonly close: () => Promise<void>
  /** The number of cached sessions. */
  readonly size: () => number
}

/** The context for opening a session. */
export interface SessionContext extends OpenContext<unknown, unknown> {
  /**
   * Whether the credential is the deployment's own rather than a tenant's. Part of the cache key, so that a tenant with the
   * same settings and secrets does not get the deployment's session.
   */
  readonly trusted: boolean
}

interface CacheEntry {
  readonly provider: Provider
  readonly opening: Promise<unknown>
  isOpen: boolean
  leaseCount: number
  cancelIdleTimer: (() => void) | undefined
}

/**
 * Creates a session cache. The cache closes each session that has been unused for `maxIdleMs` milliseconds. This includes
 * the old session of a credential that has changed.
 */
export function createSessionCache({ maxIdleMs, clock }: { readonly maxIdleMs: number; readonly clock: Clock }): SessionCache {
  const entries = new Map<string, CacheEntry>()
  const providerNumbers = new WeakMap<Provider, number>()
  let lastProviderNumber = 0
  let closed = false

  function createKey(provider: Provider, context: SessionContext): string {
    const providerNumber = providerNumbers.get(provider) ?? ++lastProviderNumber
    providerNumbers.set(provider, providerNumber)
    return `${providerNumber} ${hashCredential(context)}`
  }

  async function evict(key: string, entry: CacheEntry): Promise<void> {
    if (entries.get(key) === entry) entries.delete(key)
    entry.cancelIdleTimer?.()
    const closing = entry.opening.then(
      (session) => entry.provider.close?.(session),
      () => {},
    )
    // A session that is still being opened is closed in the background, as soon as it is open.
    if (entry.isOpen) await closing
    else closing.catch(() => {})
  }

  function release(key: string, entry: CacheEntry): void {
    entry.leaseCount -= 1
    if (entry.leaseCount > 0 || entries.get(key) !== entry) return
    entry.cancelIdleTimer = clock.setTimer(() => void evict(key, entry).catch(() => {}), maxIdleMs)
  }

  return {
    async acquire(provider, context) {
      if (!provider.open) return { session: undefined, release: () => {} }
      if (closed) throw new DeliveryError({ kind: 'provider', code: 'shutting_down', detail: 'Flowpost is shutting down.' })
      const key = createKey(provider, context)
      const entry: CacheEntry = entries.get(key) ?? {
        provider,
        opening: (async () => provider.open?.(context))(),
        isOpen: false,
        leaseCount: 0,
        cancelIdleTimer: undefined,
      }
      entries.set(key, entry)
      entry.cancelIdleTimer?.()
      entry.cancelIdleTimer = undefined
      entry.leaseCount += 1
      try {
        const session = await entry.opening
        entry.isOpen = true
        let released = false
        return {
          session,
          release: () => {
            if (!released) release(key, entry)
            released = true
          },
        }
      } catch (error) {
        if (entries.get(key) === entry) entries.delete(key)
        throw error
      }
    },
    async close() {
      closed = true
      await Promise.allSettled([...entries].map(([key, entry]) => evict(key, entry)))
    },
    size: () => entries.size,
  }
}

/**
 * Hashes a credential, so that cache keys contain no secrets. Parsing puts the fields in a fixed order, so equal
 * credentials have equal hashes.
 */
function hashCredential({ settings, secrets, trusted }: SessionContext): string {
  return createHash('sha256')
    .update(JSON.stringify([trusted, settings, secrets]))
    .digest('base64url')
}
