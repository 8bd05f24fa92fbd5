import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/testing/src'

/** Bugs in the mock's notifications and deliveries. */
export const mockNotificationMutants: readonly Mutant[] = [
  ...inFile(`${folder}/features/accept-notification.ts`, [
    {
      name: 'the mock does not mark captured deliveries',
      find: 'captured: captured.has(flow.source_type)',
      replace: 'captured: false',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'the mock accepts a message for a provider without credentials',
      find: 'const rejection = rejectionOf(plan, missing)',
      replace: 'const rejection = rejectionOf(plan, new Set())',
      killedBy: /^notifications\.send 409: rejects a notification when the provider of its flow has no credentials/,
    },
    {
      name: 'the mock ignores send_at',
      find: 'next_attempt_at: at === undefined || suppression ? null : timestamp(context, at)',
      replace: 'next_attempt_at: null',
      killedBy: /^notifications\.send 202: creates a delivery/,
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
      find: '  parseSchedule(context, body)\n  const project',
      replace: '  const project',
      killedBy: /^notifications\.preview 422/,
    },
  ]),
  ...inFile(`${folder}/features/notifications.ts`, [
    {
      name: 'the mock returns notifications of other users',
      find: 'if (!notification || notification.userId !== principal.userId || isBoundElsewhere) throw notFound()',
      replace: 'if (!notification || isBoundElsewhere) throw notFound()',
      killedBy: /^notifications\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'the mock returns no Location for an accepted notification',
      find: 'body: toNotification(notification), headers: { Location: `/v1/notifications/${notification.id}` } }',
      replace: 'body: toNotification(notification) }',
      killedBy: /^notifications\.send 202: creates a delivery/,
    },
    {
      name: 'the mock lists notifications oldest first',
      find: `parsePageRequest('notifications', 'newest first'`,
      replace: `parsePageRequest('notifications', 'oldest first'`,
      killedBy: /^notifications\.list 200/,
    },
    {
      name: 'the mock accepts a notification cursor with other filters',
      find: '{ ...filters, user_id: principal.userId }, { limit, cursor }',
      replace: '{ user_id: principal.userId }, { limit, cursor }',
      killedBy: /^notifications\.list 400: rejects a cursor with different filters/,
    },
    {
      name: 'in the mock, a key that expires during a wait stays valid',
      find: '        reverifyKey(context, principal)\n',
      replace: '',
      killedBy: /^notifications\.get 401/,
    },
    {
      name: 'in the mock, a wait ends too early',
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
      name: 'in the mock, a wait always takes the whole time',
      find: 'const stopWatching = completion.onCompleted(notification.id, end)',
      replace: `const stopWatching = completion.onCompleted('other', end)`,
      killedBy: /^notifications\.get 200: ends a wait when the last delivery has a final status/,
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
      name: "in the mock, a filter accepts another user's project",
      find: 'store.projects.get(id)?.userId === principal.userId ||',
      replace: 'store.projects.has(id) ||',
      killedBy: /^notifications\.list 404/,
    },
    {
      name: "in the mock, a filter accepts another user's flow",
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
      killedBy: /^notifications\.deliveries 200: pages through all/,
    },
    {
      name: 'in the mock, a list of deliveries has at most 20 attempts for each delivery',
      find: 'DeliveryWithAttempts => withAttempts(record, maxListedAttempts)',
      replace: 'DeliveryWithAttempts => withAttempts(record, maxEmbeddedAttempts)',
      killedBy: /^notifications\.get 200: embeds only the latest 20/,
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
      name: 'in the mock, one user may fill the queue',
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
      name: 'in the mock, a canceled delivery still has a next attempt',
      find: `delivery.status = 'canceled'\n  delivery.next_attempt_at = null`,
      replace: `delivery.status = 'canceled'`,
      killedBy: /^notifications\.cancel 200: cancels pending deliveries/,
    },
    {
      name: 'in the mock, deleting a flow cancels all deliveries',
      find: '(flow_id === of.flowId || notification.project_id === of.projectId) && ',
      replace: '',
      killedBy: /^flows\.delete 204: cancels only the flow's deliveries/,
    },
    {
      name: 'the mock retries deliveries of deleted flows',
      find: 'retryable.has(status) && content !== null && context.store.flows.has(flow_id)',
      replace: `retryable.has(status) && content !== null && flow_id !== ''`,
      killedBy: /^notifications\.retry 202: queues only failed deliveries whose/,
    },
    {
      name: 'in the mock, a retry keeps the failure of the last attempt',
      find: `delivery.status = 'queued'\n  delivery.failure = null`,
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
      name: 'in the mock, captured messages change the health of a flow',
      find: 'if (!flow || delivery.captured || (delivery',
      replace: 'if (!flow || (delivery',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: "in the mock, messages to a flow's previous provider change the flow's health",
      find: 'if (delivery.source_type !== flow.source_type) return',
      replace: '',
      killedBy: /^flows\.get 200: does not count failures of the previous provider/,
    },
    {
      name: 'in the mock, messages do not change the health of a flow',
      find: 'if (isSameHealth(flow.condition, condition)) return',
      replace: 'if (!isSameHealth(flow.condition, condition)) return',
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
