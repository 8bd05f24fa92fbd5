/** Whom a claim leaves out. */
export interface LeftOut {
  readonly groups: readonly string[]
  readonly owners: readonly string[]
}

/** Knows when a claim would find what the last one has found: nothing but jobs of those that it left out. */
export interface FruitlessClaims {
  /**
   * How long a claim that leaves these out is better put off, in milliseconds; 0: it may find something now, and
   * `Infinity`: nothing before there is news.
   * @param news whether there may be jobs since the last claim that it could not find.
   */
  pauseMs(leftOut: LeftOut, news: boolean): number
  /** Notes a claim: whether it found less than there was room for, so that nothing else is there, and the milliseconds it took. */
  claimed(leftOut: LeftOut, foundLess: boolean, tookMs: number): void
}

// Such a claim looks at every job of those it leaves out. It may take a fifth of the time at most, however many there are.
const pausePerClaim = 4
const longestPauseMs = 500

const namesOf = ({ groups, owners }: LeftOut): string[] => [...groups.map((id) => `group ${id}`), ...owners.map((id) => `owner ${id}`)]

/** @param nowMs a clock that only goes forward, in milliseconds. */
export const createFruitlessClaims = (nowMs: () => number): FruitlessClaims => {
  let leftOutLast: readonly string[] = []
  let untilMs = 0
  return {
    pauseMs: (leftOut, news) => {
      const leftOutNow = new Set(namesOf(leftOut))
      if (leftOutLast.length === 0 || leftOutLast.some((name) => !leftOutNow.has(name))) return 0
      return news ? Math.max(0, untilMs - nowMs()) : Number.POSITIVE_INFINITY
    },
    claimed: (leftOut, foundLess, tookMs) => {
      leftOutLast = foundLess ? namesOf(leftOut) : []
      untilMs = nowMs() + Math.min(longestPauseMs, pausePerClaim * tookMs)
    },
  }
}
