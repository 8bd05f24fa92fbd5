import type { Credentials, FoundCredential } from './credentials.ts'

/**
 * Looks each credential up once for a batch of deliveries: a changed one counts from the next batch on,
 * which is at most moments away.
 */
export const oncePerBatch = (credentials: Credentials): Credentials => {
  const found = new Map<string, Promise<FoundCredential | undefined>>()
  return {
    find: (on, query) => {
      const key = JSON.stringify([query.userId, query.projectId, query.sourceType, query.ownOnly === true])
      const known = found.get(key) ?? credentials.find(on, query)
      found.set(key, known)
      return known
    },
  }
}
