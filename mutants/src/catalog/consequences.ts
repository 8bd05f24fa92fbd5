import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const consequences = 'packages/domain/src/consequences'

/** Bugs in the event endpoints of settings documents, and in the consequences that a dry run reports. */
export const consequencesMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/settings-endpoints.ts', [
    {
      name: 'prune deletes event endpoints although the document omits `event_endpoints`',
      find: 'prune && given !== undefined,',
      replace: 'prune,',
      killedBy: /^settings\.apply 200: changes and deletes only event/,
    },
    {
      name: 'a document creates more event endpoints than a project can have',
      find: 'if (plan.creates.length > 0 && count > maxEventEndpoints)',
      replace: 'if (count > 1_000)',
      killedBy: /^settings\.apply 409: rejects more event endpoints/,
    },
    {
      name: 'a different order of event types counts as a change',
      find: '[...new Set(events)].sort()',
      replace: '[...new Set(events)]',
      killedBy: /^settings\.apply 200: ignores the order of event types/,
    },
    {
      name: 'the response with a signing secret is stored',
      find: 'changes: applied.changes.map(({ secret: _, ...change }) => change),',
      replace: '',
      killedBy: /^settings\.apply 200: replays a response without the signing secrets/,
    },
  ]),
  ...inFile(`${consequences}/examine-notifications.ts`, [
    {
      name: 'consequences name the oldest affected notification instead of the newest',
      find: 'affected.notification_id ??= id',
      replace: 'affected.notification_id = id',
      killedBy: /^settings\.apply 200: counts notifications that would be rejected/,
    },
    {
      name: 'consequences count notifications without a flow as rejected',
      find: 'rejection !== undefined && noFlow.has(rejection)',
      replace: 'rejection !== undefined && false',
      killedBy: /^settings\.apply 200: counts notifications that would reach no flow/,
    },
  ]),
  ...inFile(`${consequences}/recover-request.ts`, [
    {
      name: 'consequences examine messages that were sent before their flow changed',
      find: 'flows.filter(({ updatedAtMs }) => updatedAtMs <= createdAtMs).map',
      replace: 'flows.map',
      killedBy: /^settings\.apply 200: does not examine notifications sent before/,
    },
    {
      name: 'consequences treat a message to a named flow as one to all flows',
      find: 'address.flowId === undefined ? {} : { flow_id: address.flowId }',
      replace: '{}',
      killedBy: /^settings\.apply 200: uses the flow_id and target of the/,
    },
    {
      name: 'consequences treat a message with a target as one without',
      find: 'if (!address.hasTarget) return named',
      replace: 'return named',
      killedBy: /^settings\.apply 200: uses the flow_id and target of the/,
    },
  ]),
  ...inFile('apps/api/src/features/notifications/past-notifications.ts', [
    {
      name: 'consequences examine the messages of test keys',
      find: 'and test is not true order by',
      replace: 'order by',
      killedBy: /^settings\.apply 200: ignores messages sent with test keys and/,
    },
  ]),
  ...inFile('packages/contract/src/rules/settings-checks.ts', [
    {
      name: 'applying a document accepts `consequences` and ignores it',
      find: 'const hasNoPlan = consequences === true && dry_run !== true',
      replace: 'const hasNoPlan = false',
      killedBy: /^settings\.apply 422: rejects consequences without dry_run/,
    },
  ]),
  ...inFile('packages/contract/src/rules/planned-flows.ts', [
    {
      name: 'consequences ignore created flows',
      find: 'return [...changed, ...plan.flows.creates.map(',
      replace: 'return [...changed, ...plan.flows.creates.slice(100).map(',
      killedBy: /^settings\.apply 200: counts additional deliveries/,
    },
  ]),
]
