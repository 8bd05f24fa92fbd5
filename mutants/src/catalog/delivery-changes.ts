import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

const killedBy = {
  cancel: /^notifications\.cancel 200: does not cancel a delivery that is being/,
  expired: /^bulkActions\.create 202: skips the deliveries of an expired/,
  expiry: /^bulkActions\.create 202: cancels a delayed retry/,
  credentials: /^notifications\.retry 202: sends with the deployment's/,
  pending: /^settings\.apply 200: does not count a deleted flow's completed/,
}

/** Bugs in requests that cancel, retry or count deliveries. */
export const deliveryChangeMutants: readonly Mutant[] = [
  ...inFile(`${server}/delivery/requeue-deliveries.ts`, [
    {
      name: 'a bulk action retries messages that have expired',
      find: ' and coalesce(${expiry} > $2, true)',
      replace: '',
      killedBy: killedBy.expired,
    },
    {
      // docs/decisions/0006-integrations.md: a message that is "retried manually, is sent as for a project that never had a
      // credential".
      name: 'a retry after the deletion of an integration fails again',
      find: 'credential_removed = false, ',
      replace: '',
      killedBy: killedBy.credentials,
    },
  ]),
  ...inFile(`${server}/delivery/cancel-deliveries.ts`, [
    {
      name: 'a cancellation also cancels deliveries that are being sent',
      find: "inLiterals('d.status', statusesBefore('canceled'))",
      replace: "inLiterals('d.status', [...statusesBefore('canceled'), 'sending'])",
      killedBy: killedBy.cancel,
    },
    {
      name: 'a queued delivery that expires has no failure',
      find: 'ids, expiredFailure)',
      replace: 'ids)',
      killedBy: killedBy.expiry,
    },
    {
      name: 'pending_deliveries counts completed deliveries',
      find: `from delivery_jobs j join deliveries d on d.id = j.delivery_id
     where j.project_id = $1 and d.flow_id = any($2::uuid[]) and \${isPending} group by`,
      replace: 'from deliveries d where d.project_id = $1 and d.flow_id = any($2::uuid[]) group by',
      killedBy: killedBy.pending,
    },
  ]),
  ...inFile(`${mock}/change-deliveries.ts`, [
    {
      name: 'in the mock, a bulk action retries messages that have expired',
      find: ' && !isExpired(context, notification)',
      replace: '',
      killedBy: killedBy.expired,
    },
    {
      name: 'in the mock, a retry after the deletion of an integration fails again',
      find: '  delivery.isCredentialRemoved = false\n',
      replace: '',
      killedBy: killedBy.credentials,
    },
    {
      name: 'in the mock, a cancellation also cancels deliveries that are being sent',
      find: 'const pending = notification.deliveries.filter(({ status }) => cancelable.has(status))',
      replace: "const pending = notification.deliveries.filter(({ status }) => cancelable.has(status) || status === 'sending')",
      killedBy: killedBy.cancel,
    },
    {
      name: 'in the mock, a queued delivery that expires has no failure',
      find: 'cancelDelivery(delivery, expiredFailure)',
      replace: 'cancelDelivery(delivery)',
      killedBy: killedBy.expiry,
    },
  ]),
  ...inFile(`${mock}/write-settings.ts`, [
    {
      name: 'in the mock, pending_deliveries counts completed deliveries',
      find: 'flow_id === change.id && cancelable.has(status)',
      replace: 'flow_id === change.id',
      killedBy: killedBy.pending,
    },
  ]),
]
