import { digest } from '../hash.ts'
import { ApiError } from './api-error.ts'

/** The strong entity tag of a representation: the same bytes, the same tag (RFC 9110, section 8.8.3). */
export const etagOf = (representation: unknown): string => `"${digest(JSON.stringify(representation))}"`

// The contract has checked the form. A tag may itself contain a comma, or a star.
const tagsOf = (header: string): string[] => header.match(/\*|(?:W\/)?"[^"]*"/g) ?? []

/** Whether `If-None-Match` says that the client has this representation. Compared weakly, as RFC 9110 says for it. */
export const isNotModified = (ifNoneMatch: string | null, etag: string): boolean =>
  ifNoneMatch !== null && tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/**
 * Refuses a write whose `If-Match` does not name the present representation. Compared strongly.
 * @throws ApiError `etag_mismatch`.
 */
export const requireMatch = (ifMatch: string | null, representation: unknown): void => {
  if (ifMatch === null) return
  const tags = tagsOf(ifMatch)
  if (!tags.includes('*') && !tags.includes(etagOf(representation)))
    throw new ApiError('etag_mismatch', 'The resource has changed since it was read. Read it again and repeat the change on it.')
}
