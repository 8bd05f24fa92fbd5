import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/delivery'

/** Bugs in the server's delivery of messages. */
export const serverDeliveryMutants: readonly Mutant[] = [
  ...inFile(`${folder}/cancel-deliveries.ts`, [
    {
      name: 'a canceled delivery still has a next attempt',
      find: 'settled_at = $3, next_attempt_at = null, failure = $4::jsonb',
      replace: 'settled_at = $3, failure = $4::jsonb',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries/,
    },
    {
      name: 'a cancel does not update the status of the notification',
      find: 'if (canceled.length > 0) await completeNotifications(on, deps, canceled, [notificationId])',
      replace: '',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries/,
    },
    {
      name: 'deleting a flow or project does not update the status of its notifications',
      find: 'await completeNotifications(on, deps, canceled, notificationIds)',
      replace: '',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries when the flow or project is deleted/,
    },
  ]),
  ...inFile(`${folder}/worker/dispatcher.ts`, [
    {
      name: 'a notification does not expire',
      find: 'job.expiresInMs ?? Number.POSITIVE_INFINITY',
      replace: 'Number.POSITIVE_INFINITY',
      killedBy: /^notifications\.get 200: cancels a delivery whose notification expires/,
    },
  ]),
  ...inFile(`${folder}/attempts/start-attempts.ts`, [
    {
      name: 'attempts are not counted',
      find: 'attempt_count = d.attempt_count + 1',
      replace: 'attempt_count = d.attempt_count + 0',
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
  ]),
  ...inFile(`${folder}/attempts/record-outcomes.ts`, [
    {
      name: 'a sent delivery has no sent_at',
      find: `sent_at = case when f.status = 'sent' then $4::timestamptz end`,
      replace: `sent_at = case when f.status = 'failed' then $4::timestamptz end`,
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
    {
      name: 'the failure of a delivery is not stored',
      find: '        failure = f.failure,\n',
      replace: '',
      killedBy: /^notifications\.retry 202/,
    },
    {
      name: 'the duration of an attempt is not stored',
      find: 'set duration_ms = f.duration_ms, outcome',
      replace: 'set outcome',
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
    {
      name: 'the outcome of an attempt is not stored',
      find: 'outcome = f.outcome, provider_response = f.provider_response',
      replace: 'provider_response = f.provider_response',
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
    {
      name: 'a request that waits for a notification is not woken when the notification is completed',
      find: `select pg_notify('\${completionChannel}', string_agg(id::text, ','))`,
      replace: `select pg_notify('other', string_agg(id::text, ','))`,
      killedBy: /^notifications\.get 200: waits until/,
    },
    {
      name: 'a delivery does not update the status of its notification',
      find: `\${aggregatedFrom('coalesce(r.status, s.status)')} as status`,
      replace: `\${aggregatedFrom('s.status')} as status`,
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
  ]),
  ...inFile(`${folder}/attempts/send.ts`, [
    {
      name: "a message is sent with the deployment's credential after the project's credential is deleted",
      find: 'ownOnly: attempt.own_credential_only',
      replace: 'ownOnly: false',
      killedBy: /^integrations\.delete 204: fails pending messages/,
    },
    {
      name: 'the attempt of a captured message is reported as sent',
      find: `outcome.status === 'sent' && outcome.captured ? 'captured' : outcome.status`,
      replace: 'outcome.status',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'a message for a provider without credentials is retried',
      find: `kind: 'credential', code: 'integration_missing', detail: 'There is no credential to send with.' })`,
      replace: `kind: 'credential', code: 'integration_missing', detail: 'There is no credential to send with.', retryable: true })`,
      killedBy: /^notifications\.retry 202/,
    },
  ]),
  ...inFile(`${folder}/queue/queue-limit.ts`, [
    {
      name: 'the queue limit of a user counts requests instead of deliveries',
      find: 'ofUser: pending(userKey(kind, userId)) }, number)',
      replace: 'ofUser: pending(userKey(kind, userId)) }, 1)',
      killedBy: /^any 503/,
    },
    {
      name: 'due and scheduled deliveries are counted together',
      find: `const kindOf = (scheduled: boolean): string => (scheduled ? 'scheduled' : 'due')`,
      replace: `const kindOf = (_scheduled: boolean): string => 'due'`,
      killedBy: /^any 503/,
    },
    {
      name: 'the queue limit of a user counts the deliveries of all users',
      find: 'ofUser: pending(userKey(kind, userId)) }, number)',
      replace: 'ofUser: pending(kind) }, number)',
      killedBy: /^any 503/,
    },
  ]),
  ...inFile(`${folder}/completion-watch.ts`, [
    {
      name: 'a request that waits for a notification is not woken when the notification is canceled',
      find: `await on.query(notify, [completionChannel, notificationIds`,
      replace: `await on.query(notify, ['other', notificationIds`,
      killedBy: /^notifications\.get 200: ends a wait when the notification is canceled/,
    },
  ]),
  ...inFile('apps/api/src/features/flows/flow-health.ts', [
    {
      name: 'a captured message makes a flow healthy',
      find: '!attempt.captured && (outcome.status',
      replace: '(outcome.status',
      killedBy: /^notifications\.send 202: marks captured deliveries/,
    },
    {
      name: 'a failed message does not affect the health of its flow',
      find: `(outcome.status === 'sent' || outcome.status === 'failed')`,
      replace: `outcome.status === 'sent'`,
      killedBy: /^flows\.get 200: returns unhealthy after/,
    },
    {
      name: "messages to a flow's previous provider change the flow's health",
      find: '.filter(({ attempt }) => attempt.source_type === row.source_type)',
      replace: '',
      killedBy: /^flows\.get 200: does not count failures of the previous provider/,
    },
    {
      name: 'the checked_at of a flow is not stored',
      find: 'checked_at = coalesce(r.checked_at, f.checked_at)',
      replace: 'checked_at = f.checked_at',
      killedBy: /^flows\.check 200: returns the failed checks/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/flow-health.ts', [
    {
      name: 'a flow becomes unhealthy after nine failures',
      find: 'export const failuresToUnhealthy = 10',
      replace: 'export const failuresToUnhealthy = 9',
      killedBy: /^flows\.get 200: returns unhealthy after/,
    },
    {
      name: 'a flow becomes unhealthy after eleven failures',
      find: 'export const failuresToUnhealthy = 10',
      replace: 'export const failuresToUnhealthy = 11',
      killedBy: /^flows\.get 200: returns unhealthy after/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/notification-status.ts', [
    {
      name: 'a mix of sent and canceled deliveries is reported as sent',
      find: `{ status: 'sent', quantifier: 'every', of: ['sent'] }`,
      replace: `{ status: 'sent', quantifier: 'every', of: ['sent', 'canceled'] }`,
      killedBy: /^notifications\.get 200: returns partially_sent/,
    },
    {
      name: 'a mix of sent and other deliveries is reported as failed',
      find: `  { status: 'partially_sent', quantifier: 'some', of: ['sent'] },\n`,
      replace: '',
      killedBy: /^notifications\.get 200: returns partially_sent/,
    },
    {
      name: 'a canceled notification is reported as failed',
      find: `  { status: 'canceled', quantifier: 'every', of: ['canceled'] },\n`,
      replace: '',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/delivery-status.ts', [
    {
      name: 'canceled deliveries can be retried',
      find: 'canceled: { final: true, next: [] }',
      replace: `canceled: { final: true, next: ['queued'] }`,
      killedBy: /^notifications\.retry 409: rejects a retry if no delivery has failed/,
    },
    {
      name: 'sent deliveries can be retried',
      find: 'sent: { final: true, next: [] }',
      replace: `sent: { final: true, next: ['queued'] }`,
      killedBy: /^notifications\.cancel 200: does not change sent deliveries/,
    },
    {
      name: 'sent deliveries can be canceled',
      find: 'sent: { final: true, next: [] }',
      replace: `sent: { final: true, next: ['canceled'] }`,
      killedBy: /^notifications\.cancel 200: does not change sent deliveries/,
    },
  ]),
]
