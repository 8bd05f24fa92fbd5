import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { fromUUID, TypeID } from 'typeid-js'
import { expect, it, vi } from 'vitest'
import { fromId, newUuid, newUuidAt, toId } from './ids.ts'

it('converts UUIDs to the same TypeIDs as typeid-js, and back', () => {
  const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '0188bac7-4afa-78aa-bc3b-bd1eef28d881']
  for (const uuid of [...edges, ...Array.from({ length: 1000 }, () => randomUUID()), newUuid()]) {
    expect(toId('flow', uuid)).toBe(fromUUID(uuid, 'flw'))
    expect(fromId('flow', toId('flow', uuid))).toBe(uuid)
  }
})

it('parses TypeIDs in the same way as typeid-js, including UUIDs without a version', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const typeId = fromUUID(uuid, 'flw')
      return fromId('flow', typeId) === TypeID.fromString(typeId, 'flw').toUUID()
    }),
  )
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (bits) => {
      const uuid = bits
        .toString(16)
        .padStart(32, '0')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      const digits = Array.from(
        { length: 26 },
        (_, place) => '0123456789abcdefghjkmnpqrstvwxyz'[Number((bits >> BigInt(5 * (25 - place))) & 31n)],
      )
      const id = `flw_${digits.join('')}`
      return fromId('flow', id) === uuid && toId('flow', uuid) === id
    }),
  )
})

it('returns undefined for an id of another kind or shape', () => {
  const id = toId('flow', newUuid())
  for (const other of [toId('project', newUuid()), id.slice(0, -1), `${id}0`, id.toUpperCase(), `flw_8${id.slice(5)}`, ''])
    expect(fromId('flow', other)).toBeUndefined()
})

it('creates unique UUIDs of version 7 in sort order, even within one millisecond', async () => {
  // A new generator, because the clock may have been set back since the other tests created UUIDs.
  vi.resetModules()
  const ids = await import('./ids.ts')
  const before = Date.now()
  const uuids = Array.from({ length: 20_000 }, ids.newUuid)
  expect(uuids).toEqual(uuids.toSorted())
  expect(new Set(uuids).size).toBe(uuids.length)
  for (const uuid of uuids) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const createdAt = Number.parseInt((uuids[0] ?? '').replace('-', '').slice(0, 12), 16)
  expect(createdAt).toBeGreaterThanOrEqual(before)
  expect(createdAt).toBeLessThan(before + 60_000)
})

it('creates UUIDs for one instant in sort order, even if there are too many for its millisecond', () => {
  const instant = new Date('2026-11-27T08:00:00Z')
  const uuids = Array.from({ length: 20_000 }, () => newUuidAt(instant))
  expect(uuids).toEqual(uuids.toSorted())
  expect(new Set(uuids).size).toBe(uuids.length)
  const earlier = newUuidAt(new Date(instant.getTime() - 1))
  expect(earlier < (uuids[0] ?? '')).toBe(true)
  expect(newUuidAt(instant) > earlier).toBe(true)
})
