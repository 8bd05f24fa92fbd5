/** The middle of repeated measurements, and how far half of them lie from it. */
export interface Spread {
  readonly median: number
  /** A quarter of the measurements is lower. */
  readonly low: number
  /** A quarter of the measurements is higher. */
  readonly high: number
}

/**
 * The value below which a share of the measurements lies, between two of them linearly.
 * @param share from 0 to 1.
 * @throws RangeError when there is no measurement.
 */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  const above = sorted[Math.ceil(at)]
  if (below === undefined || above === undefined) throw new RangeError('There is nothing to take a quantile of.')
  return below + (above - below) * (at - Math.floor(at))
}

/** Median and quartiles. */
export const spreadOf = (values: readonly number[]): Spread => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75),
})

/**
 * Combines what was measured in the same round, so that what else the machine did in a round weighs on both sides.
 * @throws RangeError when the sides were not measured equally often.
 */
export const paired = (
  baseline: readonly number[],
  subject: readonly number[],
  combine: (baseline: number, subject: number) => number,
): number[] => {
  if (baseline.length !== subject.length) throw new RangeError('Both sides of a comparison need the same rounds.')
  return subject.map((value, round) => combine(baseline[round] as number, value))
}
