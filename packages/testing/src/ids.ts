import { type IdKind, idPrefixes } from '@flowpost/contract'
import type { Random } from './random.ts'

/** Makes identifiers: later ones sort after earlier ones. */
export type MakeId = (kind: IdKind) => string

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const suffixLength = 26
const counterBits = 42n

/** A UUID in 26 characters of base32. Source: TypeID specification 0.3, https://github.com/jetify-com/typeid/tree/main/spec. */
const encode = (uuid: bigint): string => {
  let text = ''
  let rest = uuid
  for (let at = 0; at < suffixLength; at += 1) {
    text = alphabet[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return text
}

/**
 * Identifiers as the server's: TypeIDs of UUIDv7 (RFC 9562, 5.7). Where that has random bits, the first 42 are a
 * counter, so that order holds although the clock of a mock stands still; the last 32 come from the seed.
 */
export const createIds = (nowMs: () => number, random: Random): MakeId => {
  let counter = 0n
  return (kind) => {
    counter += 1n
    const low = counterBits - 12n
    const uuid =
      (BigInt(Math.trunc(nowMs())) << 80n) |
      (0x7n << 76n) |
      ((counter >> low) << 64n) |
      (0b10n << 62n) |
      ((counter & ((1n << low) - 1n)) << 32n) |
      BigInt(Math.floor(random() * 2 ** 32))
    return `${idPrefixes[kind]}_${encode(uuid)}`
  }
}
