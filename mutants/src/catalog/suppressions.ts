import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

/** Bugs in suppression lists. */
export const suppressionMutants: readonly Mutant[] = [
  ...inFile(`${server}/notifications/prepare-notification.ts`, [
    {
      name: 'messages to suppressed recipients are accepted',
      find: 'suppressionOf ? applySuppressions(deps, userId, planned, suppressionOf) : planned',
      replace: 'planned',
      killedBy: /^notifications\.send 202: immediately fails a delivery to a/,
    },
  ]),
  ...inFile(`${server}/notifications/accept-notification.ts`, [
    {
      name: 'deliveries to suppressed recipients count toward the queue limit',
      find: 'count: open.length, scheduled',
      replace: 'count: deliveries.length, scheduled',
      killedBy: /^notifications\.send 202: does not count deliveries to suppressed/,
    },
  ]),
  ...inFile(`${mock}/accept-notification.ts`, [
    {
      name: 'in the mock, deliveries to suppressed recipients count toward the queue limit',
      find: 'count: open.length, scheduled',
      replace: 'count: plan.matched.flatMap(({ targets }) => targets).length, scheduled',
      killedBy: /^notifications\.send 202: does not count deliveries to suppressed/,
    },
  ]),
  ...inFile(`${server}/delivery/worker/drop-suppressed-jobs.ts`, [
    {
      name: 'queued messages to suppressed recipients are sent',
      find: 'if (checked.length === 0) return jobs',
      replace: 'if (checked.length >= 0) return jobs',
      killedBy: /^notifications\.get 200: fails a queued message/,
    },
  ]),
  ...inFile(`${server}/delivery/suppressions/find-suppressed.ts`, [
    {
      name: 'a suppression for one provider applies to all providers',
      find: `source_type === '' || source_type === recipient.source_type`,
      replace: `source_type !== recipient.target`,
      killedBy: /^notifications\.preview 200: shows the suppressed/,
    },
    {
      name: 'the address of an erased recipient is stored again',
      find: 'isErased: suppression.erased',
      replace: 'isErased: false',
      killedBy: /^notifications\.send 202: stores neither the/,
    },
  ]),
  ...inFile('packages/domain/src/channels/recipient.ts', [
    {
      name: 'suppressions and erasures compare the exact case of email addresses',
      find: 'return toLowerCase(local) + toAsciiDomain(domain)',
      replace: 'return local + toAsciiDomain(domain)',
      killedBy: /^notifications\.preview 200: shows the suppressed|^suppressions\./,
    },
    {
      name: 'an address that means several recipients, or none, is accepted',
      find: 'if (!first) {',
      replace: `if (!first) {\n    if (address !== '') return { ok: true, sourceType: named, target: address, key: address }`,
      killedBy: /^(suppressions|erasures)\.create 422: rejects an address/,
    },
  ]),
  ...inFile(`${server}/suppressions/suppression.routes.ts`, [
    {
      name: 'an existing suppression is reported as new',
      find: 'return isNew ?',
      replace: 'return row ?',
      killedBy: /^suppressions\.create 200/,
    },
    {
      name: 'the list of suppressions ignores the recipient filter',
      find: 'listSuppressions(database, project.id, digests,',
      replace: 'listSuppressions(database, project.id, undefined,',
      killedBy: /^suppressions\.list 200/,
    },
  ]),
  ...inFile(`${server}/suppressions/suppression.queries.ts`, [
    {
      name: 'a suppression of another project can be deleted',
      find: 'delete from suppressions where project_id = $1 and id = $2',
      replace: 'delete from suppressions where $1::uuid is not null and id = $2',
      killedBy: /^suppressions\.delete 204: deletes a suppression only through its own/,
    },
  ]),
  ...inFile(`${mock}/suppressions.ts`, [
    {
      name: 'in the mock, a suppression applies to every project',
      find: 'each.projectId === projectId && each.key === key && (each.source_type ?? source_type) === source_type',
      replace: 'each.projectId !== key && each.key === key && (each.source_type ?? source_type) === source_type',
      killedBy: /^notifications\.preview 200: shows the suppressed/,
    },
    {
      name: 'the mock adds a recipient to a suppression list twice',
      find: 'if (existing) return { record: existing, isNew: false }',
      replace: '',
      killedBy: /^suppressions\.create 200/,
    },
  ]),
]
