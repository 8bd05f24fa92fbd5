import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

/** Bugs that show or change the data of other users, but only in one case, such as in a search with a filter. */
export const otherUserMutants: readonly Mutant[] = [
  ...inFile(
    `${mock}/notification-filters.ts`,
    ['reference', 'target', 'failure_code'].map((filter) => ({
      name: `in the mock, a search by ${filter} finds notifications of all users`,
      find: 'notification.userId === principal.userId &&',
      replace: `(notification.userId === principal.userId || filters.${filter} !== undefined) &&`,
      killedBy: /^notifications\.list 200: omits other users' notifications that match/,
    })),
  ),
  ...inFile(`${server}/bulk-actions/bulk-action.queries.ts`, [
    {
      name: 'the list of bulk actions contains the actions of all users',
      find: 'where ${ofPrincipal} and id < $3',
      replace: 'where ($1::text is null or $2::uuid is null or project_id = $2) and id < $3',
      killedBy: /^bulkActions\.list 200: omits other users' actions/,
    },
  ]),
  ...inFile(`${server}/events/event.queries.ts`, [
    {
      name: 'the feed of one event type contains the events of all users',
      find: "const readOfUser = { name: 'events-of-user', text: readAfter('user_id = $4') }",
      replace: "const readOfUser = { name: 'events-of-user', text: readAfter('(user_id = $4 or cardinality($5::text[]) = 1)') }",
      killedBy: /^events\.list 200: omits other users' events/,
    },
  ]),
  ...inFile(`${server}/erasures/request-erasure.ts`, [
    {
      name: "an erasure with block adds the recipient to the suppression lists of all users' projects",
      find: 'select id from projects where user_id = $1 order by id',
      replace: 'select id from projects where $1::text is not null order by id',
      killedBy: /^erasures\.create 202: does not change another user's suppressions/,
    },
  ]),
  ...inFile(`${mock}/erasures.ts`, [
    {
      name: "in the mock, an erasure changes the suppression lists of all users' projects",
      find: 'if (owner !== userId) continue',
      replace: `if (owner === '') continue`,
      killedBy: /^erasures\.create 202: does not change another user's suppressions/,
    },
  ]),
]
