import { randomUUID } from 'node:crypto'
import { fromUUID } from 'typeid-js'
import { expect, it } from 'vitest'
import { fromId, newUuid, toId } from './ids.ts'

it('writes the same TypeIDs as the library, and reads them back', () => {
  const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '0188bac7-4afa-78aa-bc3b-bd1eef28d881']
  for (const uuid of [...edges, ...Array.from({ length: 1000 }, () => randomUUID()), newUuid()]) {
    expect(toId('flow', uuid)).toBe(fromUUID(uuid, 'flw'))
    expect(fromId('flow', toId('flow', uuid))).toBe(uuid)
  }
})

it('reads no id of another kind or shape', () => {
  const id = toId('flow', newUuid())
  for (const other of [toId('project', newUuid()), id.slice(0, -1), `${id}0`, id.toUpperCase(), `flw_8${id.slice(5)}`, ''])
    expect(fromId('flow', other)).toBeUndefined()
})
