/** Collects the parameters of a query string in an object. A repeated parameter becomes a list, which no schema accepts. */
export const parseQuery = (parameters: Iterable<[name: string, value: string]>): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of parameters) {
    const earlier = query[name]
    if (earlier === undefined) query[name] = value
    // Appends to the list instead of copying it: copying would take quadratic time for a parameter that is repeated
    // thousands of times.
    else if (Array.isArray(earlier)) earlier.push(value)
    else query[name] = [earlier, value]
  }
  return query
}
