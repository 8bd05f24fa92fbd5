import { randomUUID } from 'node:crypto'
import { type IdKind, idPattern, idPrefixes } from '@flowpost/contract'

/** A UUID as stored in the database. The API uses TypeIDs; see {@link toId}. */
export type Uuid = string

const countsPerMs = 0x1000

const prefixOf = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-`
}

/** Formats 32 hexadecimal digits as a UUID. */
export const toUuid = (hex: string): Uuid =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

/** The UUID that sorts before all others. */
export const lowestUuid: Uuid = '00000000-0000-0000-0000-000000000000'

/** The UUID that sorts after all others. */
export const highestUuid: Uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Returns the lowest UUID for `instant`. UUIDs created before `instant` sort before it, and UUIDs created at or after
 * `instant` sort after it.
 */
export const firstUuidOf = (instant: Date): Uuid => `${prefixOf(Math.max(0, instant.getTime()))}${lowestUuid.slice(14)}`

/**
 * Creates a generator of UUIDv7 values. Consecutive UUIDs for the same millisecond sort in the order of their creation,
 * because they contain a counter that starts at a random value (RFC 9562, section 6.2, method 1).
 * @param canBeEarlier whether a UUID may contain an earlier time than the previous UUID. If `false`, a UUID for an
 * earlier time contains the time of the previous UUID, so that all UUIDs sort in the order of their creation.
 */
const createSequence = (canBeEarlier: boolean): ((ms: number) => Uuid) => {
  let lastMs = 0
  let requestedMs = -1
  let count = 0
  // The prefix that all UUIDs for the same millisecond share.
  let prefix = ''
  return (ms) => {
    const random = randomUUID()
    const isOther = canBeEarlier ? ms !== requestedMs : ms > lastMs
    requestedMs = ms
    count += 1
    if (isOther || count === countsPerMs) {
      count = isOther ? Number.parseInt(random.slice(0, 3), 16) % (countsPerMs / 2) : 0
      lastMs = isOther ? ms : lastMs + 1
      prefix = prefixOf(lastMs)
    }
    return `${prefix}${(0x7000 | count).toString(16)}${random.slice(18)}`
  }
}

const next = createSequence(false)
const nextAt = createSequence(true)

/** Creates a UUIDv7. The UUIDs that this process creates sort in the order of their creation. */
export const newUuid = (): Uuid => next(Date.now())

/**
 * Creates a UUIDv7 that contains `instant`, so that a range of instants corresponds to a range of UUIDs. If this process creates
 * consecutive UUIDs for the same instant, they sort in the order of their creation.
 */
export const newUuidAt = (instant: Date): Uuid => nextAt(instant.getTime())

// Crockford's base32, as in TypeID 0.3: https://github.com/jetify-com/typeid/tree/main/spec
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`)

/**
 * Returns a lookup table from a digit's character code to the digit's value. Conversion must be fast, because a list
 * can contain hundreds of ids.
 */
const valuesOf = (digits: string): Uint8Array => {
  const values = new Uint8Array(128)
  for (const [value, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = value
  return values
}

const base16 = valuesOf('0123456789abcdef')
const base32 = valuesOf(alphabet)

const base16At = (text: string, at: number): number => base16[text.charCodeAt(at)] ?? 0
const base32At = (text: string, at: number): number => base32[text.charCodeAt(at)] ?? 0

const hex16 = (text: string, at: number): number =>
  (base16At(text, at) << 12) | (base16At(text, at + 1) << 8) | (base16At(text, at + 2) << 4) | base16At(text, at + 3)
const bits20 = (text: string, at: number): number =>
  (base32At(text, at) << 15) | (base32At(text, at + 1) << 10) | (base32At(text, at + 2) << 5) | base32At(text, at + 3)

/** Returns the TypeID for a UUID. */
export const toId = (kind: IdKind, uuid: Uuid): string => {
  // The suffix of a TypeID encodes two zero bits, followed by the 128 bits of the UUID. Here, `a` to `d` hold 32 bits of the UUID
  // each. An element of `pairs` consists of two base32 digits, which encode ten bits.
  const a = (hex16(uuid, 0) << 16) | hex16(uuid, 4)
  const b = (hex16(uuid, 9) << 16) | hex16(uuid, 14)
  const c = (hex16(uuid, 19) << 16) | hex16(uuid, 24)
  const d = (hex16(uuid, 28) << 16) | hex16(uuid, 32)
  return (
    `${idPrefixes[kind]}_${pairs[a >>> 24]}${pairs[(a >>> 14) & 1023]}${pairs[(a >>> 4) & 1023]}` +
    `${pairs[((a & 15) << 6) | (b >>> 26)]}${pairs[(b >>> 16) & 1023]}${pairs[(b >>> 6) & 1023]}` +
    `${pairs[((b & 63) << 4) | (c >>> 28)]}${pairs[(c >>> 18) & 1023]}${pairs[(c >>> 8) & 1023]}` +
    `${pairs[((c & 255) << 2) | (d >>> 30)]}${pairs[(d >>> 20) & 1023]}${pairs[(d >>> 10) & 1023]}${pairs[d & 1023]}`
  )
}

const patterns = Object.fromEntries(Object.keys(idPrefixes).map((kind) => [kind, idPattern(kind as IdKind)])) as Record<IdKind, RegExp>

const suffixLength = 26
const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const hex = (bits: number): string | undefined => hexBytes[bits & 255]

/** Returns the UUID in a TypeID, or `undefined` if `id` is not a TypeID of this kind. */
export const fromId = (kind: IdKind, id: string): Uuid | undefined => {
  if (!patterns[kind].test(id)) return undefined
  // The first two digits encode one byte; each following group of eight digits encodes five bytes.
  const start = id.length - suffixLength
  const first = (base32At(id, start) << 5) | base32At(id, start + 1)
  const [a, b, c] = [bits20(id, start + 2), bits20(id, start + 6), bits20(id, start + 10)]
  const [d, e, f] = [bits20(id, start + 14), bits20(id, start + 18), bits20(id, start + 22)]
  return (
    `${hex(first)}${hex(a >> 12)}${hex(a >> 4)}${hex((a << 4) | (b >> 16))}-${hex(b >> 8)}${hex(b)}-` +
    `${hex(c >> 12)}${hex(c >> 4)}-${hex((c << 4) | (d >> 16))}${hex(d >> 8)}-` +
    `${hex(d)}${hex(e >> 12)}${hex(e >> 4)}${hex((e << 4) | (f >> 16))}${hex(f >> 8)}${hex(f)}`
  )
}
