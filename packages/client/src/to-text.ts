/** Converts any value to text. A value that throws when it is converted, such as an object without a prototype, becomes its type name. */
export const toText = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
