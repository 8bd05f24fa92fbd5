import { createHash } from 'node:crypto'
import { invalidCursor, type ListFilters, toCursorBinding } from '@flowpost/contract/rules'
import { toUuid } from '../../shared/ids.ts'
import type { FeedPosition } from './position.ts'

const version = 1
const hashBytes = 8
const positionBytes = 8
const idBytes = 16
const maxPosition = 2n ** 63n - 1n

/**
 * Returns a hash of the list's name, the filters and the place in the feed. Each cursor contains this hash, so that altered
 * cursors, and cursors of other lists or filters, are detected.
 */
const hashOf = (filters: ListFilters, place: Buffer): Buffer =>
  createHash('sha256').update(toCursorBinding('events', filters)).update(place).digest().subarray(0, hashBytes)

/** Returns the cursor that continues the feed after a position. */
export const encodeFeedCursor = (filters: ListFilters, { position, id }: FeedPosition): string => {
  const place = Buffer.alloc(positionBytes + idBytes)
  place.writeBigUInt64BE(BigInt(position))
  place.write(id.replaceAll('-', ''), positionBytes, 'hex')
  return Buffer.concat([Buffer.of(version), hashOf(filters, place), place]).toString('base64url')
}

/**
 * Decodes a cursor: returns the position after which the feed continues.
 * @throws ApiError `invalid_cursor` if the cursor is malformed or was created for different filters.
 */
export const decodeFeedCursor = (filters: ListFilters, cursor: string): FeedPosition => {
  const bytes = Buffer.from(cursor, 'base64url')
  const isCanonical = bytes.toString('base64url') === cursor
  if (!isCanonical || bytes.length !== 1 + hashBytes + positionBytes + idBytes || bytes[0] !== version) throw invalidCursor()
  const place = bytes.subarray(1 + hashBytes)
  if (!bytes.subarray(1, 1 + hashBytes).equals(hashOf(filters, place))) throw invalidCursor()
  const position = place.readBigUInt64BE()
  // The database stores positions as signed 64-bit integers.
  if (position > maxPosition) throw invalidCursor()
  return { position: position.toString(), id: toUuid(place.toString('hex', positionBytes)) }
}
