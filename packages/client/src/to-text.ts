/** Converts any value to text. Some values, such as objects without a prototype, throw when they are converted. */
export const toText = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
