import { type IdKind, idPrefixes } from '@flowpost/contract'

/** Returns a number in the range [0, 1), like `Math.random`. */
export type Random = () => number

/**
 * Creates a deterministic generator of pseudo-random numbers.
 * Source: mulberry32 by Tommy Ettinger, public domain.
 */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const hexadecimal = '0123456789abcdef'
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const randomString = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')

/** Creates generators for UUIDs and secrets, based on `random`. */
export const createTokens = (random: Random) => ({
  /** Generates a UUID of version 4 (RFC 9562, section 5.4). */
  uuid: (): string => {
    const hex = randomString(random, hexadecimal, 30)
    const variant = '89ab'[Math.floor(random() * 4)]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18, 30)}`
  },
  /** Generates the secret part of an API key: 43 characters of base64url. */
  secret: (): string => randomString(random, base64url, 43),
  /** Generates the signing secret of an event endpoint: `whsec_` and 32 bytes in base64. */
  signingSecret: (): string => `whsec_${btoa(String.fromCharCode(...Array.from({ length: 32 }, () => Math.floor(random() * 256))))}`,
})

/** Generates an identifier that sorts after all earlier identifiers of the same kind. */
export type GenerateId = (kind: IdKind) => string

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const suffixLength = 26
const counterBits = 42n

/**
 * Encodes a UUID in 26 characters of base32.
 * Source: TypeID specification 0.3, https://github.com/jetify-com/typeid/tree/main/spec.
 */
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
 * Creates a generator of TypeIDs. As on the server, a TypeID encodes a UUIDv7 (RFC 9562, section 5.7), which has 74 random
 * bits. Here, a counter replaces the first 42 of them, so that ids sort in creation order even while the mock's clock stands
 * still. The last 32 come from `random`.
 */
export const createIdGenerator = (nowMs: () => number, random: Random): GenerateId => {
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

/**
 * Returns an id without its prefix. Sorting ids of all kinds by this value puts them in creation order, even while the
 * mock's clock stands still.
 */
export const orderOf = (id: string): string => id.slice(id.indexOf('_'))

const lanes = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f]

/**
 * Returns a non-cryptographic hash of a string as 32 hexadecimal digits. Does not use WebCrypto, because it is
 * asynchronous: while a request waits for a hash, another request could run.
 */
export const digest = (text: string): string =>
  lanes
    .map((seed, lane) => {
      let hash = seed
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ (text.charCodeAt(at) + lane), 0x01000193 + 2 * lane)
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
      return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0')
    })
    .join('')
