import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'apps/api/src/features'

/** Bugs in the state that the server's writes leave behind. */
export const serverStateMutants: readonly Mutant[] = [
  ...inFile(`${features}/flows/update-flow.ts`, [
    {
      name: 'a PATCH ignores the value false',
      find: '.filter(([, value]) => value !== undefined)',
      replace: '.filter(([, value]) => Boolean(value))',
      killedBy: /^flows\.patch 200/,
    },
    {
      name: 'a PUT with If-Match does not canonicalize the target',
      find: 'const target = canonicalizeTarget(channels, merged.source_type, merged.target)',
      replace: 'const target = merged.target',
      killedBy: /^flows\.(update|patch) 200: stores the canonical form/,
    },
    {
      name: 'a PUT without If-Match does not canonicalize the target',
      find: 'canonicalizeTarget(deps.channels, body.source_type, body.target),',
      replace: 'body.target,',
      killedBy: /^flows\.update 200: stores the canonical form/,
    },
    {
      name: 'a PUT of the target keeps checked_at',
      find: `  ['checked_at', 'null'],\n`,
      replace: '',
      killedBy: /^flows\.(update|check) 200/,
    },
    {
      name: 'a PATCH of the target keeps checked_at',
      find: '  checkedAt: null,\n',
      replace: '',
      killedBy: /^flows\.(patch|check) 200/,
    },
  ]),
  ...inFile(`${features}/flows/create-flow.ts`, [
    {
      name: 'override_target of a new flow is not stored',
      find: 'overrideTarget: row.override_target',
      replace: 'overrideTarget: false',
      killedBy: /^flows\.create 201: stores every field/,
    },
    {
      name: 'the target of a new flow is not canonicalized',
      find: 'const target = canonicalizeTarget(channels, body.source_type, body.target)',
      replace: 'const target = body.target',
      killedBy: /^flows\.create 201: stores every field/,
    },
    {
      name: 'a new flow is not triggered while the flows of its project are cached',
      find: '  transaction.invalidate(projectTag(row.project_id))\n',
      replace: '',
      killedBy: /^notifications\.send 202/,
    },
  ]),
  ...inFile(`${features}/flows/flow-health.ts`, [
    {
      name: 'there is no event when deliveries change the health of a flow',
      find: '  return factsOf(changes)\n',
      replace: '  return []\n',
      killedBy: /^(flows\.get 200: returns unhealthy after|events\.list 200: returns an event when a sent message)/,
    },
    {
      name: 'new credentials do not reset the count of failures',
      find: `(health_status <> 'unknown' or failures_in_row > 0)`,
      replace: `health_status <> 'unknown'`,
      killedBy: /^flows\.get 200: returns unhealthy after/,
    },
  ]),
  ...inFile(`${features}/integrations/put-integration.ts`, [
    {
      name: 'If-Match: * creates an integration',
      find: 'else if (ifMatch !== undefined) throw',
      replace: `else if (ifMatch !== undefined && ifMatch !== '*') throw`,
      killedBy: /^integrations\.put 412/,
    },
    {
      name: 'messages are still captured after the project gets a credential',
      find: '  transaction.invalidate(projectTag(projectId))\n',
      replace: '',
      killedBy: /^notifications\.send 202: captures the deliveries that a preview reports/,
    },
    {
      name: 'changing a secret does not change updated_at of the integration',
      find: 'stored ? timeOfChange(clock, stored) : clock.now(),',
      replace:
        'stored && Object.entries(settings).every(([name, value]) => stored.settings[name] === value) ? new Date(stored.updated_at) : clock.now(),',
      killedBy: /^integrations\.put 200: keeps an omitted secret/,
    },
    {
      name: 'a changed integration moves to the end of the list',
      find: 'secrets = excluded.secrets, updated_at = excluded.updated_at',
      replace: 'secrets = excluded.secrets, updated_at = excluded.updated_at, id = excluded.id',
      killedBy: /^integrations\.list 200/,
    },
  ]),
]
