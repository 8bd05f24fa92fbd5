/** Formats a number with three significant digits, or as a whole number if it is 100 or more. */
export const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))

/** Formats a ratio with two decimals. */
export const formatRatio = (value: number): string => value.toFixed(2)
