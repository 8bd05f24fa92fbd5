import { ApiError } from './api-error.ts'

/**
 * The filters of a list, by name. They can include the id of the listed resources' parent, such as a user or a project. A
 * filter that is `undefined` is ignored.
 */
export type ListFilters = Readonly<Record<string, string | undefined>>

/**
 * Returns a string that identifies a list and its filters. A cursor contains a hash of the string, which makes the cursor
 * valid only for that list and those filters. The order of the filters does not matter.
 */
export const toCursorBinding = (list: string, filters: ListFilters): string =>
  JSON.stringify([
    list,
    ...Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ])

/** Returns the error for a cursor that is malformed or belongs to a different list or different filters. */
export const invalidCursor = (): ApiError =>
  new ApiError('invalid_cursor', 'The cursor does not belong to this list and these filters. Start over without a cursor.')

/** The maximum number of deliveries that a notification embeds. Only the first ones are embedded. */
export const maxEmbeddedDeliveries = 100

/** The maximum number of attempts that a notification embeds per delivery. Only the most recent ones are embedded. */
export const maxEmbeddedAttempts = 20

/**
 * The maximum number of attempts per delivery in a list of deliveries. Only the most recent attempts are included. Few
 * deliveries reach this limit, because the default retry policy gives up after about 60 attempts.
 */
export const maxListedAttempts = 100

/** The maximum total number of deliveries and attempts on a page. */
export const maxEmbeddedRows = 2_000

/** Returns how many rows a delivery adds to a page: one for itself and one for each embedded attempt. */
export const countDeliveryRows = (delivery: { readonly attempt_count: number }, maxAttempts: number): number =>
  1 + Math.min(delivery.attempt_count, maxAttempts)

/**
 * Returns the maximum number of resources to put on a page: `limit`, or fewer if `limit` resources would add more than
 * {@link maxEmbeddedRows} rows. The first resource is never left out, because an empty page would not advance the cursor.
 * @param rowCounts The number of deliveries and attempts that each resource adds to the page, in the order of the list.
 */
export const limitPage = (limit: number, rowCounts: readonly number[]): number => {
  let sum = 0
  for (const [index, rowCount] of rowCounts.slice(0, limit).entries()) {
    sum += rowCount
    if (sum > maxEmbeddedRows) return Math.max(index, 1)
  }
  return limit
}

/** The maximum total size, in UTF-8 bytes, of the resources on a page as JSON. A page with a single resource can be larger. */
export const maxPageBytes = 1_048_576

const utf8 = new TextEncoder()

/**
 * Returns as many of the first resources as fit on a page of {@link maxPageBytes}. Returns the first one even if it is too
 * large, because an empty page would not advance the cursor.
 */
export const fillPage = <Row, Resource>(rows: readonly Row[], toResource: (row: Row) => Resource): Resource[] => {
  const resources: Resource[] = []
  // The JSON that `countedBytes` does not include yet. In UTF-8, it takes at most three bytes per UTF-16 code unit. While this
  // maximum fits on the page, the exact bytes are not counted, which saves time.
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
