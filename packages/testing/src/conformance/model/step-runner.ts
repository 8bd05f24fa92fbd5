import { buildOperationPath } from '@flowpost/contract/rules'
import type { Operation } from '../../public-types.ts'
import { createExchange } from '../exchange.ts'
import { createPlainHttp, type PlainResponse, routeOf } from '../http.ts'
import { verifyResponse } from '../verify-response.ts'
import { createNormalizer } from './normalize.ts'
import { orderHistory } from './order-history.ts'
import type { ModelTarget, Step } from './sequence.ts'
import { createSequenceState } from './sequence-state.ts'
import { createRequests, type StepRequest } from './step-request.ts'

/** Runs a sequence's steps on one server. */
export interface StepRunner {
  /**
   * Runs a step and returns the values to compare: the response, and other resources that the step affects.
   *
   * @throws {ConformanceFailure | MockContractError} If a response violates the contract.
   */
  run(step: Step): Promise<unknown[]>
  /**
   * Deletes the sequence's projects and API keys.
   *
   * @throws {Error} If a deletion fails. The other deletions are still attempted.
   */
  close(): Promise<void>
}

const operationsToFollow: readonly Operation[] = ['notifications.send', 'notifications.retry']

/** Returns the ids of the notifications that a response reports as accepted. */
const acceptedIn = (operation: Operation, { status, json }: PlainResponse): readonly string[] => {
  if (operationsToFollow.includes(operation) && status === 202) return [json.id]
  if (operation !== 'notifications.sendBatch' || status !== 200) return []
  return json.results.flatMap(({ notification }: { notification?: { id: string } }) => notification?.id ?? [])
}

interface ListedNotification {
  readonly id: string
  readonly deliveries: readonly { readonly status: string; readonly next_attempt_at: string | null }[]
}

/** Returns whether a delivery is being sent, or is due now. */
const isDue = ({ status, next_attempt_at }: ListedNotification['deliveries'][number]): boolean =>
  status === 'sending' || (status === 'queued' && next_attempt_at === null)

const deletions: readonly Operation[] = ['projects.delete', 'projects.deleteByQuery', 'flows.delete', 'integrations.delete']

// The maximum time by which a sequence advances the clock in total. This maximum is shorter than `farFutureMs`, because
// otherwise scheduled messages could become due.
const maxAdvanceMs = 15 * 24 * 3_600_000

/**
 * Creates a step runner.
 *
 * @param sequence.run A string that makes the sequence's names, keys and idempotency keys unique.
 * @param sequence.mayDeliver Whether messages may be delivered. If not, they are scheduled days ahead.
 */
export const createStepRunner = (target: ModelTarget, sequence: { readonly run: string; readonly mayDeliver: boolean }): StepRunner => {
  const http = createPlainHttp(target)
  const unchecked = createPlainHttp(target, createExchange(target, undefined, { isValidated: false }))
  const normalizer = createNormalizer()
  const state = createSequenceState()
  const requestOf = createRequests(target, state, { ...sequence, normalizer })
  let advancedMs = 0

  /** Filters a page of notifications, API keys or bulk actions: removes the resources that the sequence did not create. */
  const omitForeign = async ({ operation }: Step, sent: StepRequest, answer: PlainResponse): Promise<PlainResponse> => {
    const { request, isUnbound } = sent
    const ownIds: Partial<Record<Operation, readonly string[]>> = {
      'notifications.list': state.notifications,
      'apiKeys.list': state.keys.map(({ id }) => id),
      'bulkActions.list': state.bulkActions,
    }
    const own = ownIds[operation]
    if (!own || answer.status !== 200 || !isUnbound) return answer
    const isOwn = ({ id }: { id: string }) => own.includes(id)
    const data = answer.json.data.filter(isOwn)
    let { next_cursor } = answer.json
    if (data.length < answer.json.data.length || operation === 'apiKeys.list') next_cursor = null
    else if (next_cursor !== null) {
      const next = await http.call(operation, { ...request, query: { ...request.query, limit: '1', cursor: next_cursor } })
      if (!next.json.data?.some(isOwn)) next_cursor = null
    }
    return { ...answer, json: { ...answer.json, data, next_cursor } }
  }

  const waitForCompletion = (id: string): Promise<PlainResponse> =>
    http.call('notifications.get', { params: { notification_id: id }, query: { wait: '30' } })

  const listNotifications = (project_id: string): Promise<PlainResponse> => http.call('notifications.list', { query: { project_id } })

  /**
   * Waits until a bulk action is done and the messages that it queued are completed. Returns the action and its
   * project's notifications.
   */
  const awaitBulkAction = async ({ id, filter }: { id: string; filter: { project_id: string } }): Promise<PlainResponse[]> => {
    const done = await http.call('bulkActions.get', { params: { action_id: id }, query: { wait: '30' } })
    const { json } = await listNotifications(filter.project_id)
    for (const { id, deliveries } of json.data as readonly ListedNotification[]) if (deliveries.some(isDue)) await waitForCompletion(id)
    return [done, await listNotifications(filter.project_id)]
  }

  /** Lists a project's notifications after a deletion, to compare which deliveries the deletion canceled. */
  const listAfterDeletion = ({ request }: StepRequest): Promise<PlainResponse> =>
    listNotifications(request.query?.['project_id'] ?? request.params?.['project_id'] ?? '')

  return {
    run: async (step) => {
      if (step.advanceMs !== undefined && advancedMs + step.advanceMs <= maxAdvanceMs) {
        advancedMs += step.advanceMs
        await target.clock?.advance(step.advanceMs)
      }
      await target.tick()
      const sent = requestOf(step)
      const { method, path, request } = sent
      const response = await unchecked.raw(method, path, request)
      const answer = step.operation === 'settings.history' ? orderHistory(response) : await omitForeign(step, sent, response)
      // Records the resource before validating the response, so that the cleanup deletes it even after a contract violation.
      state.record(step, request, answer)
      verifyResponse(routeOf(step.operation), { method, path }, response)
      const results = [answer]
      const isRetried = step.operation === 'notifications.retry' && answer.status === 202 && answer.json.deliveries.some(isDue)
      // The messages must be completed before the next step. Otherwise, their statuses could differ between the two servers.
      if (sent.isImmediate || isRetried) for (const id of acceptedIn(step.operation, answer)) results.push(await waitForCompletion(id))
      if (step.operation === 'bulkActions.create' && answer.status === 202) results.push(...(await awaitBulkAction(answer.json)))
      if (deletions.includes(step.operation)) results.push(await listAfterDeletion(sent))
      return results.map(normalizer.normalize)
    },
    close: async () => {
      const failures: string[] = []
      const remove = async (operation: Operation, params: Record<string, string>): Promise<void> => {
        const path = buildOperationPath(routeOf(operation).route.path, params)
        const status = await unchecked.raw('DELETE', path).then(
          (response) => response.status,
          (error: unknown) => String(error),
        )
        if (status !== 204 && status !== 404) failures.push(`DELETE ${path}: ${status}`)
      }
      for (const project_id of state.projects) await remove('projects.delete', { project_id })
      for (const { id } of state.keys) await remove('apiKeys.delete', { key_id: id })
      if (failures.length > 0) throw new Error(`${target.name}: could not delete the sequence's resources: ${failures.join('; ')}`)
    },
  }
}
