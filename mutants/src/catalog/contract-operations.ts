import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/contract/src'

/** Server bugs in the declarations of operations: scopes, defaults and limits of individual fields. */
export const contractOperationMutants: readonly Mutant[] = [
  ...inFile(`${folder}/projects.ts`, [
    {
      name: 'a credential for one project can delete that project by the id in the path',
      find: '{ ...deleteAccess.metadata, unbound: true },\n    },\n    deleteByQuery',
      replace: 'deleteAccess.metadata,\n    },\n    deleteByQuery',
      killedBy: /^projects\.delete 403/,
    },
    {
      name: 'a credential for one project can delete that project by the id in the query',
      find: '{ ...deleteAccess.metadata, unbound: true },\n    },\n  },',
      replace: 'deleteAccess.metadata,\n    },\n  },',
      killedBy: /^projects\.deleteByQuery 403/,
    },
    {
      name: 'renaming a project needs only settings:read',
      find: `const updateAccess = declareWrite('settings:write'`,
      replace: `const updateAccess = declareWrite('settings:read'`,
      killedBy: /^projects\.update 403/,
    },
  ]),
  ...inFile(`${folder}/flows.ts`, [
    {
      name: 'checking a flow needs only settings:read',
      find: `const checkAccess = declareRead('settings:write'`,
      replace: `const checkAccess = declareRead('settings:read'`,
      killedBy: /^flows\.check 403/,
    },
    {
      name: 'a new flow is inactive by default',
      find: 'fields.active.default(true)',
      replace: 'fields.active.default(false)',
      killedBy: /^flows\.create 201/,
    },
    {
      name: 'a new flow allows override targets by default',
      find: 'fields.override_target.default(false)',
      replace: 'fields.override_target.default(true)',
      killedBy: /^flows\.create 201/,
    },
    {
      name: 'a new template is HTML by default',
      find: `fields.message_template_type.default('text/plain')`,
      replace: `fields.message_template_type.default('text/html')`,
      killedBy: /^flows\.create 201/,
    },
    {
      name: 'a PUT without override_target turns it off',
      find: 'z.strictObject(fields).meta({',
      replace: 'z.strictObject({ ...fields, override_target: fields.override_target.default(false) }).meta({',
      killedBy: /^flows\.update 422/,
    },
    {
      name: 'a PATCH ignores unknown fields',
      find: '.strictObject({ ...fields, key })\n  .partial()',
      replace: '.object({ ...fields, key })\n  .partial()',
      killedBy: /^flows\.patch 422/,
    },
  ]),
  ...inFile(`${folder}/notification-send.ts`, [
    {
      name: 'a subject may have at most 997 characters',
      find: 'Text({ max: 998,',
      replace: 'Text({ max: 997,',
      killedBy: /^notifications\.(send|preview) (202|200|422)/,
    },
    {
      name: 'a message is HTML by default',
      find: `TextType.default('text/plain')`,
      replace: `TextType.default('text/html')`,
      killedBy: /^notifications\.(send|preview) 20/,
    },
    {
      name: 'a notification may have 21 metadata entries',
      find: 'const maxMetadataEntries = 20',
      replace: 'const maxMetadataEntries = 21',
      killedBy: /^notifications\.(send|preview) 422: rejects an invalid reference/,
    },
  ]),
  ...inFile(`${folder}/notifications.ts`, [
    {
      name: 'canceling a notification needs only notifications:read',
      find: `const cancelAccess = declareRead('notifications:send'`,
      replace: `const cancelAccess = declareRead('notifications:read'`,
      killedBy: /^notifications\.cancel 403/,
    },
    {
      name: 'a preview needs only notifications:read',
      find: `const previewAccess = declareWrite('notifications:send'`,
      replace: `const previewAccess = declareWrite('notifications:read'`,
      killedBy: /^notifications\.preview 403/,
    },
    {
      name: 'a request may wait 61 seconds',
      find: 'QueryInteger(1, 60)',
      replace: 'QueryInteger(1, 61)',
      killedBy: /^notifications\.get 422/,
    },
  ]),
  ...inFile(`${folder}/integrations.ts`, [
    {
      name: 'deleting an integration needs only settings:read',
      find: `const deleteAccess = declareRead('settings:write'`,
      replace: `const deleteAccess = declareRead('settings:read'`,
      killedBy: /^integrations\.delete 403/,
    },
  ]),
  ...inFile(`${folder}/api-keys.ts`, [
    {
      name: 'listing API keys needs keys:write',
      find: `const listAccess = declareRead('settings:read'`,
      replace: `const listAccess = declareRead('keys:write'`,
      killedBy: /^apiKeys\.list 403/,
    },
  ]),
  ...inFile(`${folder}/headers.ts`, [
    {
      name: 'an idempotency key may have at most 254 characters',
      find: '{1,255}$/',
      replace: '{1,254}$/',
      killedBy: /^projects\.create 201: accepts idempotency keys of up to 255/,
    },
    {
      name: 'an idempotency key may contain blanks',
      find: '[\\x21-\\x7e]{1,255}$/',
      replace: '[\\x20-\\x7e]{1,255}$/',
      killedBy: /^projects\.create 201: accepts idempotency keys of up to 255/,
    },
  ]),
  ...inFile(`${folder}/events.ts`, [
    {
      name: 'a read of the feed rejects wait=0',
      find: 'wait: QueryInteger(0, 60)',
      replace: 'wait: QueryInteger(1, 60)',
      killedBy: /^events\.list 200: waits until there is an event/,
    },
  ]),
]
