import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features/bulk-actions'
const mock = 'packages/testing/src/features'

/** Bugs in bulk actions: in the server, the mock and the rules that both share. */
export const bulkActionMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/bulk-actions.ts', [
    {
      // The description of bulkActions.create says: "A user can have 10 running actions".
      name: 'a user can have eleven running bulk actions',
      find: 'if (running < maxRunningBulkActions) return',
      replace: 'if (running <= maxRunningBulkActions) return',
      killedBy: /^any 429: limits each user to 10 running bulk actions/,
    },
    {
      name: 'a bulk action accepts a status that it cannot change',
      find: 'if (selected && isKnown && !selected',
      replace: 'if (!selected && isKnown && !selected',
      killedBy: /^bulkActions\.create 422: rejects a status/,
    },
    {
      name: 'a bulk action accepts an empty time range',
      find: 'timeOf(before) <= timeOf(after)',
      replace: 'timeOf(before) < timeOf(after)',
      killedBy: /^bulkActions\.create 422: rejects a status/,
    },
  ]),
  ...inFile(`${server}/resolve-range.ts`, [
    {
      name: 'a bulk action accepts a flow of another project',
      find: 'if (filter.flow_id !== null) await getFlow',
      replace: 'if (filter.flow_id === undefined) await getFlow',
      killedBy: /^bulkActions\.create 404: returns not_found for an unknown project/,
    },
    {
      name: 'a bulk action includes notifications that were created after it',
      find: 'lastNotificationId: last?.id ?? lowestUuid',
      replace: 'lastNotificationId: highestUuid',
      killedBy: /^bulkActions\.create 202: (selects deliveries by status|excludes notifications)/,
    },
    {
      name: 'a bulk action ignores created_before',
      find: 'given.created_before === undefined ? highestUuid',
      replace: 'given.created_before !== null ? highestUuid',
      killedBy: /^bulkActions\.create 202: selects deliveries by status/,
    },
    {
      name: 'a bulk action ignores created_after',
      find: 'notificationId: firstUuidOf(new Date(given.created_after))',
      replace: 'notificationId: lowestUuid',
      killedBy: /^bulkActions\.create 202: selects deliveries by status/,
    },
  ]),
  ...inFile(`${server}/selected-deliveries.ts`, [
    {
      name: 'a bulk action ignores the status',
      find: 'if (status !== null) conditions',
      replace: 'if (status === undefined) conditions',
      killedBy: /^bulkActions\.create 202: selects deliveries by status/,
    },
    {
      name: 'a bulk action ignores the flow',
      find: 'if (flow_id !== null) conditions',
      replace: 'if (flow_id === undefined) conditions',
      killedBy: /^bulkActions\.create 202: cancels each matching delivery once/,
    },
    {
      name: 'a bulk action ignores the provider',
      find: 'if (source_type !== null) conditions',
      replace: 'if (source_type === undefined) conditions',
      killedBy: /^bulkActions\.create 202: selects deliveries by status/,
    },
    {
      name: 'a bulk action ignores the failure kind',
      find: 'if (failure_kind !== null) conditions',
      replace: 'if (failure_kind === undefined) conditions',
      killedBy: /^bulkActions\.create 202: selects deliveries by status/,
    },
    {
      name: 'a bulk action ignores the failure code',
      find: 'if (failure_code !== null) conditions',
      replace: 'if (failure_code === undefined) conditions',
      killedBy: /^bulkActions\.create 202: (selects deliveries by status|retries each matching)/,
    },
    {
      name: 'a bulk action changes deliveries of other projects',
      find: 'where n.project_id = ${add(selection.projectId)} and n.id >= ',
      replace: 'where n.id <> ${add(selection.projectId)} and n.id >= ',
      killedBy: /^bulkActions\.create 202: leaves other projects unchanged/,
    },
  ]),
  ...inFile(`${server}/run-step.ts`, [
    {
      name: 'a bulk action does not count skipped deliveries',
      find: 'skipped: action.skipped + matched - changed.length',
      replace: 'skipped: action.skipped',
      killedBy: /^bulkActions\.create 202: skips the deliveries/,
    },
    {
      name: 'a waiting reader is not notified that a bulk action is done',
      find: 'if (isDone) await notifyCompleted',
      replace: 'if (!isDone) await notifyCompleted',
      killedBy: /^bulkActions\.create 202/,
    },
  ]),
  ...inFile(`${server}/retry-deliveries.ts`, [
    {
      name: 'a bulk action created with a test key retries live deliveries',
      find: 'test || !action.test',
      replace: 'test || action.test || !test',
      killedBy: /^bulkActions\.create 202: does not let a test key/,
    },
    {
      name: 'a bulk action ignores spread_seconds',
      find: 'return leftMs > 0 ?',
      replace: 'return leftMs < 0 ?',
      killedBy: /^bulkActions\.create 202: spreads/,
    },
  ]),
  ...inFile(`${server}/bulk-action.queries.ts`, [
    {
      name: 'a bound key sees the bulk actions of other projects',
      find: '($2::uuid is null or project_id = $2)',
      replace: '($2::uuid is null or project_id is not null)',
      killedBy: /^bulkActions\.(list 200|get 404)/,
    },
    {
      name: 'a list contains the bulk actions of other users',
      find: 'user_id = $1 and',
      replace: 'user_id is not null and $1::text is not null and',
      killedBy: /^bulkActions\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'bulk actions are listed oldest first',
      find: 'id < $3 order by id desc',
      replace: 'id < $3 order by id',
      killedBy: /^bulkActions\.list 200: pages through the/,
    },
  ]),
  ...inFile(`${server}/stop-bulk-action.ts`, [
    {
      name: 'stopping a bulk action that is done changes its status to stopped',
      find: `where id = $1 and status = 'running' returning`,
      replace: `where id = $1 returning`,
      killedBy: /^bulkActions\.stop 200: stops a running/,
    },
  ]),
  ...inFile(`${server}/bulk-action.routes.ts`, [
    {
      name: 'a dry run creates a bulk action',
      find: 'if (body.dry_run) {',
      replace: 'if (body.dry_run === undefined) {',
      killedBy: /^bulkActions\.create 200: counts/,
    },
    {
      name: 'creating a bulk action returns no Location',
      find: 'headers: { Location: `/v1/bulk-actions/${action.id}` }',
      replace: 'headers: {}',
      killedBy: /^bulkActions\.create 202: replays the response/,
    },
  ]),
  ...inFile(`${mock}/bulk-action-runner.ts`, [
    {
      name: 'in the mock, a bulk action ignores the provider',
      find: 'filter.source_type === null',
      replace: 'filter.source_type !== undefined',
      killedBy: /^bulkActions\.create 202: selects deliveries by status/,
    },
    {
      name: 'in the mock, a bulk action includes deliveries of other projects',
      find: 'project_id === filter.project_id',
      replace: 'project_id !== undefined',
      killedBy: /^bulkActions\.create 20[02]/,
    },
    {
      name: 'in the mock, a bulk action includes notifications that were created after it',
      find: 'id <= lastNotificationId && createdAt >= after',
      replace: 'id !== lastNotificationId && createdAt > after',
      killedBy: /^bulkActions\.create 202/,
    },
    {
      name: 'in the mock, a bulk action created with a test key retries live deliveries',
      find: '(delivery.notification.test || !record.isTest)',
      replace: 'delivery.status !== undefined',
      killedBy: /^bulkActions\.create 202: does not let a test key/,
    },
    {
      name: 'the mock ignores spread_seconds in a bulk action',
      find: 'requeueDelivery(context, delivery, leftMs > 0 ?',
      replace: 'requeueDelivery(context, delivery, leftMs < 0 ?',
      killedBy: /^bulkActions\.create 202: spreads/,
    },
    {
      // The description of the filter says: "`cancel` also selects deliveries that are being sent. It does not cancel them, but
      // counts them as skipped."
      name: 'in the mock, a bulk cancellation does not count deliveries that are being sent',
      find: 'cancel: new Set(openStatuses) }',
      replace: "cancel: new Set(statusesBefore('canceled')) }",
      killedBy: /^bulkActions\.create 202: skips deliveries that are being sent/,
    },
  ]),
  ...inFile(`${mock}/bulk-actions.ts`, [
    {
      name: 'the mock shows bulk actions of other users',
      find: 'record.userId === userId && (projectId === undefined',
      replace: 'record.userId !== undefined && (projectId === undefined',
      killedBy: /^bulkActions\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'the mock shows a bound key the bulk actions of other projects',
      find: '(projectId === undefined || projectId === record.filter.project_id)',
      replace: 'projectId !== null',
      killedBy: /^bulkActions\.(list 200|get 404)/,
    },
    {
      name: 'the mock changes the status of a bulk action that is done to stopped',
      find: `if (record.status === 'running') runner.end(record, 'stopped')`,
      replace: `runner.end(record, 'stopped')`,
      killedBy: /^bulkActions\.stop 200/,
    },
    {
      name: 'the mock accepts a flow of another project for a bulk action',
      find: `store.flows.get(filter.flow_id)?.project_id !== project.id`,
      replace: `!store.flows.has(filter.flow_id)`,
      killedBy: /^bulkActions\.create 404: returns not_found for an unknown project/,
    },
  ]),
]
