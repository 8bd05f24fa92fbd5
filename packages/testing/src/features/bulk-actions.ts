import { type DeliveryCount, findBulkActionErrors, notFound, requireBulkActionCapacity, toPreviewCounts } from '@flowpost/contract/rules'
import type { CompletionTracker } from '../delivery/completion.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { reverifyKey } from '../http/authenticate.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { BulkAction, BulkActionCreate } from '../state/api-types.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { BulkActionRecord, DeliveryRecord } from '../state/store.ts'
import { createBulkActionRunner, selectDeliveries } from './bulk-action-runner.ts'
import { findProject } from './projects.ts'

const toBulkAction = (record: BulkActionRecord): BulkAction => {
  const { id, action, status, filter, spread_seconds, matched, done, skipped, created_at, completed_at } = record
  return { id, action, status, filter, spread_seconds, matched, done, skipped, created_at, completed_at }
}

const toIso = (time: string): string => new Date(time).toISOString()

/** Counts deliveries by status and failure code. */
const countDeliveries = (deliveries: readonly DeliveryRecord[]): DeliveryCount[] => {
  const counts = new Map<string, DeliveryCount>()
  for (const { status, failure } of deliveries) {
    const failure_code = failure?.code ?? null
    const key = JSON.stringify([status, failure_code])
    counts.set(key, { status, failure_code, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return toPreviewCounts(counts.values())
}

/** Returns the issues in a request body that the schema cannot detect. */
export const bulkActionBodyIssues = findBulkActionErrors

/** Creates the handlers of the bulk action operations. */
export const createBulkActions = (
  context: MockContext,
  deps: { readonly dispatcher: Dispatcher; readonly completion: CompletionTracker },
): Handlers<'bulkActions'> => {
  const { clock, store } = context
  const runner = createBulkActionRunner(context, deps)

  /** Returns a bulk action that the principal may access. @throws {ApiError} `not_found`. */
  const find = (principal: Principal, id: string | undefined): BulkActionRecord => {
    const record = store.bulkActions.get(id ?? '')
    if (!record || !isVisible(principal, record)) throw notFound()
    return record
  }

  const isVisible = ({ userId, projectId }: Principal, record: BulkActionRecord): boolean =>
    record.userId === userId && (projectId === undefined || projectId === record.filter.project_id)

  /**
   * Creates the record of a new action.
   *
   * @throws {ApiError} `not_found` for an unknown project, or for a flow that does not belong to the project.
   */
  const toRecord = (principal: Principal, { action, filter, spread_seconds = 0 }: BulkActionCreate): BulkActionRecord => {
    const project = findProject(context, principal, filter.project_id)
    if (filter.flow_id !== undefined && store.flows.get(filter.flow_id)?.project_id !== project.id) throw notFound()
    return {
      id: context.generateId('bulkAction'),
      userId: principal.userId,
      isTest: principal.mode === 'test',
      action,
      status: 'running',
      filter: {
        project_id: project.id,
        created_after: toIso(filter.created_after),
        created_before: filter.created_before === undefined ? null : toIso(filter.created_before),
        flow_id: filter.flow_id ?? null,
        source_type: filter.source_type ?? null,
        status: filter.status ?? null,
        failure_kind: filter.failure_kind ?? null,
        failure_code: filter.failure_code ?? null,
      },
      spread_seconds,
      matched: 0,
      done: 0,
      skipped: 0,
      created_at: timestamp(context),
      completed_at: null,
      lastNotificationId: [...store.notifications.keys()].at(-1) ?? '',
      lastDeliveryId: '',
    }
  }

  const requireCapacity = ({ userId }: Principal): void => {
    const running = [...store.bulkActions.values()].filter((record) => record.userId === userId && record.status === 'running')
    requireBulkActionCapacity(running.length)
  }

  /** Resolves when the action is no longer running, when `signal` is aborted, or after `waitMs` on the mock's clock. */
  const waitForEnd = (record: BulkActionRecord, waitMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        stopWatching()
        stopTimer()
        resolve()
      }
      const stopWatching = runner.onEnd(record.id, end)
      const stopTimer = clock.scheduleAwaited(end, waitMs)
      signal.addEventListener('abort', end, { once: true })
    })

  return {
    create: ({ principal, body }) => {
      const record = toRecord(principal, body)
      if (body.dry_run) {
        const deliveries = selectDeliveries(context, record)
        return { status: 200, body: { matched: deliveries.length, is_complete: true, counts: countDeliveries(deliveries) } }
      }
      requireCapacity(principal)
      store.bulkActions.set(record.id, record)
      const created = toBulkAction(record)
      runner.run(record)
      return { status: 202, body: created, headers: { Location: `/v1/bulk-actions/${record.id}` } }
    },

    list: ({ principal, query }) => {
      const request = parsePageRequest('bulk-actions', 'newest first', { user_id: principal.userId }, query)
      const rows = [...store.bulkActions.values()].filter((record) => isVisible(principal, record))
      return { status: 200, body: createPage(request, rows, toBulkAction) }
    },

    get: async ({ principal, params, query, signal }) => {
      const record = find(principal, params.action_id)
      if (query.wait !== undefined && record.status === 'running') {
        await waitForEnd(record, query.wait * 1_000, signal)
        reverifyKey(context, principal)
      }
      return { status: 200, body: toBulkAction(record) }
    },

    stop: ({ principal, params }) => {
      const record = find(principal, params.action_id)
      if (record.status === 'running') runner.end(record, 'stopped')
      return { status: 200, body: toBulkAction(record) }
    },
  }
}
