import type { Page, PageBody, WithResponse } from './results.ts'

type Cursor = string | undefined

/**
 * A list that reads its pages when they are reached. `load` requests the page at the last of the cursors so far,
 * and fails when it leads back to one of them.
 */
export const toPage = <Item>(load: (cursors: readonly Cursor[]) => Promise<WithResponse<PageBody<Item>>>, cursor: Cursor): Page<Item> => {
  let first: Promise<WithResponse<PageBody<Item>>> | undefined
  const withResponse = () => {
    first ??= load([cursor])
    return first
  }
  async function* byPage() {
    const cursors = [cursor]
    for (let { data } = await withResponse(); ; { data } = await load(cursors)) {
      yield data
      if (!data.next_cursor) return
      cursors.push(data.next_cursor)
    }
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list can be awaited for its first page.
    then: (resolve, reject) =>
      withResponse()
        .then(({ data }) => data)
        .then(resolve, reject),
    withResponse,
    byPage,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of byPage()) yield* data
    },
  }
}
