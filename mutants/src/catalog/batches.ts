import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const contract = 'packages/contract/src'

/** Bugs in batches: in the server, the mock and the rules that both share. */
export const batchMutants: readonly Mutant[] = [
  ...inFile('apps/api/src/features/notifications/accept-batch.ts', [
    {
      name: 'a rejected notification in a batch keeps its idempotency key',
      find: 'isAccepted(found.outcome) || isTemporary(found.outcome) ? found : hold()',
      replace: 'found',
      killedBy: /^notifications\.sendBatch 200: binds an idempotency key to/,
    },
    {
      name: 'in a batch, a different notification with the same key gets the result of the first one',
      find: 'isAccepted(outcome) && !fingerprint.equals(key.fingerprint) ? idempotencyKeyReused() : outcome',
      replace: 'outcome',
      killedBy: /^notifications\.sendBatch 200: binds an idempotency key to/,
    },
    {
      name: 'the key of one batch can be reused with another batch',
      find: 'if (batchKey) await idempotency.claim(batchKey)',
      replace: '',
      killedBy: /^notifications\.sendBatch 422: rejects an idempotency/,
    },
    {
      name: 'a batch ignores the keys of its notifications',
      find: 'keyOfItem(principal, key?.id[2], { index, idempotencyKey, body })',
      replace: 'keyOfItem(principal, key?.id[2], { index, idempotencyKey: undefined, body })',
      killedBy: /^notifications\.sendBatch 200: shares idempotency keys/,
    },
    {
      name: 'the key of a batch does not cover its notifications',
      find: 'keyOfItem(principal, key?.id[2], { index, idempotencyKey, body })',
      replace: 'keyOfItem(principal, undefined, { index, idempotencyKey, body })',
      killedBy: /^notifications\.sendBatch 200: replays/,
    },
    {
      name: 'a batch with a new notification is marked as a replay',
      find: 'accepted.every(isReplayed)',
      replace: 'accepted.some(isReplayed)',
      killedBy: /^notifications\.sendBatch 200: replays the accepted items/,
    },
    {
      name: 'a repeated batch is not marked as a replay',
      find: 'accepted.length > 0 && accepted.every(isReplayed) ? replayedHeaders : {}',
      replace: '{}',
      killedBy: /^notifications\.sendBatch 200: replays/,
    },
  ]),
  ...inFile('apps/api/src/features/notifications/batch-contexts.ts', [
    {
      name: 'all notifications in a batch trigger the flows of the first one',
      find: 'JSON.stringify([body.project_id, body.flow_id])',
      replace: 'JSON.stringify([body.project_id])',
      killedBy: /^notifications\.sendBatch 200: triggers the flow that each item names/,
    },
  ]),
  ...inFile('apps/api/src/http/idempotency-key.ts', [
    {
      name: 'notifications in a batch do not share their keys with single sends',
      find: `createKey(principal, 'POST', '/v1/notifications', item.idempotencyKey, item.body)`,
      replace: `createKey(principal, 'POST', '/v1/notifications/batch', item.idempotencyKey, item.body)`,
      killedBy: /^notifications\.sendBatch 200: shares idempotency keys/,
    },
  ]),
  ...inFile(`${contract}/rules/batch.ts`, [
    {
      name: 'all notifications in a batch have the same derived key',
      find: '`${batchKey} ${index}`',
      replace: 'batchKey + " 0"',
      killedBy: /^notifications\.sendBatch 200: replays/,
    },
    {
      name: 'the rejection of a notification in a batch does not report errors in times and targets',
      find: 'addFieldErrors(found, toBodyErrors(findSendIssues(input)))',
      replace: 'found',
      killedBy: /^notifications\.sendBatch 200: rejects only the invalid notifications/,
    },
    {
      name: 'a batch lists all errors of all notifications',
      find: 'all.slice(0, Math.max(capacity, 1))',
      replace: 'all.slice(0)',
      killedBy: /^notifications\.sendBatch 200: lists 1,000 errors, and then only the first error/,
    },
    {
      name: 'a batch accepts unknown fields with texts that the database cannot store',
      find: 'const texts = findTextErrors(input)',
      replace: 'const texts = [] as ReturnType<typeof findTextErrors>',
      killedBy: /^notifications\.sendBatch 200: rejects only the invalid notifications/,
    },
  ]),
  ...inFile(`${contract}/rules/field-errors.ts`, [
    {
      name: 'a notification with an invalid text causes its whole batch to be rejected',
      find: 'itemsField !== undefined && isObject(body) ? { ...body, [itemsField]: null } : body',
      replace: 'body',
      killedBy: /^notifications\.sendBatch 200: rejects only the invalid notifications/,
    },
  ]),
  ...inFile(`${contract}/notification-batch.ts`, [
    {
      name: 'a batch may be empty',
      find: '.min(1, ',
      replace: '.min(0, ',
      killedBy: /^notifications\.sendBatch 422: rejects a body that is not a batch/,
    },
    {
      name: 'a batch may have 501 notifications',
      find: '.max(maxBatchItems, ',
      replace: '.max(maxBatchItems + 1, ',
      killedBy: /^notifications\.sendBatch 422: rejects a body that is not a batch/,
    },
    {
      name: 'an invalid notification causes its whole batch to be rejected',
      find: 'z\n      .array(Unchecked(NotificationBatchItem))',
      replace: 'z\n      .array(NotificationBatchItem)',
      killedBy: /^notifications\.sendBatch 200: rejects only the invalid notifications/,
    },
    {
      name: 'the key of a notification in a batch may be empty',
      find: `.regex(idempotencyKeyPattern, 'Must be 1 to 255 visible ASCII characters.')`,
      replace: '',
      killedBy: /^notifications\.sendBatch 200: requires 1 to 255 visible characters/,
    },
  ]),
  ...inFile('packages/testing/src/features/send-batch.ts', [
    {
      name: 'in the mock, the key of one batch can be reused with another batch',
      find: 'if (batchKey !== null) claimKey(',
      replace: `if (batchKey === '') claimKey(`,
      killedBy: /^notifications\.sendBatch 422: rejects an idempotency/,
    },
    {
      name: 'the mock ignores the keys of the notifications in a batch',
      find: 'if (idempotencyKey !== undefined) {',
      replace: `if (idempotencyKey === '') {`,
      killedBy: /^notifications\.sendBatch 200: shares idempotency keys/,
    },
    {
      name: 'in the mock, each notification in a batch triggers all flows of its project',
      find: 'send(principal, item))',
      replace: 'send(principal, { ...item, flow_id: undefined }))',
      killedBy: /^notifications\.sendBatch 200: triggers the flow that each item names/,
    },
    {
      name: 'in the mock, the key of a batch does not cover its notifications',
      find: 'if (batchKey === null) return work()',
      replace: 'if (batchKey !== undefined) return work()',
      killedBy: /^notifications\.sendBatch 200: replays/,
    },
    {
      name: 'the mock marks a batch with a new notification as a replay',
      find: 'accepted.every((response) =>',
      replace: 'accepted.some((response) =>',
      killedBy: /^notifications\.sendBatch 200: replays the accepted items/,
    },
    {
      name: 'the mock returns another request id in the problems of a batch',
      find: 'createItemProblems(requestId)',
      replace: `createItemProblems('unknown')`,
      killedBy: /^notifications\.sendBatch 200: rejects only the invalid notifications/,
    },
  ]),
]
