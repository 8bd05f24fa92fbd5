/** Converts any value to text. Returns the type name if the conversion throws, as it does for an object without a prototype. */
export const toText = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
