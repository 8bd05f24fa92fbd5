// The contract has checked the form. A tag may itself contain a comma, or a star.
const tagsOf = (header: string): string[] => header.match(/\*|(?:W\/)?"[^"]*"/g) ?? []

/** Whether `If-None-Match` says that the client has this representation. Compared weakly (RFC 9110, section 13.1.2). */
export const isNotModified = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  ifNoneMatch != null && tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/**
 * Whether `If-Match` lets a write pass. Compared strongly (RFC 9110, section 13.1.1).
 * @param etag The tag of the present representation. Made only when there is something to compare it with.
 */
export const allowsWrite = (ifMatch: string | null | undefined, etag: () => string): boolean => {
  if (ifMatch == null) return true
  const tags = tagsOf(ifMatch)
  return tags.includes('*') || tags.includes(etag())
}
