import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/testing/src'

/** Bugs in single headers and fields of the mock's responses, and in the state that a write leaves behind. */
export const mockResponseMutants: readonly Mutant[] = [
  ...inFile(`${folder}/features/projects.ts`, [
    {
      name: 'the mock returns 304 without an ETag',
      find: '{ status: 304, body: undefined, headers: { ETag: etag } }',
      replace: '{ status: 304, body: undefined }',
      killedBy: /^projects\.get 304/,
    },
  ]),
  ...inFile(`${folder}/features/flows.ts`, [
    {
      name: 'in the mock, a PATCH ignores the value false',
      find: '.filter(([, value]) => value !== undefined)',
      replace: '.filter(([, value]) => Boolean(value))',
      killedBy: /^flows\.patch 200/,
    },
    {
      name: 'the mock does not store override_target of a new flow',
      find: '        override_target,\n        message_template,',
      replace: '        override_target: false,\n        message_template,',
      killedBy: /^flows\.create 201: stores every field/,
    },
    {
      name: 'the mock does not canonicalize the target of a new flow',
      find: 'const target = canonicalizeTarget(channelsOf(context), body.source_type, body.target)',
      replace: 'const target = body.target',
      killedBy: /^flows\.create 201: stores every field/,
    },
    {
      name: 'the mock does not canonicalize the target of a changed flow',
      find: 'const target = canonicalizeTarget(channelsOf(context), merged.source_type, merged.target)',
      replace: 'const target = merged.target',
      killedBy: /^flows\.(update|patch) 200: stores the canonical form/,
    },
    {
      name: "the mock keeps a flow's checked_at when its target changes",
      find: '{ condition: unknownHealth, checked_at: null } : {}',
      replace: '{ condition: unknownHealth } : {}',
      killedBy: /^flows\.(update|patch|check) 200/,
    },
  ]),
  ...inFile(`${folder}/features/integrations.ts`, [
    {
      name: 'in the mock, changing an integration resets created_at',
      find: 'created_at: before?.created_at ?? now',
      replace: 'created_at: now',
      killedBy: /^integrations\.put 200/,
    },
    {
      name: 'in the mock, a changed integration moves to the end of the list',
      find: 'store.integrations.set(key, after)',
      replace: 'store.integrations.delete(key)\n      store.integrations.set(key, after)',
      killedBy: /^integrations\.list 200/,
    },
    {
      name: 'If-Match: * creates an integration in the mock',
      find: 'else if (ifMatch !== null) throw',
      replace: `else if (ifMatch !== null && ifMatch !== '*') throw`,
      killedBy: /^integrations\.put 412/,
    },
  ]),
  ...inFile(`${folder}/features/api-keys.ts`, [
    {
      name: 'the mock returns scopes in the order of the request',
      find: 'scopes: sortScopes(key.scopes)',
      replace: 'scopes: [...key.scopes]',
      killedBy: /^apiKeys\.create 201/,
    },
    {
      name: "in the mock, a key created with a project's key gives access to all projects",
      find: 'const requestedProjectId = body.project_id ?? principal.projectId',
      replace: 'const requestedProjectId = body.project_id',
      killedBy: /^apiKeys\.create 201/,
    },
  ]),
  ...inFile(`${folder}/features/notifications.ts`, [
    {
      name: "in the mock, a credential for one project reads another project's notifications",
      find: '|| isBoundElsewhere) throw notFound()',
      replace: ') throw notFound()',
      killedBy: /^notifications\.get 404/,
    },
    {
      name: "in the mock, a cursor from one notification lists another notification's deliveries",
      find: '{ notification_id: params.notification_id }',
      replace: '{}',
      killedBy: /^notifications\.deliveries 400/,
    },
  ]),
  ...inFile(`${folder}/delivery/dispatcher.ts`, [
    {
      name: 'the mock sets no provider_message_id',
      find: 'delivery.provider_message_id = outcome.providerMessageId',
      replace: 'delivery.provider_message_id = null',
      killedBy: /^notifications\.get 200: returns partially_sent/,
    },
    {
      name: 'the mock does not count attempts',
      find: '    delivery.attempt_count += 1\n',
      replace: '',
      killedBy: /^notifications\.(get|send) 20/,
    },
  ]),
  ...inFile(`${folder}/http/operations.ts`, [
    {
      name: 'the mock does not support HEAD',
      find: `const servedMethod = method === 'HEAD' ? 'GET' : method`,
      replace: 'const servedMethod = method',
      killedBy: /HEAD/,
    },
  ]),
  ...inFile(`${folder}/http/fetch.ts`, [
    {
      name: 'the mock replaces an X-Request-Id of 65 characters',
      find: '{1,128}$/',
      replace: '{1,64}$/',
      killedBy: /^any 200: keeps an X-Request-Id of 128/,
    },
    {
      name: 'the mock responds to OPTIONS without Allow',
      find: `if (method === 'OPTIONS') return { status: 204, headers,`,
      replace: `if (method === 'OPTIONS') return { status: 204, headers: {},`,
      killedBy: /^any 204/,
    },
  ]),
]
