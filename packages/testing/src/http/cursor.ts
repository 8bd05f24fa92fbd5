import { fillPage, invalidCursor, type ListFilters, limitPage, toCursorBinding } from '@flowpost/contract/rules'
import { digest } from '../hash.ts'

const version = 'm1'

/** Ties a cursor to its list, its filters and its row: what was changed anywhere no longer fits. */
const tieOf = (list: string, filters: ListFilters, afterId: string): string =>
  digest(JSON.stringify([toCursorBinding(list, filters), afterId])).slice(0, 16)

const encodeCursor = (list: string, filters: ListFilters, afterId: string): string =>
  btoa(`${version}.${tieOf(list, filters, afterId)}.${afterId}`)
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

const readCursor = (list: string, filters: ListFilters, cursor: string): string => {
  const [, , after = ''] = decode(cursor).split('.')
  // Making it again finds every difference: another version, list, filter or spelling.
  if (after === '' || encodeCursor(list, filters, after) !== cursor) throw invalidCursor()
  return after
}

/** Where to read on, from the query of a list. */
export interface PageRequest {
  readonly list: string
  readonly filters: ListFilters
  readonly limit: number
  readonly order: 'oldest first' | 'newest first'
  /** The last id of the page before. */
  readonly after: string | undefined
}

/**
 * Reads what a list is asked for. Done before anything is looked up, as the server does.
 * @throws ApiError `invalid_cursor`.
 */
export const pageRequest = (
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
 * One page of rows that are in the order of their ids, oldest first.
 * @param embeds How many rows each embeds, where that bounds the page.
 */
export const pageOf = <Row extends { readonly id: string }, T>(
  request: PageRequest,
  rows: readonly Row[],
  toWire: (row: Row) => T,
  embeds: (row: Row) => number = () => 0,
): { data: T[]; next_cursor: string | null } => {
  const { list, filters, limit, order, after } = request
  const ordered = order === 'oldest first' ? rows : rows.toReversed()
  const isPast = (row: Row) => after === undefined || (order === 'oldest first' ? row.id > after : row.id < after)
  const page = ordered.filter(isPast).slice(0, limit + 1)
  const data = fillPage(page.slice(0, limitPage(limit, page.map(embeds))), toWire)
  const last = page.length > data.length ? page[data.length - 1] : undefined
  return { data, next_cursor: last ? encodeCursor(list, filters, last.id) : null }
}
