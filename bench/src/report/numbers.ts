/** A number with as many digits as say something: three, and no fractions above a hundred. */
export const short = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))

/** A ratio, with two digits behind the point. */
export const ratio = (value: number): string => value.toFixed(2)
