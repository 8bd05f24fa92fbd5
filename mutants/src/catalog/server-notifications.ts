import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/notifications'

/** Bugs in how the server accepts, returns, cancels and retries notifications. */
export const serverNotificationMutants: readonly Mutant[] = [
  ...inFile(`${folder}/accept-notification.ts`, [
    {
      name: 'an accepted notification has no Location',
      find: 'return { status: 202, body, headers: { Location: `/v1/notifications/${body.id}` } }',
      replace: 'return { status: 202, body, headers: {} }',
      killedBy: /^notifications\.send 202: creates a delivery/,
    },
  ]),
  ...inFile(`${folder}/prepare-notification.ts`, [
    {
      name: 'a captured delivery is not marked',
      find: 'captured: captured.has(flow.source_type)',
      replace: 'captured: false',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'send_at is ignored',
      find: 'const nextAttemptAt = at?.toISOString() ?? null',
      replace: 'const nextAttemptAt: string | null = null',
      killedBy: /^notifications\.send 202: creates a delivery/,
    },
    {
      name: 'a message for a provider without credentials is accepted',
      find: 'const rejection = rejectionOf(plan, missing)',
      replace: 'const rejection = rejectionOf(plan, new Set())',
      killedBy: /^notifications\.send 409: rejects a notification when the provider of its flow has no credentials/,
    },
  ]),
  ...inFile(`${folder}/store-notifications.ts`, [
    {
      name: 'a scheduled message is sent immediately',
      find: 'due_at: prepared.at,',
      replace: 'due_at: null,',
      killedBy: /^notifications\.(get 200: returns a notification (as|with)|cancel 200: cancels pending|list 200)/,
    },
    {
      name: 'the subject of a message is not stored',
      find: 'subject: prepared.notification.subject,',
      replace: 'subject: null,',
      killedBy: /^notifications\.get 200: returns the same notification as the send request/,
    },
    {
      name: 'the response to an accepted notification is not stored',
      find: 'has_key: storedResponse !== undefined,',
      replace: 'has_key: false,',
      killedBy: /^notifications\.send 202: accepts only one notification for concurrent/,
    },
  ]),
  ...inFile(`${folder}/send-context.ts`, [
    {
      name: 'a flow_id from another project is ignored',
      find: 'if (!project || (flowId !== undefined && project.flows.length === 0)) throw notFound()',
      replace: 'if (!project) throw notFound()',
      killedBy: /^notifications\.send 404/,
    },
    {
      name: 'flow_id is ignored',
      find: 'const project = await projectFlows(database, userId, projectId, flowId)',
      replace: 'const project = await projectFlows(database, userId, projectId, undefined)',
      killedBy: /^notifications\.(send|list) /,
    },
    {
      name: 'flows stay cached for sending after they have changed',
      find: 'return project && { value: project, tags,',
      replace: 'return project && { value: project, tags: [],',
      killedBy: /^notifications\.send 409: rejects a flow that has just become inactive/,
    },
  ]),
  ...inFile(`${folder}/preview-notification.ts`, [
    {
      name: 'a preview does not validate send_at',
      find: '  parseSchedule(body, clock.now(), channels)\n',
      replace: '',
      killedBy: /^notifications\.preview 422/,
    },
    {
      name: 'a preview of an unknown flow is empty',
      find: 'if (uuid !== undefined && flows.length === 0) throw notFound()',
      replace: '',
      killedBy: /^notifications\.preview 404: returns not_found for a flow/,
    },
  ]),
  ...inFile(`${folder}/list-notifications.ts`, [
    {
      name: 'a credential for one project lists the notifications of all projects',
      find: 'filters.project_id === undefined ? principal.projectId :',
      replace: 'filters.project_id === undefined ? undefined :',
      killedBy: /^notifications\.list 200: lists only the notifications in the credential's/,
    },
    {
      name: 'notifications are listed oldest first',
      find: 'lookup(notificationConditions(filters, add))} order by c.id desc`',
      replace: 'lookup(notificationConditions(filters, add))} order by c.id`',
      killedBy: /^notifications\.list 200/,
    },
    {
      name: 'the filter by status is ignored',
      find: 'status: filters.status,',
      replace: 'status: undefined,',
      killedBy: /^notifications\.list 200: filters by flow and by status/,
    },
    {
      name: 'the filter by flow is ignored',
      find: 'flowId: filters.flow_id === undefined ? undefined : await findFlowId(on, principal, filters.flow_id)',
      replace: 'flowId: undefined as string | undefined',
      killedBy: /^notifications\.list 200: filters by flow and by status/,
    },
    {
      name: 'the second page of notifications starts over',
      find: 'earlier(page.before ?? highestUuid,',
      replace: 'earlier(highestUuid,',
      killedBy: /^notifications\.list 200: pages through a project's notifications, newest first/,
    },
    {
      name: 'the notifications of a deleted project are not found',
      find: 'union all select user_id from notifications where project_id = $1 limit 1',
      replace: 'limit 1',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries when the flow or project is deleted/,
    },
    {
      name: 'the notifications of a deleted flow are not found',
      find: 'union all select user_id, project_id from deliveries where flow_id = $1 limit 1',
      replace: 'limit 1',
      killedBy: /^notifications\.list 200/,
    },
    {
      name: "a filter accepts another user's project",
      find: 'if (row?.user_id !== principal.userId) throw notFound()',
      replace: 'if (!row) throw notFound()',
      killedBy: /^notifications\.list 404/,
    },
    {
      name: "a filter accepts another user's flow",
      find: 'if (row?.user_id !== principal.userId || ',
      replace: 'if (!row || ',
      killedBy: /^notifications\.list 404/,
    },
    {
      name: 'the filter by reference is ignored',
      find: 'reference: filters.reference,',
      replace: 'reference: undefined,',
      killedBy: /^notifications\.list 200: filters by exact/,
    },
    {
      name: 'the filter by provider is ignored',
      find: '    sourceType,\n    failureKind',
      replace: '    sourceType: undefined,\n    failureKind',
      killedBy: /^notifications\.list 200: filters by a target's canonical form/,
    },
    {
      name: 'created_before includes a notification from exactly that time',
      find: 'firstUuidOf(new Date(until))',
      replace: 'firstUuidOf(new Date(Date.parse(until) + 1))',
      killedBy: /^notifications\.list 200: filters by acceptance time, with created_after/,
    },
  ]),
  ...inFile(`${folder}/notification.queries.ts`, [
    {
      name: 'notifications of other users can be read',
      find: 'where n.id = $1 and n.user_id = $2 and ($3::uuid is null or n.project_id = $3)',
      replace: `where n.id = $1 and $2 <> '' and ($3::uuid is null or n.project_id = $3)`,
      killedBy: /^notifications\.get 404: returns not_found for another user's resource/,
    },
    {
      name: "a credential for one project reads another project's notifications",
      find: 'where n.id = $1 and n.user_id = $2 and ($3::uuid is null or n.project_id = $3)',
      replace: 'where n.id = $1 and n.user_id = $2 and ($3::uuid is null or $3 is not null)',
      killedBy: /^notifications\.get 404: returns not_found for a credential bound to another/,
    },
    {
      name: 'deliveries are listed oldest first',
      find: `and id < $2 order by id desc \${pageLimit('$3')}`,
      replace: `and id < $2 order by id \${pageLimit('$3')}`,
      killedBy: /^notifications\.deliveries 200/,
    },
    {
      name: 'attempts are returned newest first',
      find: ') a order by a.delivery_id, a.number`',
      replace: ') a order by a.delivery_id, a.number desc`',
      killedBy: /^notifications\.retry 202/,
    },
  ]),
  ...inFile(`${folder}/notification.routes.ts`, [
    {
      name: 'a notification cursor is valid with other filters',
      find: 'const cursorFilters = { ...filters, user_id: principal.userId }',
      replace: 'const cursorFilters = { user_id: principal.userId }',
      killedBy: /^notifications\.list 400: rejects a cursor with different filters/,
    },
    {
      name: 'wait is ignored',
      find: 'const waitOptions = wait > 0 ?',
      replace: 'const waitOptions = wait > 60 ?',
      killedBy: /^notifications\.get 200: waits/,
    },
    {
      name: 'a wait ends too early',
      find: 'waitMs: wait * 1_000',
      replace: 'waitMs: wait * 100',
      killedBy: /^notifications\.get (200|401): .*wait/,
    },
  ]),
  ...inFile(`${folder}/cancel-notification.ts`, [
    {
      name: 'the response to a cancel shows the old status',
      find: 'row: canceled ? await getNotification(transaction, principal, id) : notification',
      replace: 'row: canceled ? notification : await getNotification(transaction, principal, id)',
      killedBy: /^notifications\.cancel 200/,
    },
  ]),
  ...inFile('apps/api/src/features/delivery/requeue-deliveries.ts', [
    {
      name: 'a retry keeps the failure of the last attempt',
      find: `set status = 'queued', failure = null, receipt`,
      replace: `set status = 'queued', receipt`,
      killedBy: /^notifications\.retry 202/,
    },
    {
      name: 'a retry queues deliveries of deleted flows',
      find: 'and exists (select 1 from flows f where f.id = d.flow_id)',
      replace: '',
      killedBy: /^notifications\.retry 202: queues only failed deliveries whose/,
    },
  ]),
  ...inFile(`${folder}/retry-notification.ts`, [
    {
      name: 'a retry without failed deliveries is accepted',
      find: 'if (requeued.length === 0)\n    throw',
      replace: 'if (requeued.length < 0)\n    throw',
      killedBy: /^notifications\.retry 409/,
    },
    {
      name: 'a retry does not update the status of the notification',
      find: 'await aggregateNotifications(transaction, deps.clock, [uuid])',
      replace: '',
      killedBy: /^notifications\.retry 202/,
    },
  ]),
]
