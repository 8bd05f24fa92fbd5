import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'packages/testing/src/features'

/** Bugs in small details of the mock, such as a boundary, a condition, or a field or header that is set only in some cases. */
export const mockDetailMutants: readonly Mutant[] = [
  ...inFile(`${features}/event-endpoints.ts`, [
    {
      name: 'the mock ignores If-Match when it deletes an event endpoint',
      find: `requireMatch(headers.get('if-match'), omitHealth(toEventEndpoint(record)))\n      deleteEndpoint`,
      replace: 'deleteEndpoint',
      killedBy: /^eventEndpoints\.delete 412/,
    },
    {
      name: 'the mock sends earlier events to an endpoint that is given a URL',
      find: '  if (record.url === null && url !== null) record.position = latestEvent(context)\n',
      replace: '',
      killedBy: /^eventEndpoints\.update 200: does not send events from before/,
    },
  ]),
  ...inFile(`${features}/suppressions.ts`, [
    {
      name: 'in the mock, a suppression for one provider applies to all providers',
      find: 'each.key === key && (each.source_type ?? source_type) === source_type,',
      replace: 'each.key === key,',
      killedBy: /^notifications\.preview 200: shows the suppressed/,
    },
  ]),
  ...inFile(`${features}/notification-filters.ts`, [
    {
      name: 'in the mock, created_after excludes a notification from exactly that time',
      find: 'createdAt >= Date.parse(after)',
      replace: 'createdAt > Date.parse(after)',
      killedBy: /^notifications\.list 200: filters by acceptance time/,
    },
  ]),
  ...inFile(`${features}/event-feed.ts`, [
    {
      name: "the mock's feed returns one event more than the limit",
      find: 'find().slice(0, limit)',
      replace: 'find().slice(0, limit + 1)',
      killedBy: /^events\.list 200: continues after the cursor/,
    },
  ]),
  ...inFile(`${features}/erase-from-log.ts`, [
    {
      name: "the mock's events keep an erased address",
      find: 'if (stored.userId !== userId) continue',
      replace: `if (stored.userId !== '') continue`,
      killedBy: /^events\.list 200: returns events for deliveries that an erasure/,
    },
  ]),
  ...inFile(`${features}/bulk-action-runner.ts`, [
    {
      name: 'in the mock, a stopped bulk action continues',
      find: `if (record.status !== 'running') return`,
      replace: `if (record.status === 'done') return`,
      killedBy: /^bulkActions\.stop 200: stops an action/,
    },
  ]),
  ...inFile(`${features}/api-keys.ts`, [
    {
      name: 'the mock returns a test key that looks like a live key',
      find: `mode === 'test' ? 'test_' : ''`,
      replace: `''`,
      killedBy: /^apiKeys\.create 201: creates live keys by/,
    },
  ]),
  ...inFile(`${features}/receipts.ts`, [
    {
      name: 'in the mock, a bounced email suppresses its recipient for one provider only',
      find: `providerOf(context, source_type)?.kind === 'email' ? null : source_type`,
      replace: 'source_type',
      killedBy: /^deliveries\.recordReceipt 200: suppresses the recipient/,
    },
  ]),
  ...inFile(`${features}/send-batch.ts`, [
    {
      name: 'in the mock, a batch with a rejected notification has no Retry-After',
      find: ', ...retryAfterOf(errors) }',
      replace: ' }',
      killedBy: /^notifications\.sendBatch 200: returns Retry-After/,
    },
  ]),
]
