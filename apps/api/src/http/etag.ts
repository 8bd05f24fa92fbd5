import { createHash } from 'node:crypto'
import { allowsWrite } from '@flowpost/domain'
import { ApiError } from '../shared/api-error.ts'

/** Returns the strong entity tag of a representation (RFC 9110, section 8.8.3). */
export const etagOf = (representation: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(representation)).digest('base64url').slice(0, 22)}"`

/**
 * Rejects a write whose `If-Match` does not match the current representation.
 * @throws ApiError `etag_mismatch`.
 */
export const requireMatch = (ifMatch: string | undefined, etag: () => string): void => {
  if (!allowsWrite(ifMatch, etag))
    throw new ApiError('etag_mismatch', 'The resource has changed since it was read. Read it again and repeat the change on it.')
}
