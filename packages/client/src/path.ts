// Dot segments are resolved away by URL parsers, and proxies decode what is encoded: both would reach another resource.
const unsafe = /^\.{0,2}$|[/\\?#%\s\p{C}]/u

/**
 * Puts identifiers into a path template, percent-encoded. The only place where a path is made.
 *
 * @param template A path with `:name` for each parameter.
 * @param ids One value for each parameter, in the order of the path.
 * @throws {TypeError} When a value is not a string, is empty, `.` or `..`, or holds a blank, a control
 * character or one of `/ \ ? # %`: no resource has such an identifier.
 */
export const fillPath = (template: string, ids: readonly unknown[]): string => {
  let next = 0
  return template.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[next++]
    if (typeof id !== 'string' || unsafe.test(id)) throw new TypeError(`${name} is not an identifier: ${JSON.stringify(id)}`)
    return encodeURIComponent(id)
  })
}

/** A query string with its `?`, or nothing. Parameters that are `undefined` are left out. */
export const queryString = (params: object | undefined): string => {
  const query = `${new URLSearchParams(Object.entries(params ?? {}).filter(([, value]) => value !== undefined))}`
  return query && `?${query}`
}
