import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

/** Server and mock bugs in idempotency, conditional requests, waits, filters and keys. */
export const requestMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/idempotency.ts', [
    {
      name: 'a repeated body with another order of fields is a different request',
      find: '.sort(([a], [b]) => (a < b ? -1 : 1))',
      replace: '',
      killedBy: /^notifications\.send 422: rejects an idempotency key that was used with a different ref/,
    },
  ]),
  ...inFile('apps/api/src/features/settings/settings.routes.ts', [
    {
      name: 'the export of settings ignores If-None-Match',
      find: 'if (isNotModified(req.get(\'if-none-match\'), `"${digest}"`)) return { status: 304, body: undefined }\n',
      replace: '',
      killedBy: /^settings\.export 304/,
    },
  ]),
  ...inFile('apps/api/src/features/bulk-actions/bulk-action.routes.ts', [
    {
      // The description of bulkActions.get says: "If the credential is revoked or expires during the wait, the response is 401."
      name: 'a key that expires during a wait for a bulk action stays valid',
      find: "      await verifyAgain(deps.verifyToken, req.get('authorization'))\n",
      replace: '',
      killedBy: /^bulkActions\.get 401: rejects a key that expires/,
    },
  ]),
  ...inFile('apps/api/src/features/notifications/list-notifications.ts', [
    {
      // According to the description of notifications.list, the filters "must match the same delivery".
      name: 'the filters of a search may match different deliveries',
      find: "${onDelivery.length > 0 ? withDelivery : ''} order by c.id desc",
      replace:
        "${onDelivery.map((condition, at) => `cross join lateral (select 1 from deliveries d where d.notification_id = c.id and ${condition} limit 1) matched_${at}`).join(' ')} order by c.id desc",
      killedBy: /^notifications\.list 200: requires all delivery filters/,
    },
    {
      name: "a credential for one project may filter by another project's flow",
      find: '|| (principal.projectId ?? row.project_id) !== row.project_id',
      replace: '',
      killedBy: /^notifications\.list 200: lists only the notifications in the cred/,
    },
  ]),
  ...inFile('packages/testing/src/features/notification-filters.ts', [
    {
      // According to the description of notifications.list, the filters "must match the same delivery".
      name: 'in the mock, the filters of a search may match different deliveries',
      find: 'notification.deliveries.some((delivery) => matchesDelivery(context, delivery, filters))',
      replace:
        'Object.entries(filters).every(([name, value]) => notification.deliveries.some((delivery) => matchesDelivery(context, delivery, { [name]: value })))',
      killedBy: /^notifications\.list 200: requires all delivery filters/,
    },
    ...(['code', 'kind'] as const).map((field) => ({
      name: `in the mock, the filter failure_${field} may match another delivery than the other filters`,
      find: `delivery.failure?.${field} === failure_${field}`,
      replace: `delivery.notification.deliveries.some(({ failure }) => failure?.${field} === failure_${field})`,
      killedBy: /^notifications\.list 200: omits a notification if one delivery matches/,
    })),
  ]),
  ...inFile('packages/testing/src/features/api-keys.ts', [
    {
      name: 'the mock does not revoke the keys that a child of a revoked key created',
      find: 'if (key.parentId === id) revoke(context, key.id)',
      replace: 'if (key.parentId === id) context.store.apiKeys.delete(key.id)',
      killedBy: /^apiKeys\.delete 204: immediately revokes/,
    },
  ]),
  ...inFile('packages/testing/src/features/send-batch.ts', [
    {
      name: 'in the mock, a notification in a batch cannot be repeated alone with its idempotency key',
      find: 'body: item, isReplayable: true',
      replace: 'body: input, isReplayable: true',
      killedBy: /^notifications\.sendBatch 200/,
    },
  ]),
  ...inFile('packages/testing/src/features/event-endpoints.ts', [
    {
      name: 'the mock lists push attempts oldest first',
      find: "parsePageRequest('event-attempts', 'newest first'",
      replace: "parsePageRequest('event-attempts', 'oldest first'",
      killedBy: /^eventEndpoints\.attempts 200: lists the attempts in pages/,
    },
  ]),
  ...inFile('packages/testing/src/features/integrations.ts', [
    {
      // According to the description of a flow's health, `status` is `unknown` after its credential changes.
      name: 'the mock does not reset the health of flows when credentials are deleted',
      find: "{ kind: 'integration', before: integration })\n  resetFlowHealth(context, projectId, sourceType)",
      replace: "{ kind: 'integration', before: integration })",
      killedBy: /^integrations\.delete 204: resets the health/,
    },
  ]),
]
