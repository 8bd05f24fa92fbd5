/** How many deliveries the representation of a notification embeds: the first ones. */
export const embeddedDeliveries = 100

/** How many attempts each delivery of a notification embeds: the newest ones. */
export const embeddedAttempts = 20

/** How many attempts each delivery in a list of deliveries embeds: the newest ones. More than a day of retries makes. */
export const listedAttempts = 100

/** A page ends before it would embed more deliveries and attempts than this. */
export const mostEmbeddedRows = 2_000

/** How many rows a delivery takes of a page: itself and the attempts that are embedded in it. */
export const rowsOfDelivery = (delivery: { readonly attempt_count: number }, mostAttempts: number): number =>
  1 + Math.min(delivery.attempt_count, mostAttempts)

/**
 * How many resources a page holds, so that its answer stays small whatever they embed. At least one, so that reading
 * on always ends.
 * @param rows How many rows each resource embeds, in the order of the page.
 */
export const pageLength = (limit: number, rows: readonly number[]): number => {
  let sum = 0
  for (const [index, each] of rows.slice(0, limit).entries()) {
    sum += each
    if (sum > mostEmbeddedRows) return Math.max(index, 1)
  }
  return limit
}
