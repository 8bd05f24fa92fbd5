import { randomUUID } from 'node:crypto'
import { type IdKind, idPattern, idPrefixes } from '@flowpost/contract'
import { TypeID } from 'typeid-js'

/** A UUID as the database stores it. On the wire it is a TypeID: see {@link toId}. */
export type Uuid = string

const countInMs = 0x1000
let lastMs = 0
let count = 0

/**
 * A new UUIDv7: later ones of this process sort after earlier ones, by a counter that begins somewhere in the lower
 * half in each millisecond (RFC 9562, section 6.2, method 1).
 */
export const newUuid = (): Uuid => {
  const random = randomUUID()
  const nowMs = Date.now()
  count += 1
  if (nowMs > lastMs) {
    lastMs = nowMs
    count = Number.parseInt(random.slice(0, 3), 16) % (countInMs / 2)
  } else if (count === countInMs) {
    lastMs += 1
    count = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}${random.slice(18)}`
}

// Crockford's base32, as TypeID 0.3 has it: https://github.com/jetify-com/typeid/tree/main/spec
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`)

/** The TypeID of a stored UUID. */
export const toId = (kind: IdKind, uuid: Uuid): string => {
  // 130 bits, the first two of which are 0, in thirteen groups of ten: a list of a hundred has hundreds of ids.
  const a = Number.parseInt(uuid.slice(0, 8), 16)
  const b = Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16)
  const c = Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16)
  const d = Number.parseInt(uuid.slice(28), 16)
  return (
    `${idPrefixes[kind]}_${pairs[a >>> 24]}${pairs[(a >>> 14) & 1023]}${pairs[(a >>> 4) & 1023]}` +
    `${pairs[((a & 15) << 6) | (b >>> 26)]}${pairs[(b >>> 16) & 1023]}${pairs[(b >>> 6) & 1023]}` +
    `${pairs[((b & 63) << 4) | (c >>> 28)]}${pairs[(c >>> 18) & 1023]}${pairs[(c >>> 8) & 1023]}` +
    `${pairs[((c & 255) << 2) | (d >>> 30)]}${pairs[(d >>> 20) & 1023]}${pairs[(d >>> 10) & 1023]}${pairs[d & 1023]}`
  )
}

const patterns = Object.fromEntries(Object.keys(idPrefixes).map((kind) => [kind, idPattern(kind as IdKind)])) as Record<IdKind, RegExp>

/** The UUID behind a TypeID of this kind, or `undefined` when no resource of the kind can have this id. */
export const fromId = (kind: IdKind, id: string): Uuid | undefined =>
  patterns[kind].test(id) ? TypeID.fromString(id, idPrefixes[kind]).toUUID() : undefined
