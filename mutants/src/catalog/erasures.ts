import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features/erasures'
const mock = 'packages/testing/src/features'

/** Bugs in erasures. */
export const erasureMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/erasures.ts', [
    {
      name: 'a credential for one project can erase a recipient from all projects',
      find: '{ ...createAccess.metadata, idempotent: true, unbound: true }',
      replace: '{ ...createAccess.metadata, idempotent: true }',
      killedBy: /^erasures\.create 403: rejects a credential bound to a/,
    },
  ]),
  ...inFile(`${server}/erasure.queries.ts`, [
    {
      name: 'an erasure is visible to other users',
      find: 'where id = $1 and user_id = $2`',
      replace: 'where id = $1 and $2::text is not null`',
      killedBy: /^erasures\.get 404: returns not_found for another user's resource/,
    },
  ]),
  ...inFile(`${server}/request-erasure.ts`, [
    {
      name: 'an erasure ignores block',
      find: 'if (block) {',
      replace: 'if (block && key === userId) {',
      killedBy: /^notifications\.send 202: stores neither the/,
    },
    {
      name: 'an erasure always blocks the recipient',
      find: 'if (block) {',
      replace: 'if (block || key !== userId) {',
      killedBy: /^erasures\.create 202: adds a suppression only if block is set/,
    },
  ]),
  ...inFile(`${server}/erase-settings.ts`, [
    {
      name: 'suppression lists still show an erased address',
      find: `export const forgetSuppressedAddress = async (
  on: Queryable,`,
      replace: `export const forgetSuppressedAddress = async (
  { query: _ }: Queryable,
  on = { query: async (_text: string, _values: readonly unknown[]) => {} },`,
      killedBy: /^erasures\.create 202: adds a suppression only if block is set, and keeps/,
    },
  ]),
  ...inFile(`${server}/erase-log.ts`, [
    {
      name: "deliveries keep the provider's message id after an erasure",
      find: 'provider_message_id = null, next_attempt_at',
      replace: 'next_attempt_at',
      killedBy: /^erasures\.get 200: removes the provider's/,
    },
    {
      name: "attempts keep the provider's response after an erasure",
      find: 'set provider_response = null, outcome =',
      replace: 'set outcome =',
      killedBy: /^erasures\.get 200: removes the recipient/,
    },
    {
      name: 'an erasure does not cancel scheduled messages',
      find: `then 'canceled' when`,
      replace: `then 'queued' when`,
      killedBy: /^erasures\.get 200: removes the recipient/,
    },
    {
      name: 'a search for the digest of an erased recipient finds nothing',
      find: `\${insertDigestsFrom('erased')}`,
      replace: `\${insertDigestsFrom('erased where false')}`,
      killedBy: /^erasures\.get 200: removes the recipient/,
    },
    {
      name: 'the texts of other messages still mention an erased address',
      find: 'await redactTexts(transaction, person, affected)',
      replace: '',
      killedBy: /^erasures\.get 200: replaces the address/,
    },
  ]),
  ...inFile(`${server}/run-erasure.ts`, [
    {
      name: 'an erasure for one provider erases deliveries through all providers',
      find: `sourceType === '' || sourceType === provider`,
      replace: `provider !== ''`,
      killedBy: /^erasures\.get 200: erases only deliveries through the named provider/,
    },
    {
      name: 'stored responses keep the erased address',
      find: `  { phase: 'responses', step: eraseResponses },`,
      replace: '',
      killedBy: /^notifications\.send 202: replays a response without/,
    },
  ]),
  ...inFile('packages/domain/src/erasure/erase-response.ts', [
    {
      name: "events keep the provider's responses about an erased recipient",
      find: '({ ...attempt, provider_response: null })',
      replace: '({ ...attempt })',
      killedBy: /^events\.list 200: removes the provider's texts about an erased recipient/,
    },
    {
      name: 'events keep the receipt texts of an erased recipient',
      find: 'receipt: withoutTexts(delivery.receipt)',
      replace: 'receipt: delivery.receipt',
      killedBy: /^events\.list 200: removes the provider's texts about an erased recipient/,
    },
  ]),
  ...inFile(`${mock}/erasures.ts`, [
    {
      name: 'the mock ignores block in an erasure',
      find: 'if (block) suppress(',
      replace: 'if (block && key === userId) suppress(',
      killedBy: /^notifications\.send 202: stores neither the/,
    },
  ]),
  ...inFile(`${mock}/erase-from-log.ts`, [
    {
      name: 'the mock erases a recipient for all users',
      find: '    if (notification.userId !== userId) continue\n',
      replace: '',
      killedBy: /^erasures\.get 200: leaves another user's deliveries/,
    },
  ]),
]
