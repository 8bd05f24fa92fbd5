/** What a call resolves to, with the answer that it came in. */
export interface WithResponse<Data> {
  readonly data: Data
  /** Status and headers; the body was read already. */
  readonly response: Response
  /** The request id, which is in the log of the server too. */
  readonly requestId: string | undefined
}

/**
 * The promise of a call. The request is sent at once, not when it is awaited.
 * It rejects with a `FlowpostError`, or with the abort reason when its signal is aborted.
 */
export interface Call<Data> extends Promise<Data> {
  /** The same call with status, headers and request id. Sends nothing again. */
  withResponse(): Promise<WithResponse<Data>>
}

/** One page of a list, as the server answers it. */
export interface PageBody<Item> {
  data: Item[]
  /** Give it as `cursor` to read on; `null` on the last page. */
  next_cursor: string | null
}

/**
 * A list. `for await` reads every item of every page; `await` reads the first page only.
 * Each page is requested when it is reached, the first one at most once; each has a deadline of its own.
 */
export interface Page<Item> extends AsyncIterable<Item>, PromiseLike<PageBody<Item>> {
  /** Reads page by page instead of item by item. */
  byPage(): AsyncIterable<PageBody<Item>>
  /** The first page with status, headers and request id. */
  withResponse(): Promise<WithResponse<PageBody<Item>>>
}

/** How long to follow a notification. */
export interface SettleOptions {
  /** Milliseconds in which it must settle. Default 60,000; at most 2,147,483,647. */
  readonly timeout?: number | undefined
  /** Stops following; the notification is sent all the same. */
  readonly signal?: AbortSignal | undefined
}

/** The call that sends a notification. */
export interface SendCall<Data, Settled> extends Call<Data> {
  /**
   * Follows the notification until every delivery is settled, and resolves to it with all attempts.
   * A status that this version does not know counts as settled.
   *
   * @throws {FlowpostError} As `notifications.send` does while it is sent, and as `notifications.get` does while it is
   * followed: `isFlowpostError(error, 'notifications.get')` with `timeout` when it has not settled in time. It is
   * stored then and will be sent all the same; await the call itself first to have its `id`.
   */
  settled(options?: SettleOptions): Promise<Settled>
}
