import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

const killedBy = {
  ambiguous: /^erasures\.get 200: ends a delivery that is being sent/,
  key: /^erasures\.get 200: deletes an idempotency key/,
  requestId: /^erasures\.get 200: replaces the address in the request ids/,
  response: /^flows\.create 201: replays a response without the erased/,
  word: /^erasures\.get 200: removes a chat target that may be a common word/,
  suppressed: /^notifications\.send 202: does not store the address of a blocked recipient/,
  receipt: /^deliveries\.recordReceipt 200: suppresses an erased recipient/,
}

/**
 * Bugs in the effects of an erasure on idempotency keys, stored responses, request ids, deliveries in progress and later
 * receipts. docs/privacy.md and docs/decisions/0030-erasure.md describe these effects.
 */
export const erasureEffectMutants: readonly Mutant[] = [
  ...inFile(`${server}/erasures/erase-responses.ts`, [
    {
      name: 'an erasure keeps idempotency keys that contain the address',
      find: 'if (row.in_key && redactor.isIn(row.key))',
      replace: "if (row.in_key && row.key === '')",
      killedBy: killedBy.key,
    },
    {
      name: 'the stored response of a settings operation keeps the erased address',
      find: 'if (erased !== row.body)',
      replace: "if (erased !== row.body && row.body.includes('attempt_count'))",
      killedBy: killedBy.response,
    },
  ]),
  ...inFile(`${server}/erasures/erasure-area.ts`, [
    {
      name: 'an erasure keeps a chat target that may be a common word in the settings history',
      find: '`"target": ?${escapeRegExp(JSON.stringify(key))}`',
      replace: '`"target": ${escapeRegExp(JSON.stringify(key))}`',
      killedBy: killedBy.word,
    },
  ]),
  ...inFile(`${server}/delivery/suppressions/find-suppressed.ts`, [
    {
      name: 'a suppression by request causes the address of a blocked recipient to be stored again',
      find: 'matching.find(({ erased }) => erased) ?? matching[0]',
      replace: 'matching.find(({ erased }) => !erased) ?? matching[0]',
      killedBy: killedBy.suppressed,
    },
  ]),
  ...inFile(`${server}/erasures/erase-history.ts`, [
    {
      name: 'an erasure keeps the address in the request ids of the settings history',
      find: 'person.redactor.isIn(request_id) ? person.replacement : request_id',
      replace: 'request_id',
      killedBy: killedBy.requestId,
    },
  ]),
  ...inFile(`${server}/erasures/erase-log.ts`, [
    {
      name: 'an erasure does not end the attempt that is in progress',
      find: `outcome = case when a.outcome = 'sending' then 'ambiguous' else a.outcome end`,
      replace: 'outcome = a.outcome',
      killedBy: killedBy.ambiguous,
    },
  ]),
  ...inFile(`${server}/delivery/receipts/record-receipt.ts`, [
    {
      name: 'a bounce does not suppress an erased recipient',
      find: 'digest: erasedDigest ?? recipients',
      replace: 'digest: recipients',
      killedBy: killedBy.receipt,
    },
  ]),
  ...inFile(`${mock}/erase-from-log.ts`, [
    {
      name: 'in the mock, an erasure keeps idempotency keys that contain the address',
      find: 'if (redactor.isIn(idempotencyKey)) store.responses.delete(id)\n    else if',
      replace: 'if',
      killedBy: killedBy.key,
    },
    {
      name: 'in the mock, the stored response of a settings operation keeps the erased address',
      find: 'else if (stored.response !== undefined && text !== undefined) {',
      replace: "else if (stored.response !== undefined && text?.includes('attempt_count')) {",
      killedBy: killedBy.response,
    },
    {
      name: 'in the mock, an erasure keeps the address in the request ids of the settings history',
      find: 'request_id: redactor.isIn(request_id) ? target : request_id',
      replace: 'request_id',
      killedBy: killedBy.requestId,
    },
    {
      name: 'in the mock, an erasure keeps a chat target that may be a common word in the settings history',
      find: 'before: erase(before), after: erase(after)',
      replace: 'before: redactor.redactJson(before), after: redactor.redactJson(after)',
      killedBy: killedBy.word,
    },
    {
      name: 'in the mock, an erasure does not end the attempt that is in progress',
      find: "    if (attempt.outcome === 'sending') attempt.outcome = 'ambiguous'\n",
      replace: '',
      killedBy: killedBy.ambiguous,
    },
  ]),
  ...inFile(`${mock}/suppressions.ts`, [
    {
      name: 'in the mock, a suppression by request causes the address of a blocked recipient to be stored again',
      find: "return matching.find((each) => each.target.startsWith('erased:')) ?? matching[0]",
      replace: 'return matching.at(-1)',
      killedBy: killedBy.suppressed,
    },
  ]),
  ...inFile(`${mock}/receipts.ts`, [
    {
      name: 'in the mock, a bounce does not suppress an erased recipient',
      find: 'key: erasedKey ?? recipientKey(',
      replace: 'key: recipientKey(',
      killedBy: killedBy.receipt,
    },
  ]),
]
