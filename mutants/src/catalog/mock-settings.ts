import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/testing/src/features'

const flowFields = ['name', 'active', 'source_type', 'target', 'override_target', 'message_template', 'message_template_type'] as const

/** Bugs in the mock's projects, flows, integrations and API keys. */
export const mockSettingsMutants: readonly Mutant[] = [
  ...inFile(`${folder}/settings.ts`, [
    {
      name: 'the mock does not report changed settings',
      find: '=== expected.digest ? {} : settingsChangedHeaders',
      replace: '=== expected.digest ? {} : {}',
      killedBy: /^notifications\.send 202: reports whether the project's/,
    },
  ]),
  ...inFile('packages/testing/src/http/perform.ts', [
    {
      name: 'in the mock, an error response does not report that the settings changed',
      find: 'return complete(writeProblem(error, request.requestId, named))',
      replace: 'return writeProblem(error, request.requestId, named)',
      killedBy: /^notifications\.send 404: reports whether the project's/,
    },
    {
      name: 'in the mock, a replayed response does not report that the settings changed',
      find: 'return complete(await runIdempotent(context, idempotentRequest, work))',
      replace: 'return await runIdempotent(context, idempotentRequest, work)',
      killedBy: /^notifications\.send 202: compares the digest with the current/,
    },
  ]),
  ...inFile(`${folder}/projects.ts`, [
    {
      name: 'the mock ignores case when it compares project names',
      find: 'project.name !== name ||',
      replace: 'project.name.toLowerCase() !== name.toLowerCase() ||',
      killedBy: /^projects\.create 201: accepts a taken name in different letter case/,
    },
    {
      name: 'the mock compares project names across users',
      find: 'if (project.userId !== userId || project.name',
      replace: 'if (project.name',
      killedBy: /^projects\.create 201: accepts the same name for two users/,
    },
    {
      name: 'the mock rejects the unchanged name of a project',
      find: ' || project.id === ownId) continue',
      replace: ') continue',
      killedBy: /^projects\.update 409/,
    },
    {
      name: 'the mock returns no ETag for a new project',
      find: 'headers: { Location: `/v1/settings/projects/${project.id}`, ETag: etagOf(project) }',
      replace: 'headers: { Location: `/v1/settings/projects/${project.id}` }',
      killedBy: /^projects\.create 201: returns the same/,
    },
    {
      name: 'the mock does not change updated_at of a renamed project',
      find: '{ ...before, name, key, updated_at: timeOfChange(context, before) }',
      replace: '{ ...before, name, key }',
      killedBy: /^any 200: sets updated_at/,
    },
    {
      name: 'the mock ignores If-Match when it renames a project',
      find: `requireMatch(headers.get('if-match'), toProject(before))`,
      replace: '',
      killedBy: /^projects\.update 412/,
    },
    {
      name: 'the mock ignores If-Match when it deletes a project',
      find: `requireMatch(headers.get('if-match'), toProject(project))`,
      replace: '',
      killedBy: /^projects\.delete 412/,
    },
    {
      name: 'the mock does not cancel the deliveries of a deleted project',
      find: 'cancelPending({ projectId: project.id })',
      replace: '',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries when the flow or project is deleted/,
    },
    {
      name: 'the mock keeps the keys of a deleted project',
      find: 'for (const key of store.apiKeys.values()) if (key.projectId === project.id) store.apiKeys.delete(key.id)',
      replace: '',
      killedBy: /^projects\.delete 204: immediately revokes the/,
    },
    {
      name: 'the mock lists projects of other users',
      find: 'userId === principal.userId && (principal.projectId === undefined || principal.projectId === id)',
      replace: 'principal.projectId === undefined || principal.projectId === id',
      killedBy: /^projects\.list 200: does not list another user's projects/,
    },
    {
      name: 'the mock returns projects of other users',
      find: 'if (!project || project.userId !== principal.userId || isBoundElsewhere) throw notFound()',
      replace: 'if (!project || isBoundElsewhere) throw notFound()',
      killedBy: /^projects\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'the mock lets a credential for one project read another project',
      find: 'if (!project || project.userId !== principal.userId || isBoundElsewhere) throw notFound()',
      replace: 'if (!project || project.userId !== principal.userId) throw notFound()',
      killedBy: /^projects\.get 404: returns not_found for a credential bound to another/,
    },
  ]),
  ...inFile(`${folder}/flows.ts`, [
    ...flowFields.map((field) => ({
      name: `the mock does not change ${field} of a flow`,
      find: 'const merged: FlowRecord = { ...before, ...definedChanges, updated_at',
      replace: `const merged: FlowRecord = { ...before, ...definedChanges, ${field}: before.${field}, updated_at`,
      killedBy: /^flows\.(patch|update) 200: changes the seven fields/,
    })),
    {
      name: 'the mock finds a flow in any project',
      find: 'if (flow?.project_id !== project.id) throw notFound()',
      replace: 'if (!flow) throw notFound()',
      killedBy: /^flows\.get 404: returns not_found for a flow in another project/,
    },
    {
      name: 'the mock ignores If-Match when it changes a flow',
      find: `requireMatch(headers.get('if-match'), omitHealth(toFlow(context, before)))`,
      replace: '',
      killedBy: /^flows\.(patch|update) 412/,
    },
    {
      name: 'the mock ignores If-Match when it deletes a flow',
      find: `requireMatch(headers.get('if-match'), omitHealth(toFlow(context, flow)))`,
      replace: '',
      killedBy: /^flows\.delete 412/,
    },
    {
      name: 'the mock returns no ETag for a changed flow',
      find: 'return { status: 200, body: flow, headers: { ETag: flowEtag(flow) } } as const',
      replace: 'return { status: 200, body: flow } as const',
      killedBy: /^flows\.(patch|update) 200: changes the seven fields/,
    },
    {
      name: "the mock keeps a flow's health when its target changes",
      find: '...(isMoved ? { condition: unknownHealth, checked_at: null } : {})',
      replace: '',
      killedBy: /^flows\.check 200: resets the flow's health/,
    },
    {
      name: 'the mock does not cancel the deliveries of a deleted flow',
      find: 'cancelPending({ flowId: flow.id })',
      replace: '',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries when the flow or project is deleted/,
    },
    {
      name: 'the mock lists the flows of all projects',
      find: '[...store.flows.values()].filter((flow) => flow.project_id === project.id)',
      replace: '[...store.flows.values()].filter(() => project.id)',
      killedBy: /^flows\.list 200: lists only the project's flows/,
    },
  ]),
  ...inFile(`${folder}/flow.serializer.ts`, [
    {
      name: 'in the mock, the ETag of a flow depends on its health',
      find: '({ health: _, ...flow }: Flow): Omit',
      replace: '(flow: Flow): Omit',
      killedBy: /^flows\.check 200: returns the failed checks/,
    },
  ]),
  ...inFile(`${folder}/check-flow.ts`, [
    {
      name: 'the mock does not store checked_at',
      find: ', checked_at: now }',
      replace: ' }',
      killedBy: /^flows\.check 200: returns the failed checks/,
    },
  ]),
  ...inFile(`${folder}/integrations.ts`, [
    {
      name: 'the mock ignores If-Match for an integration that exists',
      find: 'if (before) requireMatch(ifMatch, toIntegration(before))',
      replace: 'if (before) requireMatch(null, toIntegration(before))',
      killedBy: /^integrations\.put 412/,
    },
    {
      name: 'in the mock, changing a secret does not change the ETag of the integration',
      find: 'const now = before ? timeOfChange(context, before) : timestamp(context)',
      replace: 'const now = timestamp(context)',
      killedBy: /^integrations\.put 200: keeps an omitted secret/,
    },
    {
      name: 'the mock does not reset the health of flows when credentials change',
      find: '  resetFlowHealth(context, of.projectId, of.sourceType)\n',
      replace: '',
      killedBy: /^flows\.check 200: resets the flow's health/,
    },
    {
      name: "the mock sends with the deployment's credential after the project's credential is deleted",
      find: 'revokeCredential(context, projectId, sourceType)',
      replace: '',
      killedBy: /^integrations\.delete 204: fails pending messages/,
    },
  ]),
  ...inFile(`${folder}/api-keys.ts`, [
    {
      name: 'in the mock, a key outlives the key that created it',
      find: '(principal.expiresAt ?? null)',
      replace: 'null',
      killedBy: /^apiKeys\.create 201: gives a/,
    },
    {
      name: 'the mock does not revoke the keys that a revoked key created',
      find: 'for (const key of [...context.store.apiKeys.values()]) if (key.parentId === id) revoke(context, key.id)',
      replace: '',
      killedBy: /^apiKeys\.delete 204/,
    },
    {
      name: 'the mock lists keys of other users',
      find: 'key.userId === principal.userId && (principal.projectId === undefined',
      replace: '(principal.projectId === undefined',
      killedBy: /^apiKeys\.list 200: omits/,
    },
  ]),
]
