import { createHash } from 'node:crypto'
import { fillPage, invalidCursor, type ListFilters, toCursorBinding } from '@flowpost/contract/rules'
import { toUuid, type Uuid } from '../shared/ids.ts'

const version = 1
const hashBytes = 8
const idBytes = 16

/** Returns the hash that binds a cursor to its list, its filters and its row, so that a changed cursor is detected. */
const hashOf = (list: string, filters: ListFilters, id: Buffer): Buffer =>
  createHash('sha256').update(toCursorBinding(list, filters)).update(id).digest().subarray(0, hashBytes)

/** Returns the cursor that continues a list after the row with this id. */
export const encodeCursor = (list: string, filters: ListFilters, after: Uuid): string => {
  const id = Buffer.from(after.replaceAll('-', ''), 'hex')
  return Buffer.concat([Buffer.of(version), hashOf(list, filters, id), id]).toString('base64url')
}

/**
 * Returns the id that a cursor contains. The list continues after the row with this id.
 * @throws ApiError `invalid_cursor` if the cursor is malformed, or belongs to another list or to other filters.
 */
export const decodeCursor = (list: string, filters: ListFilters, cursor: string): Uuid => {
  const bytes = Buffer.from(cursor, 'base64url')
  const canonical = bytes.toString('base64url') === cursor
  if (!canonical || bytes.length !== 1 + hashBytes + idBytes || bytes[0] !== version) throw invalidCursor()
  const id = bytes.subarray(1 + hashBytes)
  if (!bytes.subarray(1, 1 + hashBytes).equals(hashOf(list, filters, id))) throw invalidCursor()
  return toUuid(id.toString('hex'))
}

/**
 * Builds a page of at most `limit` rows, or fewer if they would exceed `maxPageBytes`.
 * @param options.rows up to `limit + 1` rows. The additional row shows that there is another page.
 * @param options.examinedTo the id of the last row that the query examined, if it stopped before it found enough rows.
 * The next page continues after this row.
 */
export const pageOf = <Row extends { id: Uuid }, T>(options: {
  list: string
  filters: ListFilters
  limit: number
  rows: readonly Row[]
  examinedTo?: Uuid | undefined
  toResponse: (row: Row) => T
}): { data: T[]; next_cursor: string | null } => {
  const { list, filters, limit, rows, examinedTo, toResponse } = options
  const data = fillPage(rows.slice(0, limit), toResponse)
  const next = rows.length > data.length ? rows[data.length - 1]?.id : examinedTo
  return { data, next_cursor: next === undefined ? null : encodeCursor(list, filters, next) }
}
