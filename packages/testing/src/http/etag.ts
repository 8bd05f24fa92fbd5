import { requireMatch as requireMatchingTag } from '@flowpost/contract/rules'
import { digest } from '../deterministic.ts'

/** Returns the strong entity tag of a representation (RFC 9110, section 8.8.3). */
export const etagOf = (representation: unknown): string => `"${digest(JSON.stringify(representation))}"`

/**
 * Rejects a write whose `If-Match` does not match the current representation.
 *
 * @throws {ApiError} `etag_mismatch`.
 */
export const requireMatch = (ifMatch: string | null, representation: unknown): void =>
  requireMatchingTag(ifMatch, () => etagOf(representation))
