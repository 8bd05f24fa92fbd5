import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'packages/testing/src/features'

/** Bugs in details of the mock: a boundary, a condition, a field or header that is set only in some cases. */
export const mockDetailMutants: readonly Mutant[] = [
  ...inFile(`${features}/event-endpoints.ts`, [
    {
      name: 'the mock ignores If-Match when it deletes an event endpoint',
      find: `requireMatch(headers.get('if-match'), omitHealth(toEventEndpoint(record)))\n      deleteEndpoint`,
      replace: 'deleteEndpoint',
      killedBy: /^eventEndpoints\.delete 412/,
    },
    {
      name: 'the mock sends earlier events to an endpoint that gets a URL',
      find: '  if (record.url === null && url !== null) record.position = latestEvent(context)\n',
      replace: '',
      killedBy: /^eventEndpoints\.update 200: sends only later/,
    },
  ]),
  ...inFile(`${features}/suppressions.ts`, [
    {
      name: 'a suppression of the mock for one provider applies to all',
      find: 'each.key === key && (each.source_type ?? source_type) === source_type,',
      replace: 'each.key === key,',
      killedBy: /^notifications\.preview 200: shows the suppressed/,
    },
  ]),
  ...inFile(`${features}/notification-filters.ts`, [
    {
      name: 'created_after excludes its time in the mock',
      find: 'createdAt >= Date.parse(after)',
      replace: 'createdAt > Date.parse(after)',
      killedBy: /^notifications\.list 200: filters by the time/,
    },
  ]),
  ...inFile(`${features}/event-feed.ts`, [
    {
      name: 'the feed of the mock returns one event more than the limit',
      find: 'find().slice(0, limit)',
      replace: 'find().slice(0, limit + 1)',
      killedBy: /^events\.list 200: continues after the cursor/,
    },
  ]),
  ...inFile(`${features}/erase-from-log.ts`, [
    {
      name: 'the events of the mock keep an erased address',
      find: 'if (stored.userId !== userId) continue',
      replace: `if (stored.userId !== '') continue`,
      killedBy: /^events\.list 200: returns what an erasure/,
    },
  ]),
  ...inFile(`${features}/bulk-action-runner.ts`, [
    {
      name: 'a stopped bulk action of the mock continues',
      find: `if (record.status !== 'running') return`,
      replace: `if (record.status === 'done') return`,
      killedBy: /^bulkActions\.stop 200: ends an action/,
    },
  ]),
  ...inFile(`${features}/api-keys.ts`, [
    {
      name: 'a test key of the mock looks like a live one',
      find: `mode === 'test' ? 'test_' : ''`,
      replace: `''`,
      killedBy: /^apiKeys\.create 201: creates a live key/,
    },
  ]),
  ...inFile(`${features}/receipts.ts`, [
    {
      name: 'a bounced email of the mock suppresses its recipient for one provider only',
      find: `providerOf(context, source_type)?.kind === 'email' ? null : source_type`,
      replace: 'source_type',
      killedBy: /^deliveries\.recordReceipt 200: suppresses the recipient/,
    },
  ]),
  ...inFile(`${features}/send-batch.ts`, [
    {
      name: 'a batch of the mock with a rejected notification has no Retry-After',
      find: ', ...retryAfterOf(errors) }',
      replace: ' }',
      killedBy: /^notifications\.sendBatch 200: says when/,
    },
  ]),
]
