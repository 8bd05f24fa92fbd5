import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const feature = 'apps/api/src/features/settings'

/** Bugs in exporting and applying settings documents. */
export const settingsMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/rules/plan-settings.ts', [
    {
      // The description of `changes` says: "Each group is in document order, with its deletions at the end."
      name: 'the deletions of a document precede its other changes',
      find: "of missing) changes.push({ action: 'delete'",
      replace: "of missing) changes.unshift({ action: 'delete'",
      killedBy: /^settings\.apply 200: lists the deletions of each kind/,
    },
    {
      name: 'resources that the document does not contain are deleted without prune',
      find: 'deletes: prune ? missing',
      replace: 'deletes: true ? missing',
      killedBy: /^settings\.apply 200: does not change flows without a key/,
    },
    {
      name: 'a changed field is missing from the changes of a document',
      find: 'const changes = [...visible, ...secret]',
      replace: 'const changes = [...visible.slice(1), ...secret]',
      killedBy: /^settings\.apply 200: returns the changed fields/,
    },
  ]),
  ...inFile('packages/contract/src/rules/settings-document.ts', [
    {
      name: 'prune deletes all integrations when the document omits the field integrations',
      find: 'body.prune && body.integrations !== undefined,',
      replace: 'body.prune,',
      killedBy: /^settings\.apply 200: does not change flows without a key/,
    },
    {
      name: 'the flows of an exported document are not ordered',
      find: '[...flows].sort((a, b) => byCodeUnits(a.key, b.key))',
      replace: '[...flows]',
      killedBy: /^settings\.export 200: returns a document that changes nothing/,
    },
    {
      name: 'If-Match: * applies a document to a project that does not exist',
      find: "if (!stored && ifMatch?.trim() === '*')",
      replace: "if (!stored && ifMatch?.trim() === '')",
      killedBy: /^settings\.apply 412: rejects a document if the settings no longer/,
    },
  ]),
  ...inFile('packages/contract/src/rules/settings-checks.ts', [
    {
      name: 'two flows in a document may have the same key',
      find: 'const isRepeated = value !== undefined && seen.has(value)',
      replace: 'const isRepeated = value === null && seen.has(value)',
      killedBy: /^settings\.apply 422: returns the issues in all parts/,
    },
  ]),
  ...inFile('packages/contract/src/rules/settings-drift.ts', [
    {
      name: 'the settings digest that is sent with a batch is ignored',
      find: 'Object(Array.isArray(notifications) ? notifications[0] : body)',
      replace: 'Object(body)',
      killedBy: /^notifications\.sendBatch 200: reports whether the project's/,
    },
  ]),
  ...inFile('apps/api/src/features/notifications/settings-changed-header.ts', [
    {
      name: 'changed settings are reported even if the digest that is sent is current',
      find: 'current !== undefined && current !== expected?.digest',
      replace: 'current !== undefined',
      killedBy: /^notifications\.send 202: reports whether the project's/,
    },
    {
      name: 'changed settings are not reported',
      find: 'response.set(settingsChangedHeaders)',
      replace: '{}',
      killedBy: /^notifications\.send 202: reports whether the project's/,
    },
    {
      name: 'changed settings are reported for an unknown project',
      find: 'current !== undefined && current !== expected?.digest',
      replace: 'current !== expected?.digest',
      killedBy: /^notifications\.send 404: reports whether the project's/,
    },
  ]),
  ...inFile(`${feature}/settings-digest.ts`, [
    {
      name: 'a cached settings digest is not invalidated when a flow changes',
      find: 'tags: [projectTag(project.id)]',
      replace: 'tags: []',
      killedBy: /^notifications\.send 202: (reports whether|compares)/,
    },
  ]),
  ...inFile(`${feature}/apply-settings.ts`, [
    {
      name: 'applying a document ignores If-Match',
      find: 'requireSettingsMatch(ifMatch, stored, etagOf)',
      replace: '',
      killedBy: /^settings\.apply 412/,
    },
    {
      name: 'a credential for one project creates another project with a document',
      find: 'if (!project && principal.projectId !== undefined) throw notFound()',
      replace: '',
      killedBy: /^settings\.apply 404/,
    },
    {
      name: 'a document that deletes a flow does not count the deliveries that it cancels',
      find: "counts.get(deleted.get(change.key) ?? '') ?? 0",
      replace: '0',
      killedBy: /^settings\.apply 200: counts and cancels/,
    },
    {
      name: 'a document does not cancel the deliveries of a deleted flow',
      find: 'canceled.push(...(await change.rest(transaction)))',
      replace: '{}',
      killedBy: /^settings\.apply 200: counts and cancels/,
    },
  ]),
  ...inFile(`${feature}/check-plan.ts`, [
    {
      name: 'a dry run does not report a taken name',
      find: "throw projectNameTaken({ prefix: '/project' })",
      replace: '{}',
      killedBy: /^settings\.apply 409: rejects another project's name in a dry run/,
    },
  ]),
  ...inFile(`${feature}/settings.routes.ts`, [
    {
      name: 'a dry run changes settings',
      find: 'if (body.dry_run) return',
      replace: 'if (false) return',
      killedBy: /^settings\.apply 200: changes nothing in a dry run/,
    },
    {
      name: 'an exported document has no ETag',
      find: 'res.set(\'ETag\', `"${digest}"`)',
      replace: '',
      killedBy: /^settings\.export (200|304)/,
    },
  ]),
  ...inFile(`${feature}/write-plan.ts`, [
    {
      name: 'a document does not rename a project',
      find: "if (plan.project === 'update') project",
      replace: "if (plan.project === 'delete' as string) project",
      killedBy: /^settings\.apply 200: returns the changed fields/,
    },
    {
      name: 'the error for a taken project name in a document points to a field that the document does not have',
      find: "now]), '/project')",
      replace: 'now]))',
      killedBy: /^settings\.apply 409/,
    },
  ]),
  ...inFile('packages/testing/src/features/projects.ts', [
    {
      name: "the mock applies a document to another user's project",
      find: 'project.userId === userId && project.key === key && (projectId',
      replace: 'project.key === key && (projectId',
      killedBy: /^settings\.apply 200: creates a project with the key of another user/,
    },
  ]),
  ...inFile('packages/testing/src/features/settings.ts', [
    {
      name: 'in the mock, a dry run changes settings',
      find: 'if (body.dry_run)\n',
      replace: 'if (body.dry_run && body.flows.length > 100)\n',
      killedBy: /^settings\.apply 200: changes nothing in a dry run/,
    },
  ]),
  ...inFile('packages/testing/src/features/write-settings.ts', [
    {
      name: 'in the mock, a document that renames a project does not change its updated_at',
      find: '{ ...existing, name, updated_at: timeOfChange(context, existing) }',
      replace: '{ ...existing, name }',
      killedBy: /^settings\.apply 200: returns the changed fields/,
    },
  ]),
  ...inFile('apps/api/src/features/flows/keyed-flows.ts', [
    {
      name: 'a document that changes the target of a flow keeps its health',
      find: "updated_at = $3, ${resetHealthSql('r.source_type', 'r.target')}",
      replace: 'updated_at = $3',
      killedBy: /^settings\.apply 200: resets the health/,
    },
  ]),
  ...inFile(`${feature}/plan-deletions.ts`, [
    {
      name: "pending messages use the deployment's credential after a document deletes their project's credential",
      find: '  ...integrations.deletes.map(({ source_type }) => deps.revokeCredential(projectId, source_type)),\n',
      replace: '',
      killedBy: /^settings\.apply 200: fails pending messages/,
    },
  ]),
]
