import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

/** Bugs in the settings history, in past versions of flows, and in the explanations of notifications. */
export const historyMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/recorded-settings.ts', [
    {
      name: 'a secret that is set again is missing from the changed fields',
      find: '!isEqual(old[name], current[name])), ...secretFields])]',
      replace: '!isEqual(old[name], current[name]))])]',
      killedBy: /^settings\.history 200: records the changes to an integration/,
    },
  ]),
  ...inFile('packages/domain/src/planning/explain-deliveries.ts', [
    {
      name: 'an explanation says "not targeted" of a flow that the request did not name',
      find: "skipped('not_named')",
      replace: "skipped('not_targeted')",
      killedBy: /^notifications\.explanation 200: lists the flows skipped when a request names another/,
    },
    {
      name: 'an explanation says "not targeted" of an inactive flow',
      find: "if (!flow.active) return skipped('inactive')",
      replace: "if (!flow.active) return skipped('not_targeted')",
      killedBy: /^notifications\.explanation 200: names the triggered flows/,
    },
  ]),
  ...inFile(`${server}/settings/settings.routes.ts`, [
    {
      name: 'a bound credential sees the changes of every project',
      find: 'filters.project_id === undefined ? principal.projectId',
      replace: 'filters.project_id === undefined ? undefined',
      killedBy: /^settings\.history 200: lists only changes to the given project/,
    },
    {
      name: 'the history accepts a cursor from another project',
      find: 'const cursorFilters = { ...filters, user_id: principal.userId }',
      replace: 'const cursorFilters = { user_id: principal.userId }',
      killedBy: /^settings\.history 400: rejects another project's cursor/,
    },
  ]),
  ...inFile(`${server}/settings-history/list-history.ts`, [
    {
      name: 'the history contains the changes of other users',
      find: "limit 1) = $1'",
      replace: "limit 1) > left($1::text, 0)'",
      killedBy: /^settings\.history 404: does not return another user's changes/,
    },
  ]),
  ...inFile(`${server}/settings-history/record-changes.ts`, [
    {
      name: 'a request that changes nothing is recorded',
      find: 'if (before && after && fields.length === 0) return []',
      replace: '',
      killedBy: /^settings\.history 200: records nothing for a request/,
    },
  ]),
  ...inFile(`${server}/settings-history/record-project-deletion.ts`, [
    {
      name: 'deleting a project does not record the deletion of its flows',
      find: 'from flows f where f.project_id = $1',
      replace: 'from flows f where f.project_id = $1 and false',
      killedBy: /^settings\.history 200: keeps the changes to a deleted project/,
    },
  ]),
  ...inFile(`${server}/settings/changes-of-plan.ts`, [
    {
      name: 'applying a document does not record the deletion of a flow',
      find: '...flows.deletes.map(',
      replace: '...flows.deletes.slice(1).map(',
      killedBy: /^settings\.history 200: records each resource that a document/,
    },
  ]),
  ...inFile(`${server}/flows/past-flow.ts`, [
    {
      name: 'a past version of a flow has the settings from before the last change',
      find: 'where id >= $4::uuid order by id limit 1',
      replace: 'where id >= $4::uuid order by id desc limit 1',
      killedBy: /^flows\.get 200: returns a past version/,
    },
    {
      name: 'a past version of a flow is visible to other users',
      find: "and user_id = $3 and kind = 'flow'",
      replace: "and $3::text is not null and kind = 'flow'",
      killedBy: /^flows\.get 404: returns not_found for a past version of another user's/,
    },
  ]),
  ...inFile(`${server}/erasures/erase-history.ts`, [
    {
      name: 'an erasure keeps the recipient in the settings from before a change',
      find: 'before: withoutPerson(before, person),',
      replace: 'before,',
      killedBy: /^erasures\.get 200: removes the recipient from the settings/,
    },
  ]),
  ...inFile(`${mock}/settings-history.ts`, [
    {
      name: 'the mock records a request that changes nothing',
      find: 'if (before && after && fields.length === 0) return\n',
      replace: '',
      killedBy: /^settings\.history 200: records nothing for a request/,
    },
    {
      name: 'in the mock, deleting a project does not record the deletion of its flows',
      find: "  for (const before of flows) recordChange(context, origin, { kind: 'flow', before, at })\n",
      replace: '',
      killedBy: /^settings\.history 200: keeps the changes to a deleted project/,
    },
  ]),
  ...inFile(`${mock}/list-history.ts`, [
    {
      name: "the mock's history contains the changes of other users",
      find: 'entry.userId === userId && ',
      replace: '',
      killedBy: /^settings\.history 404: does not return another user's changes/,
    },
  ]),
  ...inFile(`${mock}/past-flows.ts`, [
    {
      name: 'the mock returns a flow for a moment in the future',
      find: 'if (at > timestamp(context) && at > latestChange) throw momentInFuture()',
      replace: '',
      killedBy: /^flows\.get 422: rejects a time/,
    },
  ]),
  ...inFile(`${mock}/event-endpoints.ts`, [
    {
      name: 'the mock does not record a new signing secret',
      find: "secretFields: ['/secret']",
      replace: 'secretFields: []',
      killedBy: /^settings\.history 200: records the changes to an event endpoint/,
    },
  ]),
  ...inFile(`${mock}/notification-explanation.ts`, [
    {
      name: 'the mock explains a notification with the current settings',
      find: '(change) => orderOf(change.id) > orderOf(id)',
      replace: '() => false',
      killedBy: /^notifications\.explanation 200: stays the same/,
    },
  ]),
]
