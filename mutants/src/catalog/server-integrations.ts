import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/integrations'

/** Bugs in the server's integrations, and in the rules about their secrets. */
export const serverIntegrationMutants: readonly Mutant[] = [
  ...inFile(`${folder}/put-integration.ts`, [
    {
      name: 'If-Match is ignored for an integration that does not exist',
      find: 'else if (ifMatch !== undefined) throw',
      replace: `else if (ifMatch === '"never"') throw`,
      killedBy: /^integrations\.put 412/,
    },
    {
      name: 'If-Match is ignored for an integration that exists',
      find: 'if (stored) requireMatch(ifMatch, ',
      replace: 'if (stored) requireMatch(undefined, ',
      killedBy: /^integrations\.put 412/,
    },
    {
      name: 'the health of flows is not reset by new credentials',
      find: 'await credentialChanged(transaction, projectId, provider.id)',
      replace: '',
      killedBy: /^flows\.check 200: resets the flow's health/,
    },
    {
      name: 'a change to an integration does not store its settings',
      find: 'do update set settings = excluded.settings,',
      replace: 'do update set settings = integrations.settings,',
      killedBy: /^integrations\.put 200/,
    },
    {
      name: 'a change to an integration resets created_at',
      find: 'secrets = excluded.secrets, updated_at = excluded.updated_at',
      replace: 'secrets = excluded.secrets, updated_at = excluded.updated_at, created_at = excluded.created_at',
      killedBy: /^integrations\.put 200/,
    },
    {
      name: 'a removed secret is still shown as set',
      find: 'secret_names = excluded.secret_names,',
      replace: '',
      killedBy: /^integrations\.put 200: keeps an omitted secret/,
    },
  ]),
  ...inFile(`${folder}/integration.routes.ts`, [
    {
      name: 'changing an integration returns no ETag',
      find: `const integration = toIntegration(row)\n      res.set('ETag', etagOf(integration))`,
      replace: 'const integration = toIntegration(row)',
      killedBy: /^integrations\.put 200/,
    },
    {
      name: 'deleting an integration ignores If-Match',
      find: `deps, authorOf(res), params, req.get('if-match'), contextOf(res).log)\n      return { status: 204`,
      replace: 'deps, authorOf(res), params, undefined, contextOf(res).log)\n      return { status: 204',
      killedBy: /^integrations\.delete 412/,
    },
    {
      name: 'an unknown provider is a validation error',
      find: 'const provider = registry.get(String(source_type))\n    if (!provider) throw notFound()',
      replace: `const provider = registry.get(String(source_type)) ?? registry.get('smtp')\n    if (!provider) throw notFound()`,
      killedBy: /^integrations\.put 404/,
    },
  ]),
  ...inFile(`${folder}/integration.queries.ts`, [
    {
      name: 'integrations of other users can be read',
      find: 'where i.project_id = $1 and i.source_type = $2 and p.user_id = $3',
      replace: `where i.project_id = $1 and i.source_type = $2 and $3 <> ''`,
      killedBy: /^integrations\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'integrations are listed newest first',
      find: 'and i.id > $2 order by i.id limit $3',
      replace: 'and i.id > $2 order by i.id desc limit $3',
      killedBy: /^integrations\.list 200/,
    },
  ]),
  ...inFile(`${folder}/integration.serializer.ts`, [
    {
      name: 'an integration does not show which secrets are set',
      find: 'Object.fromEntries(row.secret_names.map((name) => [name, { set: true as const }]))',
      replace: '{}',
      killedBy: /^integrations\.put 200/,
    },
  ]),
  ...inFile(`${folder}/delete-integration.ts`, [
    {
      name: "pending messages use the deployment's credential after their project's credential is deleted",
      find: 'changeOf: (row) => revokeCredential(row.project_id, row.source_type)',
      replace: 'changeOf: () => ({ ahead: async () => {}, rest: async () => {} })',
      killedBy: /^integrations\.delete 204: fails pending messages/,
    },
  ]),
  ...inFile(`${folder}/provider.routes.ts`, [
    {
      name: 'every provider is listed as email',
      find: 'kind: provider.kind',
      replace: `kind: 'email' as const`,
      killedBy: /^providers\.list 200/,
    },
  ]),
  ...inFile('packages/contract/src/rules/merge-integration.ts', [
    {
      name: 'an omitted secret is removed',
      find: 'storedNames.filter((name) => isKnown(name) && !Object.hasOwn(given, name))',
      replace: 'storedNames.filter((name) => isKnown(name) && Object.hasOwn(given, name))',
      killedBy: /^integrations\.put 200: keeps an omitted secret/,
    },
    {
      name: 'stored secrets are kept when the mail server changes',
      find: 'const isDestinationChanged = stored !== undefined && changesDestination(provider, stored, settings, given)',
      replace: 'const isDestinationChanged = false',
      killedBy: /^integrations\.put 422: requires the secret again/,
    },
    {
      name: 'a setting that is explicitly set to its default counts as a change of the mail server',
      find: 'const before = addDefaults(rules.settings, stored.settings)',
      replace: 'const before = stored.settings as Fields',
      killedBy: /^integrations\.put 422: requires the secret again/,
    },
    {
      name: 'the removal of an unknown secret is accepted',
      find: 'given[name] === null && !isKnown(name) && !storedNames.includes(name)',
      replace: 'given[name] === null && isKnown(name) && !storedNames.includes(name)',
      killedBy: /^integrations\.put 422: rejects the removal of an unknown secret/,
    },
  ]),
  ...inFile('packages/domain/src/channels/smtp.ts', [
    {
      name: 'another SMTP account may use the stored password',
      find: `secretDestination: { settings: ['host', 'port', 'security', 'user'] }`,
      replace: `secretDestination: { settings: ['host', 'port', 'security'] }`,
      killedBy: /^integrations\.put 422: requires the secret again/,
    },
  ]),
]
