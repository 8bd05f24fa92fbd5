import type { Page, PageBody, WithResponse } from './results.ts'

/** A list that reads its pages when they are reached. `load` requests the page at a cursor, or the first one. */
export const toPage = <Item>(load: (cursor?: string) => Promise<WithResponse<PageBody<Item>>>): Page<Item> => {
  let first: Promise<WithResponse<PageBody<Item>>> | undefined
  const withResponse = () => {
    first ??= load()
    return first
  }
  async function* byPage() {
    for (let { data } = await withResponse(); ; { data } = await load(data.next_cursor)) {
      yield data
      if (!data.next_cursor) return
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
