/** A deterministic source of random choices. */
export interface Random {
  /** Returns a number, uniform in [0, 1). */
  next(): number
  /** Returns an integer in [0, `count`). */
  below(count: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
}

/** Creates a Mulberry32 generator. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => {
      if (choices.length === 0) throw new Error('The list to choose from is empty.')
      return choices[below(choices.length)] as (typeof choices)[number]
    },
  }
}
