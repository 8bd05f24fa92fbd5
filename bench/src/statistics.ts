/** Returns the average of one or more values. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The median and the quartiles of repeated measurements. */
export interface Spread {
  readonly median: number
  /** The first quartile. */
  readonly low: number
  /** The third quartile. */
  readonly high: number
}

/**
 * Returns a quantile, interpolated linearly.
 * @param share the quantile to return, from 0 to 1: 0.5 is the median.
 * @throws RangeError if there are no measurements.
 */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  const above = sorted[Math.ceil(at)]
  if (below === undefined || above === undefined) throw new RangeError('A quantile needs at least one measurement.')
  return below + (above - below) * (at - Math.floor(at))
}

/** Returns the median and the quartiles. */
export const spreadOf = (values: readonly number[]): Spread => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75),
})

/**
 * Combines the baseline's and the subject's measurements of each round. Returns one number per round.
 * @throws RangeError if the two lists have different lengths.
 */
export const paired = (
  baseline: readonly number[],
  subject: readonly number[],
  combine: (baseline: number, subject: number) => number,
): number[] => {
  if (baseline.length !== subject.length) throw new RangeError('Both sides of a comparison need the same number of rounds.')
  return subject.map((value, round) => combine(baseline[round] as number, value))
}
