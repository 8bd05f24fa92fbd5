import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/flows'

// Each entry contains the API field, the ORM property, and the parameter number in the SQL statement of a PUT without If-Match.
const flowFields = [
  ['name', 'name', 4],
  ['active', 'active', 5],
  ['source_type', 'sourceType', 6],
  ['target', 'target', 7],
  ['override_target', 'overrideTarget', 8],
  ['message_template', 'messageTemplate', 9],
  ['message_template_type', 'messageTemplateType', 10],
] as const

/** Bugs in the server's flows. */
export const serverFlowMutants: readonly Mutant[] = [
  ...inFile(`${folder}/update-flow.ts`, [
    ...flowFields.map(([field, column]) => ({
      name: `PATCH does not store ${field}`,
      find: `      ${column}: row.${field},`,
      replace: `      ${column}: stored.${field},`,
      killedBy: /^flows\.patch 200: changes the seven fields/,
    })),
    ...flowFields.map(([field, , parameter]) => ({
      name: `PUT without If-Match does not store ${field}`,
      find: `${field === 'name' ? 'set ' : ''}${field} = $${parameter},`,
      replace: `${field === 'name' ? 'set ' : ''}${field} = coalesce(f.${field}, $${parameter}),`,
      killedBy: /^flows\.update 200: changes the seven fields/,
    })),
    {
      name: 'a PATCH ignores If-Match',
      find: 'requireMatch(ifMatch, () => flowEtag(toFlow(stored, channels)))',
      replace: 'requireMatch(undefined, () => flowEtag(toFlow(stored, channels)))',
      killedBy: /^flows\.patch 412/,
    },
    {
      name: 'a PATCH of the target keeps the health from the old target',
      find: '...(isRedirected ? resetHealth : {}),',
      replace: '',
      killedBy: /^flows\.check 200: resets the flow's health/,
    },
    {
      name: 'a PUT of the target keeps the health from the old target',
      find: 'case when f.source_type = ${sourceType} and f.target = ${target} then',
      replace: 'case when f.id = f.id then',
      killedBy: /^flows\.update 200: resets the health/,
    },
    {
      name: 'a flow that was replaced stays cached',
      find: 'await database.invalidate(projectTag(projectId))',
      replace: '',
      killedBy: /^flows\.update 200: changes the seven fields/,
    },
    {
      name: 'a flow that was changed stays cached',
      find: 'transaction.invalidate(projectTag(row.project_id))',
      replace: '',
      killedBy: /^flows\.(patch|update) 200: changes the seven fields/,
    },
    {
      name: 'flows of other users can be replaced',
      find: 'and p.user_id = $3 and f.updated_at',
      replace: `and $3 <> '' and f.updated_at`,
      killedBy: /^flows\.update 404: returns not_found for another user's resource/,
    },
    {
      name: 'a PUT changes created_at',
      find: 'updated_at = $11, ${resetHealthSql(',
      replace: 'updated_at = $11, created_at = $11, ${resetHealthSql(',
      killedBy: /^any 200: sets updated_at/,
    },
  ]),
  ...inFile(`${folder}/flow.routes.ts`, [
    {
      name: 'a PATCH returns no ETag',
      find: `params, req.get('if-match'), body),\n      )\n      const flow = toFlow(row, channels)\n      res.set('ETag', flowEtag(flow))`,
      replace: `params, req.get('if-match'), body),\n      )\n      const flow = toFlow(row, channels)`,
      killedBy: /^flows\.patch 200: changes the seven fields/,
    },
    {
      name: 'a PUT of a flow returns no ETag',
      find: `params, ifMatch, body))\n      const flow = toFlow(row, channels)\n      res.set('ETag', flowEtag(flow))`,
      replace: 'params, ifMatch, body))\n      const flow = toFlow(row, channels)',
      killedBy: /^flows\.update 200: changes the seven fields/,
    },
    {
      name: 'creating a flow returns no ETag',
      find: 'headers: { Location: pathOf(flow), ETag: flowEtag(flow) }',
      replace: 'headers: { Location: pathOf(flow) }',
      killedBy: /^flows\.create 201: returns the same/,
    },
    {
      name: 'creating a flow returns the path of the list as Location',
      find: '/flows/${flow.id}`',
      replace: '/flows`',
      killedBy: /^flows\.create 201: creates a flow/,
    },
    {
      name: 'reading a flow ignores If-None-Match',
      find: `isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: flow }`,
      replace: '{ status: 200, body: flow }',
      killedBy: /^flows\.get 304/,
    },
    {
      name: "a cursor from one project lists another project's flows",
      find: 'const filters = { project_id: params.project_id }',
      replace: 'const filters = {}',
      killedBy: /^flows\.list 400: rejects another list's cursor/,
    },
    {
      name: 'a PATCH of only the provider or only the target is not checked against the stored flow',
      find: 'findChannelIssues(channels, { source_type, target, ...fields })',
      replace: 'findChannelIssues(channels, fields)',
      killedBy: /^flows\.patch 422/,
    },
  ]),
  ...inFile(`${folder}/flow.serializer.ts`, [
    {
      name: 'the ETag of a flow covers its health',
      find: '({ health: _, ...flow }: z.output<typeof Flow>)',
      replace: '(flow: z.output<typeof Flow>)',
      killedBy: /^flows\.check 200: returns the failed checks/,
    },
    {
      name: 'a chat template has the warnings of an email template',
      find: 'channel: channels.get(row.source_type)',
      replace: 'channel: undefined',
      killedBy: /^flows\.create 201: accepts a suspicious template/,
    },
    {
      name: 'updated_at of a flow never changes',
      find: 'updated_at: timestamp(row.updated_at)',
      replace: 'updated_at: timestamp(row.created_at)',
      killedBy: /^any 200: sets updated_at/,
    },
  ]),
  ...inFile(`${folder}/flow.queries.ts`, [
    {
      name: 'flows of other users can be read',
      find: 'and p.user_id = lookup.user_id',
      replace: '',
      killedBy: /^flows\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'a flow can be read under the path of any project',
      find: 'where f.id = lookup.flow_id and f.project_id = lookup.project_id',
      replace: 'where f.id = lookup.flow_id',
      killedBy: /^flows\.get 404: returns not_found for a flow in another project/,
    },
    {
      name: 'flows of other users can be changed',
      find: 'where f.id = $1 and f.project_id = $2 and p.user_id = $3 ${lock',
      replace: `where f.id = $1 and f.project_id = $2 and $3 <> '' \${lock`,
      killedBy: /^flows\.patch 404: returns not_found for another user's resource/,
    },
    {
      name: 'a flow can be changed under the path of any project',
      find: 'where f.id = $1 and f.project_id = $2 and p.user_id = $3 ${lock',
      replace: 'where f.id = $1 and $2::uuid is not null and p.user_id = $3 ${lock',
      killedBy: /^flows\.patch 404: returns not_found for an unknown or malformed id/,
    },
    {
      name: 'flows of other users are listed',
      find: 'where p.id = $1 and p.user_id = $2 order by f.id',
      replace: `where p.id = $1 and $2 <> '' order by f.id`,
      killedBy: /^flows\.list 404: returns not_found for another user's resource/,
    },
    {
      name: 'flows of other users can be triggered',
      find: 'where p.id = $1 and p.user_id = $3 order by f.id',
      replace: `where p.id = $1 and $3 <> '' order by f.id`,
      killedBy: /^notifications\.send 404: returns not_found for another user's project/,
    },
  ]),
  ...inFile(`${folder}/create-flow.ts`, [
    {
      name: 'a new flow is stored as active',
      find: 'active: row.active',
      replace: 'active: true',
      killedBy: /^notifications\.send (202: creates a delivery|409: rejects a project)/,
    },
    {
      name: 'the template of a new flow is stored as text/plain',
      find: 'messageTemplateType: row.message_template_type',
      replace: `messageTemplateType: 'text/plain'`,
      killedBy: /^notifications\.preview 200/,
    },
  ]),
  ...inFile(`${folder}/check-flow.ts`, [
    {
      name: 'the result of a check is not stored',
      find: `if (!checks.some(({ code }) => code === 'aborted')) await recordCheck`,
      replace: `if (checks.some(({ code }) => code === 'aborted')) await recordCheck`,
      killedBy: /^flows\.check 200: returns the failed checks/,
    },
    {
      name: 'a check is always ok',
      find: 'ok: checks.every(({ ok }) => ok)',
      replace: 'ok: true',
      killedBy: /^flows\.check 200: returns the failed checks/,
    },
  ]),
  ...inFile(`${folder}/delete-flow.ts`, [
    {
      name: 'deleting a flow does not cancel its pending deliveries',
      find: 'changeOf: (row) => cancelPending({ projectId: row.project_id, flowIds: [row.id] })',
      replace: 'changeOf: () => ({ ahead: async () => {}, rest: async () => {} })',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries when the flow or project is deleted/,
    },
    {
      name: 'deleting a flow cancels all deliveries of its project',
      find: 'cancelPending({ projectId: row.project_id, flowIds: [row.id] })',
      replace: 'cancelPending({ projectId: row.project_id } as never)',
      killedBy: /^flows\.delete 204: cancels only the flow's deliveries/,
    },
  ]),
]
