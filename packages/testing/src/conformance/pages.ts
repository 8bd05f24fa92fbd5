import type { Page } from '@flowpost/client'
import { assert } from './assertions.ts'

/** The number of consecutive empty pages at which a list is considered endless. */
const maxEmptyPages = 10

/**
 * Returns all pages of a list.
 *
 * @param keyOf Returns the key that identifies an item.
 * @param maxPages The maximum number of pages. The default suits lists that contain only the scenario's resources.
 * @throws {ConformanceFailure} If the list does not end, or returns an item twice.
 */
export const collectPages = async <Item>(list: Page<Item>, keyOf: (item: Item) => string, maxPages = 100): Promise<Item[][]> => {
  const pages: Item[][] = []
  const seen = new Set<string>()
  let emptyPages = 0
  for await (const { data } of list.byPage()) {
    assert(pages.length < maxPages, `the list does not end: next_cursor is not null after ${maxPages} pages`)
    emptyPages = data.length > 0 ? 0 : emptyPages + 1
    assert(emptyPages < maxEmptyPages, `the list does not end: next_cursor is not null after ${maxEmptyPages} empty pages`)
    for (const key of data.map(keyOf)) {
      assert(!seen.has(key), `the list returns ${key} twice`)
      seen.add(key)
    }
    pages.push(data)
  }
  return pages
}

/** Returns a resource's id. */
export const idOf = ({ id }: { readonly id: string }): string => id

/** Reads a list with {@link collectPages}, and returns the ids on each page. */
export const collectIds = async (list: Page<{ id: string }>, maxPages?: number): Promise<string[][]> =>
  (await collectPages(list, idOf, maxPages)).map((page) => page.map(idOf))

/** Maximum number of pages for a list that may contain other applications' resources. A page has up to 1,000 resources. */
export const maxSharedPages = 1_000
