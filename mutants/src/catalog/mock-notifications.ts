import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/testing/src'

/** Bugs of the mock in notifications and their delivery. */
export const mockNotificationMutants: readonly Mutant[] = [
  ...inFile(`${folder}/features/accept-notification.ts`, [
    {
      name: 'a captured delivery of the mock does not say so',
      find: 'captured: captured.has(flow.source_type)',
      replace: 'captured: false',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'the mock accepts a message without credentials',
      find: 'const rejection = rejectionOf(plan, missing)',
      replace: 'const rejection = rejectionOf(plan, new Set())',
      killedBy: /^notifications\.send 409: rejects a flow without credentials/,
    },
    {
      name: 'the mock ignores send_at',
      find: 'next_attempt_at: at === undefined || suppression ? null : timestamp(context, at)',
      replace: 'next_attempt_at: null',
      killedBy: /^notifications\.send 202: accepts a message/,
    },
  ]),
  ...inFile(`${folder}/features/plan-notification.ts`, [
    {
      name: 'the mock ignores flow_id',
      find: '(flowId === undefined || flow.id === flowId)',
      replace: 'flow.id !== undefined',
      killedBy: /^notifications\.(send|list) /,
    },
    {
      name: 'the mock does not validate send_at in a preview',
      find: '  parseSchedule(body, context.clock.now())\n  const project',
      replace: '  const project',
      killedBy: /^notifications\.preview 422/,
    },
  ]),
  ...inFile(`${folder}/features/notifications.ts`, [
    {
      name: 'the mock reads notifications of other users',
      find: 'if (!notification || notification.userId !== principal.userId || isBoundElsewhere) throw notFound()',
      replace: 'if (!notification || isBoundElsewhere) throw notFound()',
      killedBy: /^notifications\.get 404: returns not_found for the id of another user/,
    },
    {
      name: 'the mock returns no Location for an accepted notification',
      find: 'body: toNotification(notification), headers: { Location: `/v1/notifications/${notification.id}` } }',
      replace: 'body: toNotification(notification) }',
      killedBy: /^notifications\.send 202: accepts a message/,
    },
    {
      name: 'the mock lists notifications oldest first',
      find: `parsePageRequest('notifications', 'newest first'`,
      replace: `parsePageRequest('notifications', 'oldest first'`,
      killedBy: /^notifications\.list 200/,
    },
    {
      name: 'the mock accepts a cursor of notifications with other filters',
      find: '{ ...filters, user_id: principal.userId }, { limit, cursor }',
      replace: '{ user_id: principal.userId }, { limit, cursor }',
      killedBy: /^notifications\.list 400: rejects a cursor with different filters/,
    },
    {
      name: 'a key of the mock that expires during a wait stays valid',
      find: '        reverifyKey(context, principal)\n',
      replace: '',
      killedBy: /^notifications\.get 401/,
    },
    {
      name: 'a wait of the mock ends too early',
      find: 'query.wait * 1_000',
      replace: 'query.wait * 100',
      killedBy: /^notifications\.get (200|401): .*wait/,
    },
    {
      name: 'the mock does not wait',
      find: 'if (query.wait !== undefined && !isCompleted(notification)) {',
      replace: 'if (query.wait !== undefined && query.wait > 60) {',
      killedBy: /^notifications\.get (200|401): .*wait/,
    },
    {
      name: 'a wait of the mock always takes the whole time',
      find: 'const stopWatching = completion.onCompleted(notification.id, end)',
      replace: `const stopWatching = completion.onCompleted('other', end)`,
      killedBy: /^notifications\.get 200: ends a wait when the last delivery is final/,
    },
    {
      name: 'the mock does not send a retried message',
      find: 'for (const delivery of retryNotification(context, completion, notification)) dispatcher.enqueue(delivery)',
      replace: 'retryNotification(context, completion, notification)',
      killedBy: /^notifications\.retry 202/,
    },
  ]),
  ...inFile(`${folder}/features/notification-filters.ts`, [
    {
      name: 'the mock lists notifications of other users',
      find: 'notification.userId === principal.userId &&',
      replace: '',
      killedBy: /^notifications\.list 200: omits/,
    },
    {
      name: 'the mock ignores the filter by status',
      find: '(filters.status === undefined || notification.status === filters.status)',
      replace: 'notification.status !== undefined',
      killedBy: /^notifications\.list 200: filters by flow and by status/,
    },
    {
      name: 'a filter of the mock accepts the project of another user',
      find: 'store.projects.get(id)?.userId === principal.userId ||',
      replace: 'store.projects.has(id) ||',
      killedBy: /^notifications\.list 404/,
    },
    {
      name: 'a filter of the mock accepts the flow of another user',
      find: 'const isOwn = store.projects.get(projectId)?.userId === principal.userId &&',
      replace: 'const isOwn = store.projects.has(projectId) &&',
      killedBy: /^notifications\.list 404/,
    },
  ]),
  ...inFile(`${folder}/features/notification.serializer.ts`, [
    {
      name: 'the mock embeds all deliveries',
      find: 'deliveries: record.deliveries.slice(0, maxEmbeddedDeliveries).map(toDelivery)',
      replace: 'deliveries: record.deliveries.map(toDelivery)',
      killedBy: /^notifications\.deliveries 200: lists all deliveries/,
    },
  ]),
  ...inFile(`${folder}/features/queue-limit.ts`, [
    {
      name: 'the mock has no queue limit',
      find: 'requireQueueCapacity(context.settings.queueLimit, pending, count)',
      replace: 'requireQueueCapacity(Number.POSITIVE_INFINITY, pending, count)',
      killedBy: /^any 503/,
    },
    {
      name: 'a user of the mock may fill the queue',
      find: 'if (notification.userId === userId) pending.ofUser += 1',
      replace: '',
      killedBy: /^any 503/,
    },
    {
      name: 'the mock counts scheduled and due deliveries together',
      find: ' || isScheduled(context, delivery) !== scheduled',
      replace: '',
      killedBy: /^any 503/,
    },
  ]),
  ...inFile(`${folder}/features/change-deliveries.ts`, [
    {
      name: 'a canceled delivery of the mock still has a next attempt',
      find: `delivery.status = 'canceled'\n  delivery.next_attempt_at = null`,
      replace: `delivery.status = 'canceled'`,
      killedBy: /^notifications\.cancel 200: cancels pending deliveries/,
    },
    {
      name: 'deleting a flow of the mock cancels all deliveries',
      find: '(flow_id === of.flowId || notification.project_id === of.projectId) && ',
      replace: '',
      killedBy: /^flows\.delete 204: cancels only the deliveries of the flow/,
    },
    {
      name: 'the mock retries deliveries of deleted flows',
      find: 'retryable.has(status) && content !== null && context.store.flows.has(flow_id)',
      replace: `retryable.has(status) && content !== null && flow_id !== ''`,
      killedBy: /^notifications\.retry 202: queues only the failed deliveries/,
    },
    {
      name: 'a retry of the mock keeps the failure of the last attempt',
      find: `delivery.status = 'queued'\n    delivery.failure = null`,
      replace: `delivery.status = 'queued'`,
      killedBy: /^notifications\.retry 202/,
    },
  ]),
  ...inFile(`${folder}/delivery/dispatcher.ts`, [
    {
      name: 'the mock does not set sent_at',
      find: 'delivery.sent_at = timestamp(context)',
      replace: '',
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
    {
      name: 'the mock reports the attempt of a captured message as sent',
      find: `outcome.status === 'sent' && delivery.captured ? 'captured' : outcome.status`,
      replace: 'outcome.status',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'captured messages of the mock change the health of a flow',
      find: 'if (!flow || delivery.captured || (delivery',
      replace: 'if (!flow || (delivery',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'messages of the mock do not change the health of a flow',
      find: 'if (!isSameHealth(flow.condition, condition)) context.store',
      replace: 'if (isSameHealth(flow.condition, condition)) context.store',
      killedBy: /^flows\.get 200: returns unhealthy after/,
    },
    {
      name: 'the mock sends a scheduled message immediately',
      find: 'if (delayMs > 0) clock.schedule(() => startAttempt(delivery), delayMs)\n    else due.push(delivery)',
      replace: 'delivery.next_attempt_at = delayMs > 0 ? null : delivery.next_attempt_at\n    due.push(delivery)',
      killedBy: /^notifications\.get 200/,
    },
  ]),
]
