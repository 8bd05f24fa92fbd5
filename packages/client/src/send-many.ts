import { type CallContext, createAbortFailure, createFailure, parseArguments } from './calls/call-context.ts'
import type { RunCall } from './calls/call-runner.ts'
import type { Config } from './config.ts'
import { type ErrorCode, FlowpostError } from './errors.ts'
import { routes } from './generated/routes.ts'
import type { Notification, NotificationBatchItem, NotificationBatchResult } from './generated/types.ts'
import { randomId } from './http/request.ts'
import { backoffMs, isRetryable, retryAfterMs } from './http/retry.ts'
import { send } from './http/send.ts'
import type { CallOptions } from './options.ts'
import type { WithResponse } from './results.ts'
import type { Route } from './route.ts'

/**
 * Options of `notifications.sendMany`. `timeout` applies to each batch. `maxRetries` limits how often a failed request is
 * retried. If a request succeeds but some of its items have temporary errors, these items are sent again in a new request.
 * `maxRetries` also limits how often this happens for a batch. The retries of a failed request do not count toward this limit.
 */
export interface SendManyOptions extends CallOptions {}

interface SentItem<Item> {
  /** The position of the notification in `items`, starting at 0. */
  readonly index: number
  /** The notification as it was passed to `sendMany`. */
  readonly item: Item
  /**
   * The notification's `idempotency_key`, or the key that the client generated. If the outcome is unknown, send the
   * notification again with this key.
   */
  readonly idempotencyKey: string
}

/** The result of one notification. Either `notification` or `error` is set. */
export type SendManyResult<Item = NotificationBatchItem> =
  | (SentItem<Item> & { readonly notification: Notification; readonly error?: undefined })
  | (SentItem<Item> & { readonly notification?: undefined; readonly error: FlowpostError })

/** The method `notifications.sendMany`. */
export interface SendMany {
  /**
   * Sends any number of notifications in batches, and yields one result per notification, in order. An invalid
   * notification or a failed batch does not end the iteration: the affected results have an `error`.
   *
   * A notification without `idempotency_key` gets a random key. Retries after a lost response or a temporary error use the
   * same key, so no notification is sent twice.
   *
   * Items are read one batch at a time. A batch is sent when it has 500 items or about 1 MiB, or when the items end. The
   * next batch is sent after the results of the current one have been consumed.
   *
   * Calls `POST /v1/notifications/batch`. Requires the scope `notifications:send`.
   *
   * @param items The notifications. They may belong to different projects.
   * @throws {FlowpostError} `invalid_argument` for an item that cannot be converted to JSON. Also throws the errors
   * that `items` throws, and the abort reason.
   */
  sendMany<Item extends NotificationBatchItem>(
    items: Iterable<Item> | AsyncIterable<Item>,
    options?: SendManyOptions,
  ): AsyncGenerator<SendManyResult<Item>, void, undefined>
}

interface Entry extends SentItem<NotificationBatchItem> {
  readonly body: NotificationBatchItem
}

type Answer =
  | { readonly notification: Notification; readonly error?: undefined; readonly isRetryable?: undefined }
  | { readonly error: FlowpostError; readonly isRetryable?: boolean }

const operation = 'notifications.sendBatch'
const maxItems = 500
// The default body limit of the server, minus room for the JSON around the items and for 500 commas.
const maxBytes = 1_048_576 - 550

// Each item has its own idempotency key. The batch therefore needs no key and is safe to retry.
const route: Route = { ...routes.notifications.sendBatch, idempotent: undefined as never, repeatable: true }

const createItemError = (
  context: CallContext,
  headers: Headers,
  { status, problem: { code, detail, request_id, errors } }: Exclude<NotificationBatchResult['results'][number], { status: 202 }>,
): FlowpostError =>
  createFailure(context, code as ErrorCode, `${code} (${status}): ${detail}`, {
    status,
    requestId: request_id,
    errors: errors ?? [],
    retryAfterMs: retryAfterMs(headers),
  })

/** Sends a batch and returns an answer for each entry. Splits a batch in half if it is too large for the server. */
const sendBatch = async (context: CallContext, entries: readonly Entry[]): Promise<Answer[]> => {
  try {
    const body = { notifications: entries.map((entry) => entry.body) }
    const { data, response } = (await send(context, { route, ids: [], body })) as WithResponse<NotificationBatchResult>
    if (data.results?.length !== entries.length) throw createFailure(context, 'unexpected_response', 'the number of results is wrong')
    return data.results.map((result) => {
      if (result.status === 202) return result
      const error = createItemError(context, response.headers, result)
      return { error, isRetryable: isRetryable(error.status, error.code, route) }
    })
  } catch (thrown) {
    // A `FlowpostError` is not thrown, but returned as the answer to each entry. Otherwise, if one half of a split batch
    // failed, the results of the other half would be lost. After a timeout, `thrown` is `undefined`.
    const error = thrown ?? createAbortFailure(context)
    if (!(error instanceof FlowpostError)) throw error
    const half = entries.length >> 1
    return error.code === 'body_too_large' && half
      ? [...(await sendBatch(context, entries.slice(0, half))), ...(await sendBatch(context, entries.slice(half)))]
      : entries.map(() => ({ error }))
  }
}

/** Creates the method `notifications.sendMany`. */
export const createSendMany = (config: Config, run: RunCall): SendMany['sendMany'] => {
  /**
   * Sends a batch, if it has items. Retries items with temporary errors. Yields the results in order: each one as soon as
   * it and all earlier results are known.
   */
  async function* deliver(entries: readonly Entry[], options: SendManyOptions): AsyncGenerator<SendManyResult> {
    // Indexed by the positions of the items in `items`.
    const results: SendManyResult[] = []
    let remainingMs = options.timeout ?? config.timeout
    let pending = entries
    let next = entries[0]?.index as number
    for (let retry = 0, delayMs = 0; pending.length; retry++) {
      const startedAt = config.clock.now()
      const answers = await run(operation, options, remainingMs, async (context) => {
        if (delayMs) await context.deadline.sleep(delayMs)
        return sendBatch(context, pending)
      }).catch((error: unknown): Answer[] => {
        // A `FlowpostError` means that the timeout has passed or an option is invalid. Any other error is the abort reason.
        if (error instanceof FlowpostError) return pending.map(() => ({ error }))
        throw error
      })
      // An abort must end the iteration with the abort reason. If the reason is a `FlowpostError`, the code above returns the
      // reason as the answer to each entry instead of throwing it.
      options.signal?.throwIfAborted()
      // The time that the caller takes to consume results does not count toward the timeout.
      remainingMs -= config.clock.now() - startedAt
      delayMs = Math.max(
        backoffMs(retry, config.random()),
        ...answers.map((answer) => (answer.isRetryable && answer.error.retryAfterMs) || 0),
      )
      // Without a limit, the comparison with `undefined` is false.
      const willRetry = !(retry >= ((options.maxRetries ?? config.maxRetries) as number)) && delayMs < remainingMs
      pending = pending.filter(({ body: _, ...entry }, position) => {
        const answer = answers[position] as Answer
        if (willRetry && answer.isRetryable) return true
        results[entry.index] = answer.error ? { ...entry, error: answer.error } : { ...entry, notification: answer.notification }
        return false
      })
      for (let result = results[next]; result; result = results[++next]) yield result
    }
  }

  async function* sendMany(
    items: Iterable<NotificationBatchItem> | AsyncIterable<NotificationBatchItem>,
    options: SendManyOptions = {},
  ): AsyncGenerator<SendManyResult> {
    let entries: Entry[] = []
    let bytes = 0
    let index = 0
    for await (const item of items) {
      options.signal?.throwIfAborted()
      let body!: NotificationBatchItem
      const json = parseArguments({ operation, attempts: [] }, () => {
        // Copies the JSON of the item and not its properties, because it may have a `toJSON`. `undefined` has no JSON.
        body = { ...JSON.parse(JSON.stringify(item) ?? null) }
        body.idempotency_key ??= item?.idempotency_key ?? randomId()
        return JSON.stringify(body)
      })
      const size = new TextEncoder().encode(json).length
      if (bytes + size > maxBytes) {
        yield* deliver(entries, options)
        entries = []
        bytes = 0
      }
      entries.push({ index: index++, item, idempotencyKey: body.idempotency_key as string, body })
      bytes += size
      if (entries.length === maxItems) {
        yield* deliver(entries, options)
        entries = []
        bytes = 0
      }
    }
    options.signal?.throwIfAborted()
    yield* deliver(entries, options)
  }

  return sendMany as SendMany['sendMany']
}
