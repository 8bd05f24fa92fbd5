/** The data of a call together with the HTTP response. */
export interface WithResponse<Data> {
  readonly data: Data
  /** Status and headers. The body has already been read. */
  readonly response: Response
  /** The request id, which also appears in the server's log. */
  readonly requestId: string | undefined
}

/**
 * The promise of a call. The client sends the request immediately, not when the promise is awaited.
 * The promise rejects with a `FlowpostError`, or with the abort reason when the caller aborts.
 */
export interface Call<Data> extends Promise<Data> {
  /** Resolves to the data with status, headers and request id. Does not send the request again. */
  withResponse(): Promise<WithResponse<Data>>
}

/** One page of a list, as returned by the server. */
export interface PageBody<Item> {
  data: Item[]
  /** The `cursor` of the next page; `null` on the last page. */
  next_cursor: string | null
}

/**
 * A paginated list. `for await` iterates over the items of all pages; `await` returns the first page only.
 * The client requests a page only when it is needed, and the first page at most once. Each page has its own deadline.
 */
export interface Page<Item> extends AsyncIterable<Item>, PromiseLike<PageBody<Item>> {
  /** Iterates over pages instead of items. */
  byPage(): AsyncIterable<PageBody<Item>>
  /** Resolves to the first page with status, headers and request id. */
  withResponse(): Promise<WithResponse<PageBody<Item>>>
}

/** Options for waiting until a notification is complete. */
export interface SettleOptions {
  /**
   * Milliseconds to wait for the notification to complete; at most 2,147,483,647.
   * @default 60_000
   */
  readonly timeout?: number | undefined
  /** Stops waiting. The server still delivers the notification. */
  readonly signal?: AbortSignal | undefined
}

/** The call that sends a notification. */
export interface SendCall<Data, Settled> extends Call<Data> {
  /**
   * Polls the notification until every delivery has a final status. Resolves to the notification with its deliveries and
   * their attempts, as `notifications.get` returns them. A status that this version does not know counts as final.
   *
   * @throws {FlowpostError} The errors of `notifications.send` and `notifications.get`. If `notifications.get` fails with
   * the code `timeout`, the notification was not completed in time. The server has stored it and will still deliver it. To
   * know its `id` even then, await the `notifications.send` call itself before you call `settled()`.
   */
  settled(options?: SettleOptions): Promise<Settled>
}

/** Creates a call from the promise of its response. */
export const createCall = <Data>(response: Promise<WithResponse<Data>>): Call<Data> => {
  const dataPromise = response.then(({ data }) => data)
  return Object.assign(dataPromise, {
    withResponse: () => {
      // If `response` rejects, `dataPromise` rejects too, but the caller handles only the returned `response`. Without this
      // handler, the runtime would report the rejection of `dataPromise` as unhandled.
      dataPromise.catch(() => {})
      return response
    },
  })
}

type Cursor = string | undefined

/**
 * Creates a list that loads its pages on demand. `loadPage` receives the cursors of all pages so far, and loads the page
 * of the last cursor. It must reject a page whose `next_cursor` is one of these cursors; otherwise, the iteration would
 * never end.
 */
export const createPage = <Item>(
  loadPage: (cursors: readonly Cursor[]) => Promise<WithResponse<PageBody<Item>>>,
  cursor: Cursor,
): Page<Item> => {
  let firstPage: Promise<WithResponse<PageBody<Item>>> | undefined
  const withResponse = () => {
    firstPage ??= loadPage([cursor])
    return firstPage
  }
  async function* byPage() {
    const cursors = [cursor]
    for (let { data } = await withResponse(); ; { data } = await loadPage(cursors)) {
      yield data
      if (!data.next_cursor) return
      cursors.push(data.next_cursor)
    }
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: awaiting a list returns its first page.
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
