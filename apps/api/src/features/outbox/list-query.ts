/** Which part of the list an address asks for. */
export interface ListQuery {
  /** The keyset cursor of this page; absent on the newest. */
  readonly before?: string | undefined
  /** The cursors of the newer pages that were read on the way here, the nearest last. */
  readonly newer: readonly string[]
  /** Only messages of this provider. */
  readonly sourceType?: string | undefined
}

/** Keeps addresses short; from further down, "Newer" leads to the newest page after this many steps. */
const mostRemembered = 20

const cursorForm = /^[\w.~=+-]{1,200}$/
const sourceTypeForm = /^[\w.-]{1,64}$/

/**
 * Reads the query of the list's address, leaving out what has not the right form. Does not rely on the
 * application's query parser.
 */
export const readListQuery = (requestTarget: string): ListQuery => {
  const start = requestTarget.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : requestTarget.slice(start))
  const before = query.get('before')
  const sourceType = query.get('source_type')
  const isPaged = before !== null && cursorForm.test(before)
  return {
    before: isPaged ? before : undefined,
    newer: isPaged
      ? query
          .getAll('newer')
          .filter((cursor) => cursorForm.test(cursor))
          .slice(-mostRemembered)
      : [],
    sourceType: sourceType !== null && sourceTypeForm.test(sourceType) ? sourceType : undefined,
  }
}

/** The address of a part of the list. */
export const listPath = (basePath: string, { before, newer, sourceType }: ListQuery): string => {
  const query = new URLSearchParams()
  if (sourceType !== undefined) query.set('source_type', sourceType)
  if (before !== undefined) query.set('before', before)
  for (const cursor of newer) query.append('newer', cursor)
  return query.size === 0 ? `${basePath}/` : `${basePath}/?${query}`
}

/** The next older page, which remembers this one. */
export const olderQuery = (query: ListQuery, nextBefore: string): ListQuery => ({
  ...query,
  before: nextBefore,
  newer: query.before === undefined ? [] : [...query.newer, query.before].slice(-mostRemembered),
})

/** The page that was read before this one: captured messages do not move, so its cursor still names it. */
export const newerQuery = (query: ListQuery): ListQuery => ({ ...query, before: query.newer.at(-1), newer: query.newer.slice(0, -1) })
