import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features/bulk-actions'
const mock = 'packages/testing/src/features'

/** Bugs in bulk actions, in the server, the shared rules and the mock. */
export const bulkActionMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/bulk-actions.ts', [
    {
      name: 'a bulk action accepts a status that it cannot change',
      find: 'if (selected && isKnown && !selected',
      replace: 'if (!selected && isKnown && !selected',
      killedBy: /^bulkActions\.create 422: rejects a status/,
    },
    {
      name: 'a bulk action accepts an empty range of times',
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
      name: 'a bulk action includes later notifications',
      find: 'lastNotificationId: last?.id ?? lowestUuid',
      replace: 'lastNotificationId: highestUuid',
      killedBy: /^bulkActions\.create 202: (selects by status|includes no notification)/,
    },
    {
      name: 'a bulk action ignores created_before',
      find: 'given.created_before === undefined ? highestUuid',
      replace: 'given.created_before !== null ? highestUuid',
      killedBy: /^bulkActions\.create 202: selects by status/,
    },
    {
      name: 'a bulk action ignores created_after',
      find: 'notificationId: firstUuidOf(new Date(given.created_after))',
      replace: 'notificationId: lowestUuid',
      killedBy: /^bulkActions\.create 202: selects by status/,
    },
  ]),
  ...inFile(`${server}/selected-deliveries.ts`, [
    {
      name: 'a bulk action ignores the status',
      find: 'if (status !== null) conditions',
      replace: 'if (status === undefined) conditions',
      killedBy: /^bulkActions\.create 202: selects by status/,
    },
    {
      name: 'a bulk action ignores the flow',
      find: 'if (flow_id !== null) conditions',
      replace: 'if (flow_id === undefined) conditions',
      killedBy: /^bulkActions\.create 202: cancels the deliveries that match/,
    },
    {
      name: 'a bulk action ignores the provider',
      find: 'if (source_type !== null) conditions',
      replace: 'if (source_type === undefined) conditions',
      killedBy: /^bulkActions\.create 202: selects by status/,
    },
    {
      name: 'a bulk action ignores the kind of a failure',
      find: 'if (failure_kind !== null) conditions',
      replace: 'if (failure_kind === undefined) conditions',
      killedBy: /^bulkActions\.create 202: selects by status/,
    },
    {
      name: 'a bulk action ignores the code of a failure',
      find: 'if (failure_code !== null) conditions',
      replace: 'if (failure_code === undefined) conditions',
      killedBy: /^bulkActions\.create 202: (selects by status|retries the failed)/,
    },
    {
      name: 'a bulk action changes deliveries of other projects',
      find: 'where n.project_id = ${add(selection.projectId)} and n.id >= ',
      replace: 'where n.id <> ${add(selection.projectId)} and n.id >= ',
      killedBy: /^bulkActions\.create 202: changes nothing of other projects/,
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
      name: 'nobody hears that a bulk action is done',
      find: 'if (isDone) await notifyCompleted',
      replace: 'if (!isDone) await notifyCompleted',
      killedBy: /^bulkActions\.create 202/,
    },
  ]),
  ...inFile(`${server}/retry-deliveries.ts`, [
    {
      name: 'a bulk action of a test key retries live deliveries',
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
      killedBy: /^bulkActions\.get 404: returns not_found for the id of another user/,
    },
    {
      name: 'bulk actions are listed oldest first',
      find: 'id < $3 order by id desc',
      replace: 'id < $3 order by id',
      killedBy: /^bulkActions\.list 200: lists the actions/,
    },
  ]),
  ...inFile(`${server}/stop-bulk-action.ts`, [
    {
      name: 'a bulk action that is done becomes stopped',
      find: `where id = $1 and status = 'running' returning`,
      replace: `where id = $1 returning`,
      killedBy: /^bulkActions\.stop 200: stops an action/,
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
      name: 'a bulk action has no Location',
      find: 'headers: { Location: `/v1/bulk-actions/${action.id}` }',
      replace: 'headers: {}',
      killedBy: /^bulkActions\.create 202: replays the action/,
    },
  ]),
  ...inFile(`${mock}/bulk-action-runner.ts`, [
    {
      name: 'a bulk action of the mock ignores the provider',
      find: 'filter.source_type === null',
      replace: 'filter.source_type !== undefined',
      killedBy: /^bulkActions\.create 202: selects by status/,
    },
    {
      name: 'a bulk action of the mock includes deliveries of other projects',
      find: 'project_id === filter.project_id',
      replace: 'project_id !== undefined',
      killedBy: /^bulkActions\.create 20[02]/,
    },
    {
      name: 'a bulk action of the mock includes later notifications',
      find: 'id <= lastNotificationId && createdAt >= after',
      replace: 'id !== lastNotificationId && createdAt > after',
      killedBy: /^bulkActions\.create 202/,
    },
    {
      name: 'a bulk action of a test key retries live deliveries of the mock',
      find: '(delivery.notification.test || !record.isTest)',
      replace: 'delivery.status !== undefined',
      killedBy: /^bulkActions\.create 202: does not let a test key/,
    },
    {
      name: 'the mock ignores spread_seconds',
      find: 'requeueDelivery(delivery, leftMs > 0 ?',
      replace: 'requeueDelivery(delivery, leftMs < 0 ?',
      killedBy: /^bulkActions\.create 202: spreads/,
    },
  ]),
  ...inFile(`${mock}/bulk-actions.ts`, [
    {
      name: 'the mock shows bulk actions of other users',
      find: 'record.userId === userId && (projectId === undefined',
      replace: 'record.userId !== undefined && (projectId === undefined',
      killedBy: /^bulkActions\.get 404: returns not_found for the id of another user/,
    },
    {
      name: 'the mock shows a bound key the bulk actions of other projects',
      find: '(projectId === undefined || projectId === record.filter.project_id)',
      replace: 'projectId !== null',
      killedBy: /^bulkActions\.(list 200|get 404)/,
    },
    {
      name: 'the mock stops a bulk action that is done',
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
