import { describe, expect, it } from 'vitest'
import { decodeFeedCursor, encodeFeedCursor } from './feed-cursor.ts'
import { feedStart } from './position.ts'

const filters = { user_id: 'alice', project_id: undefined, type: 'delivery.sent' }
const place = { position: String((3n << 48n) | 123_456_789n), id: '0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a' }

describe('a feed cursor', () => {
  it('decodes to the place that it was created from', () => {
    for (const each of [place, feedStart]) expect(decodeFeedCursor(filters, encodeFeedCursor(filters, each))).toEqual(each)
  })

  it('is invalid with other filters', () => {
    const cursor = encodeFeedCursor(filters, place)
    for (const change of [{ user_id: 'bob' }, { type: undefined }, { project_id: 'prj_1' }])
      expect(() => decodeFeedCursor({ ...filters, ...change }, cursor)).toThrow('cursor')
  })

  it('is invalid if it was altered or is malformed', () => {
    const cursor = encodeFeedCursor(filters, place)
    const changed = Buffer.from(cursor, 'base64url')
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20)
    const beyond = encodeFeedCursor(filters, { ...place, position: String(2n ** 63n) })
    for (const invalid of ['', 'nonsense', `${cursor}A`, changed.toString('base64url'), beyond])
      expect(() => decodeFeedCursor(filters, invalid)).toThrow('cursor')
  })
})
