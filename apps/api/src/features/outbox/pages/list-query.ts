/** The query parameters of the list: a filter and a position. */
export interface ListQuery {
  /** The page lists only messages older than this cursor. Absent on the newest page. */
  readonly before?: string | undefined
  /** The cursors of the newer pages that the reader passed on the way to this page, newest first. */
  readonly newer: readonly string[]
  /** If set, the list contains only messages for this provider. */
  readonly sourceType?: string | undefined
}

/**
 * The maximum number of `newer` cursors in a URL. The link "Older" adds the cursor of the current page, and drops the
 * earliest cursor if there are too many. After that, each of the first 20 clicks on "Newer" leads back one page. The next
 * click leads directly to the newest page, because the cursors of the pages in between are no longer in the URL.
 */
const maxNewerCursors = 20

const cursorPattern = /^[\w.~=+-]{1,200}$/
const sourceTypePattern = /^[\w.-]{1,64}$/

/**
 * Parses the list's query parameters, and ignores malformed values. Does not depend on the application's query parser.
 */
export const readListQuery = (requestTarget: string): ListQuery => {
  const start = requestTarget.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : requestTarget.slice(start))
  const before = query.get('before')
  const sourceType = query.get('source_type')
  const isPaged = before !== null && cursorPattern.test(before)
  return {
    before: isPaged ? before : undefined,
    newer: isPaged
      ? query
          .getAll('newer')
          .filter((cursor) => cursorPattern.test(cursor))
          .slice(-maxNewerCursors)
      : [],
    sourceType: sourceType !== null && sourceTypePattern.test(sourceType) ? sourceType : undefined,
  }
}

/** Returns the path of a list page. */
export const listPath = (basePath: string, { before, newer, sourceType }: ListQuery): string => {
  const query = new URLSearchParams()
  if (sourceType !== undefined) query.set('source_type', sourceType)
  if (before !== undefined) query.set('before', before)
  for (const cursor of newer) query.append('newer', cursor)
  return query.size === 0 ? `${basePath}/` : `${basePath}/?${query}`
}

/**
 * Returns the query for the link "Older". Appends the current page's cursor to `newer`, so that the link "Newer" on the older
 * page leads back to the current page. The newest page has no cursor, so its link "Older" has an empty `newer`.
 */
export const olderQuery = (query: ListQuery, nextBefore: string): ListQuery => ({
  ...query,
  before: nextBefore,
  newer: query.before === undefined ? [] : [...query.newer, query.before].slice(-maxNewerCursors),
})

/**
 * Returns the query for the link "Newer". It leads back to the page on which the reader clicked "Older". That page still
 * starts at the same place in the list, because new messages do not change the order of older ones.
 */
export const newerQuery = (query: ListQuery): ListQuery => ({ ...query, before: query.newer.at(-1), newer: query.newer.slice(0, -1) })
