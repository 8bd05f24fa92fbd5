import {
  ApiError,
  batchItemKey,
  createItemProblems,
  isTemporary,
  parseBatchItem,
  replayedHeaders,
  retryAfterOf,
} from '@flowpost/contract/rules'
import type { Call, Principal, Reply } from '../http/handler.ts'
import { claimKey, runIdempotent, type WrittenResponse } from '../http/idempotency.ts'
import { type NamedRoute, operations } from '../http/operations.ts'
import { writeResponse } from '../http/responses.ts'
import type { Notification, NotificationBatchResult } from '../state/api-types.ts'
import type { MockContext } from '../state/mock-context.ts'
import { findSendIssuesOf, type SendBody } from './plan-notification.ts'

type Send = (principal: Principal, body: SendBody) => Reply<202, Notification>

/** The fields of a call that {@link sendBatch} uses. */
type BatchCall = Pick<Call, 'principal' | 'headers' | 'requestId'> & { readonly body: { readonly notifications: readonly unknown[] } }

type RejectedStatus = Exclude<NotificationBatchResult['results'][number]['status'], 202>

// An item's own idempotency key is scoped to `notifications.send`, like the key of a notification that is sent alone.
const singleSend = operations.find(({ operation }) => operation === 'notifications.send') as NamedRoute
const { path } = singleSend.route
const batchPath = `${path}/batch`

/**
 * Sends each notification in a batch as if it were sent alone.
 *
 * @throws {ApiError} `idempotency_key_reused` when the batch's key was already used with a different body.
 */
export const sendBatch = async (
  context: MockContext,
  { principal, headers, requestId, body }: BatchCall,
  send: Send,
): Promise<Reply<200, NotificationBatchResult>> => {
  const batchKey = headers.get('idempotency-key')
  if (batchKey !== null) claimKey(context, { principal, method: 'POST', path: batchPath, key: batchKey, body })

  // Keyed by idempotency key.
  const temporaryErrors = new Map<string, ApiError>()
  const sendItem = async (input: unknown, index: number): Promise<WrittenResponse> => {
    const { body: item, idempotencyKey } = parseBatchItem(input, (item) => findSendIssuesOf(context, item))
    const work = () => writeResponse(singleSend, send(principal, item))
    const request = { principal, method: 'POST', body: item, isReplayable: true }
    if (idempotencyKey !== undefined) {
      const earlierError = temporaryErrors.get(idempotencyKey)
      if (earlierError) throw earlierError
      try {
        return await runIdempotent(context, { ...request, path, key: idempotencyKey }, work)
      } catch (error) {
        if (error instanceof ApiError && isTemporary(error)) temporaryErrors.set(idempotencyKey, error)
        throw error
      }
    }
    if (batchKey === null) return work()
    return runIdempotent(context, { ...request, path: batchPath, key: batchItemKey(batchKey, index) }, work)
  }

  const accepted: WrittenResponse[] = []
  const errors: ApiError[] = []
  const toProblem = createItemProblems(requestId)
  const results: NotificationBatchResult['results'] = []
  for (const [index, input] of body.notifications.entries()) {
    try {
      const response = await sendItem(input, index)
      accepted.push(response)
      results.push({ status: 202, notification: JSON.parse(response.text ?? '') as Notification })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push(error)
      results.push({ status: error.status as RejectedStatus, problem: toProblem(error) })
    }
  }
  const isReplay = accepted.length > 0 && accepted.every((response) => 'Idempotency-Replayed' in response.headers)
  return { status: 200, body: { results }, headers: { ...(isReplay ? replayedHeaders : {}), ...retryAfterOf(errors) } }
}
