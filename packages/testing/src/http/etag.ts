import { requireMatch as requireMatchingTag } from '@flowpost/contract/rules'
import { digest } from '../hash.ts'

/** Returns the strong entity tag of a representation: equal bytes have equal tags (RFC 9110, section 8.8.3). */
export const etagOf = (representation: unknown): string => `"${digest(JSON.stringify(representation))}"`

/**
 * Rejects a write whose `If-Match` does not have the entity tag of the current representation.
 * @throws ApiError `etag_mismatch`.
 */
export const requireMatch = (ifMatch: string | null, representation: unknown): void =>
  requireMatchingTag(ifMatch, () => etagOf(representation))
