import { ApiError } from './api-error.ts'

// The contract has already validated the syntax. Splitting at commas would be wrong, because a tag can contain a comma.
const parseTags = (header: string): string[] => header.match(/\*|(?:W\/)?"[^"]*"/g) ?? []

/** Returns whether `If-None-Match` contains the current entity tag or `*`. Uses the weak comparison (RFC 9110, section 13.1.2). */
export const isNotModified = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  ifNoneMatch != null && parseTags(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/**
 * Rejects a write whose `If-Match` contains neither the current entity tag nor `*`. A write without `If-Match` is allowed.
 * Uses the strong comparison (RFC 9110, section 13.1.1).
 * @param getEtag Computes the current entity tag. Called only if the tag is needed.
 * @throws ApiError `etag_mismatch`.
 */
export const requireMatch = (ifMatch: string | null | undefined, getEtag: () => string): void => {
  if (ifMatch == null) return
  const tags = parseTags(ifMatch)
  if (tags.includes('*') || tags.includes(getEtag())) return
  throw new ApiError('etag_mismatch', 'The resource has changed since it was read. Read it again and reapply the change.')
}
