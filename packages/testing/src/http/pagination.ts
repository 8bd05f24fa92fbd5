import { fillPage, invalidCursor, type ListFilters, limitPage, toCursorBinding } from '@flowpost/contract/rules'
import { digest } from '../deterministic.ts'

const version = 'm1'

/** Returns a cursor's signature, which makes the cursor invalid for any other list, filters or row. */
const createSignature = (list: string, filters: ListFilters, afterId: string): string =>
  digest(JSON.stringify([toCursorBinding(list, filters), afterId])).slice(0, 16)

/** Encodes the position after a row as a cursor, which is valid only for the same list with the same filters. */
export const encodeCursor = (list: string, filters: ListFilters, afterId: string): string =>
  btoa(`${version}.${createSignature(list, filters, afterId)}.${afterId}`)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const decode = (cursor: string): string => {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/**
 * Verifies a cursor and returns the id that it contains.
 *
 * @throws {ApiError} `invalid_cursor`.
 */
export const readCursor = (list: string, filters: ListFilters, cursor: string): string => {
  const [, , after = ''] = decode(cursor).split('.')
  // Encodes the id again. The result equals `cursor` only if `encodeCursor` created it for the same list and filters.
  if (after === '' || encodeCursor(list, filters, after) !== cursor) throw invalidCursor()
  return after
}

/** A parsed list query. */
export interface PageRequest {
  readonly list: string
  readonly filters: ListFilters
  readonly limit: number
  readonly order: 'oldest first' | 'newest first'
  /** The last id of the previous page. */
  readonly after: string | undefined
}

/**
 * Parses a list query. Like the server, handlers parse the query before they read any data.
 *
 * @throws {ApiError} `invalid_cursor`.
 */
export const parsePageRequest = (
  list: string,
  order: PageRequest['order'],
  filters: ListFilters,
  query: { limit: number; cursor?: string | undefined },
): PageRequest => ({
  list,
  filters,
  limit: query.limit,
  order,
  after: query.cursor === undefined ? undefined : readCursor(list, filters, query.cursor),
})

/**
 * Creates one page of a list.
 *
 * @param rows All rows in id order, oldest first.
 * @param countRows Returns how many deliveries and attempts a row adds to the page. Omit `countRows` if the list does not limit
 * the total number of deliveries and attempts per page.
 */
export const createPage = <Row extends { readonly id: string }, T>(
  request: PageRequest,
  rows: readonly Row[],
  serialize: (row: Row) => T,
  countRows: (row: Row) => number = () => 0,
): { data: T[]; next_cursor: string | null } => {
  const { list, filters, limit, order, after } = request
  const ordered = order === 'oldest first' ? rows : rows.toReversed()
  const isAfterCursor = (row: Row) => after === undefined || (order === 'oldest first' ? row.id > after : row.id < after)
  const page = ordered.filter(isAfterCursor).slice(0, limit + 1)
  const data = fillPage(page.slice(0, limitPage(limit, page.map(countRows))), serialize)
  const last = page.length > data.length ? page[data.length - 1] : undefined
  return { data, next_cursor: last ? encodeCursor(list, filters, last.id) : null }
}
