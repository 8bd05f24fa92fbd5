import { ApiError } from './api-error.ts'

/** The filters of a list, including its owner. A filter that is `undefined` does not count. */
export type ListFilters = Readonly<Record<string, string | undefined>>

/** Returns the text that binds a cursor to its list and filters. The order of the filters does not matter. */
export const toCursorBinding = (list: string, filters: ListFilters): string =>
  JSON.stringify([
    list,
    ...Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ])

/** Returns the error for a cursor that the list did not return for these filters. */
export const invalidCursor = (): ApiError =>
  new ApiError('invalid_cursor', 'The cursor was not returned by this list for these filters. Start again without a cursor.')

/** The maximum number of deliveries that a notification embeds: the first ones. */
export const maxEmbeddedDeliveries = 100

/** The maximum number of attempts per delivery of a notification: the most recent ones. */
export const maxEmbeddedAttempts = 20

/** The maximum number of attempts per delivery in a list of deliveries: the most recent ones. Retrying for a day takes fewer. */
export const maxListedAttempts = 100

/** The maximum number of deliveries and attempts that a page embeds. */
export const maxEmbeddedRows = 2_000

/** Returns how many rows a delivery adds to a page: itself and its embedded attempts. */
export const countDeliveryRows = (delivery: { readonly attempt_count: number }, maxAttempts: number): number =>
  1 + Math.min(delivery.attempt_count, maxAttempts)

/**
 * Returns the number of resources on a page, which embeds at most {@link maxEmbeddedRows}. The number is at least one, so that
 * pagination always ends.
 * @param rowCounts The number of rows that each resource embeds, in the order of the page.
 */
export const limitPage = (limit: number, rowCounts: readonly number[]): number => {
  let sum = 0
  for (const [index, rowCount] of rowCounts.slice(0, limit).entries()) {
    sum += rowCount
    if (sum > maxEmbeddedRows) return Math.max(index, 1)
  }
  return limit
}

/** The maximum size of the resources of a page, as JSON in UTF-8 bytes. A page of a single resource can be larger. */
export const maxPageBytes = 1_048_576

const utf8 = new TextEncoder()

/**
 * Returns the resources that fit on a page of {@link maxPageBytes}. Always returns the first one, even if it is too large, so that
 * pagination always ends.
 */
export const fillPage = <Row, Resource>(rows: readonly Row[], toResource: (row: Row) => Resource): Resource[] => {
  const resources: Resource[] = []
  // A UTF-16 code unit takes at most three bytes, so pages far below the limit need no byte count.
  let uncounted = ''
  let countedBytes = 0
  for (const row of rows) {
    const resource = toResource(row)
    uncounted += JSON.stringify(resource)
    if (countedBytes + 3 * uncounted.length > maxPageBytes) {
      countedBytes += utf8.encode(uncounted).length
      uncounted = ''
      if (countedBytes > maxPageBytes && resources.length > 0) break
    }
    resources.push(resource)
  }
  return resources
}
