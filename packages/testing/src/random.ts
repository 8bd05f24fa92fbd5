/** Gives numbers from 0 up to 1, as `Math.random` does. */
export type Random = () => number

/**
 * A small generator of pseudo-random numbers: the same seed, the same numbers.
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

const word = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')

/** What the server would take from its random numbers, drawn from the seed instead. */
export const createWords = (random: Random) => ({
  /** A UUID of version 4 (RFC 9562, 5.4). */
  uuid: (): string => {
    const hex = word(random, hexadecimal, 30)
    const variant = '89ab'[Math.floor(random() * 4)]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18, 30)}`
  },
  /** The secret part of an API key: 43 characters of base64url. */
  secret: (): string => word(random, base64url, 43),
})
