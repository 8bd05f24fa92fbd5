import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'apps/api/src/features'

/** Bugs in small details of the server, such as an order, a boundary, or a field that is set only in some cases. */
export const serverDetailMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/bulk-actions.ts', [
    {
      name: 'the dry run of a bulk action lists the rarest failures first',
      find: 'other.count - one.count',
      replace: 'one.count - other.count',
      killedBy: /^bulkActions\.create 200: returns the/,
    },
  ]),
  ...inFile('apps/api/src/start-api.ts', [
    {
      name: 'the rejection of an invalid send does not report errors in times and targets',
      find: '...lateNotificationChecks({ clock, channels }),',
      replace: '',
      killedBy: /^notifications\.(send|preview) 422: returns the issues in times, targets and/,
    },
  ]),
  ...inFile(`${features}/bulk-actions/stop-bulk-action.ts`, [
    {
      name: 'a stopped bulk action has no completed_at',
      find: `set status = 'stopped', completed_at = $2, waiting_ids = '{}'\n  where id = $1`,
      replace: `set status = 'stopped', completed_at = nullif($2::timestamptz, $2), waiting_ids = '{}'\n  where id = $1`,
      killedBy: /^bulkActions\.stop 200: stops an action/,
    },
  ]),
  ...inFile(`${features}/notifications/list-notifications.ts`, [
    {
      name: 'created_after excludes a notification from exactly that time',
      find: 'firstUuidOf(new Date(after))',
      replace: 'firstUuidOf(new Date(Date.parse(after) + 1))',
      killedBy: /^notifications\.list 200: filters by acceptance time/,
    },
  ]),
  ...inFile(`${features}/notifications/search-sources.ts`, [
    {
      name: 'a search by recipient finds every scheduled message',
      find: 'd.recipient_digest is null and (${isOpenMatch})',
      replace: 'd.recipient_digest is null or (${isOpenMatch})',
      killedBy: /^notifications\.list 200: filters by a target's/,
    },
  ]),
  ...inFile(`${features}/events/update-endpoint.ts`, [
    {
      name: 'rotating the secret of an event endpoint does not change its entity tag',
      find: '[stored.id, rotated, timeOfChange(clock, stored)]',
      replace: '[stored.id, rotated, stored.updated_at]',
      killedBy: /^eventEndpoints\.rotateSecret 200: changes/,
    },
  ]),
  ...inFile(`${features}/events/event-endpoint.routes.ts`, [
    {
      name: 'a repeated test of an event endpoint sends another event',
      find: 'key && !stored ? await idempotency.run(req, principal, null, async () => sent) : sent',
      replace: 'sent',
      killedBy: /^eventEndpoints\.test 200: replays/,
    },
  ]),
  ...inFile(`${features}/delivery/receipts/record-receipt.ts`, [
    {
      name: 'the suppression after a complaint has the reason bounce',
      find: `receipt.status === 'complained' ? 'complaint' : 'bounce'`,
      replace: `receipt.status === 'delivered' ? 'complaint' : 'bounce'`,
      killedBy: /^deliveries\.recordReceipt 200: suppresses the recipient/,
    },
  ]),
  ...inFile(`${features}/delivery/suppressions/fail-suppressed.ts`, [
    {
      name: 'a scheduled message that fails because its recipient is suppressed keeps its next_attempt_at',
      find: `set status = 'failed', settled_at = $3, next_attempt_at = null, failure`,
      replace: `set status = 'failed', settled_at = $3, failure`,
      killedBy: /^notifications\.get 200: fails a queued message/,
    },
  ]),
  ...inFile(`${features}/delivery/recipients/recipient-digests.ts`, [
    {
      name: 'a search by recipient and failure finds a retried delivery by its first failure',
      find: 'do update set failure_kind = excluded.failure_kind, failure_code = excluded.failure_code',
      replace: 'do nothing',
      killedBy: /^notifications\.list 200: finds a retried delivery by its latest failure/,
    },
  ]),
  ...inFile(`${features}/settings/apply-settings.ts`, [
    {
      name: 'applying a document returns the digest from before the changes',
      find: 'const digest = digestOf(await readSettings(transaction, project, false))',
      replace: 'const digest = digestOf(stored)',
      killedBy: /^settings\.apply 200: changes nothing in a dry run/,
    },
  ]),
  ...inFile(`${features}/erasures/request-erasure.ts`, [
    {
      name: 'an erasure does not name the credential that requested it',
      find: 'requestedBy: keyId',
      replace: 'requestedBy: undefined',
      killedBy: /^erasures\.create 202: names the key/,
    },
  ]),
]
