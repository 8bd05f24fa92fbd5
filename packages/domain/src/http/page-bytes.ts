import { utf8Length } from '../text-length.ts'

/** The most bytes of the resources of a page, as JSON in UTF-8. A page of a single resource may have more. */
export const maxPageBytes = 1_048_576

/**
 * Returns the resources of a page: those of the first rows that have at most {@link maxPageBytes} together. At least one,
 * so that reading on always ends.
 */
export const fillPage = <Row, Resource>(rows: readonly Row[], toResource: (row: Row) => Resource): Resource[] => {
  const resources: Resource[] = []
  // Counting bytes costs more than converting, and most pages are far below the limit: a unit of UTF-16 takes at most three.
  let uncounted = ''
  let counted = 0
  for (const row of rows) {
    const resource = toResource(row)
    uncounted += JSON.stringify(resource)
    if (counted + 3 * uncounted.length > maxPageBytes) {
      counted += utf8Length(uncounted)
      uncounted = ''
      if (counted > maxPageBytes && resources.length > 0) break
    }
    resources.push(resource)
  }
  return resources
}
