/** What a list is filtered by, whose it is included. A filter that is not set does not count. */
export type ListFilters = Readonly<Record<string, string | undefined>>

/**
 * What a cursor is bound to: it is valid for the list and the filters that it was given for, and for no other.
 * The order of the filters does not matter.
 */
export const listBinding = (list: string, filters: ListFilters): string =>
  JSON.stringify([
    list,
    ...Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ])
