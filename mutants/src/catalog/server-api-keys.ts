import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/api-keys'

/** Bugs in the server's API keys, authentication and access control. */
export const serverApiKeyMutants: readonly Mutant[] = [
  ...inFile('apps/api/src/auth/verify-api-key.ts', [
    {
      name: 'last_used_at is always null',
      find: '    deps.onUse(principal.keyId)\n',
      replace: '',
      killedBy: /^apiKeys\.list 200: returns when a key was last used/,
    },
    {
      name: 'an expired key is valid',
      find: '(principal.expiresAt && principal.expiresAt <= clock.now())',
      replace: 'principal.expiresAt === undefined && false',
      killedBy: /^notifications\.get 401: rejects a key once it expires, even/,
    },
    {
      name: 'a key for one project gives access to all projects',
      find: '...(row.project_id === null ? {} : { projectId: row.project_id }),',
      replace: '',
      killedBy: /^projects\.list 200: lists only the credential's project/,
    },
  ]),
  ...inFile('apps/api/src/features/notifications/notification.routes.ts', [
    {
      name: 'a key that expires during a wait stays valid',
      find: `if (waitOptions) await verifyAgain(deps.verifyToken, req.get('authorization'))`,
      replace: '',
      killedBy: /^notifications\.get 401/,
    },
  ]),
  ...inFile(`${folder}/create-child-key.ts`, [
    {
      name: 'a key outlives the key that created it',
      find: 'expiresAt: body.expires_at === undefined ? (principal.expiresAt ?? null)',
      replace: 'expiresAt: body.expires_at === undefined ? null',
      killedBy: /^apiKeys\.create 201: gives a/,
    },
    {
      name: 'a key has all scopes by default',
      find: 'scopes: body.scopes ?? principal.scopes,',
      replace: `scopes: body.scopes ?? ['settings:read', 'settings:write', 'keys:write', 'notifications:send', 'notifications:read'],`,
      killedBy: /^apiKeys\.create 201: gives a/,
    },
    {
      name: "a key created with a project's key gives access to all projects",
      find: 'body.project_id ?? (principal.projectId === undefined ? undefined : ',
      replace: 'body.project_id ?? (principal.projectId !== undefined ? undefined : ',
      killedBy: /^apiKeys\.(list 200: lists only the keys bound|create 201)/,
    },
    {
      name: 'a key is not stored as the child of the key that created it',
      find: 'parentId: principal.keyId ?? null',
      replace: 'parentId: null',
      killedBy: /^apiKeys\.delete 204: immediately revokes a key and the keys it/,
    },
  ]),
  ...inFile(`${folder}/revoke-key.ts`, [
    {
      name: 'revoking a key does not revoke the keys it created',
      find: 'on child.parent_id = tree.id',
      replace: 'on child.parent_id = tree.id and false',
      killedBy: /^apiKeys\.delete 204: immediately revokes a key and the keys it/,
    },
    {
      name: 'a revoked key stays cached',
      find: 'for (const { user_id } of rows) transaction.invalidate(userTag(user_id))',
      replace: '',
      killedBy: /^apiKeys\.delete 204: immediately revokes a key and the keys it/,
    },
  ]),
  ...inFile(`${folder}/api-key.queries.ts`, [
    {
      name: 'revoked keys are listed',
      find: 'and revoked_at is null and id > $3',
      replace: 'and id > $3',
      killedBy: /^apiKeys\.list 200: omits/,
    },
    {
      name: 'keys of other users are listed',
      find: 'where user_id = $1 and ($2::uuid is null or project_id = $2)',
      replace: `where $1 <> '' and ($2::uuid is null or project_id = $2)`,
      killedBy: /^apiKeys\.list 200: omits/,
    },
    {
      name: 'a key for one project lists the keys for all projects',
      find: 'where user_id = $1 and ($2::uuid is null or project_id = $2)',
      replace: 'where user_id = $1 and ($2::uuid is null or $2 is not null)',
      killedBy: /^apiKeys\.list 200: lists only the keys bound to the/,
    },
    {
      name: 'keys of other users can be revoked',
      find: 'where id = $1 and user_id = $2 and ($3::uuid is null',
      replace: `where id = $1 and $2 <> '' and ($3::uuid is null`,
      killedBy: /^apiKeys\.delete 404: returns not_found for another user's resource/,
    },
    {
      name: 'a key for one project can revoke keys for another',
      find: '($3::uuid is null or project_id = $3) and revoked_at is null`,\n    [uuid',
      replace: '($3::uuid is null or $3 is not null) and revoked_at is null`,\n    [uuid',
      killedBy: /^apiKeys\.delete 404: returns not_found for a credential bound to another/,
    },
  ]),
  ...inFile(`${folder}/api-key.routes.ts`, [
    {
      name: 'the response with the secret of a key is stored and replayed',
      find: '{ replayable: false }',
      replace: '{ replayable: true }',
      killedBy: /^apiKeys\.create 409/,
    },
  ]),
  ...inFile('packages/contract/src/rules/api-keys.ts', [
    {
      name: 'a key may have scopes that its creator lacks',
      find: 'if (!isKnown || (scopes as readonly unknown[]).includes(scope)) return []',
      replace: 'return []',
      killedBy: /^apiKeys\.create 422/,
    },
    {
      name: "a key may be created with a later expiry than its creator's",
      find: 'if (expiresAt !== undefined && requestedMs > expiresAt)',
      replace: 'if (expiresAt !== undefined && requestedMs > Number.MAX_VALUE)',
      killedBy: /^apiKeys\.create 422/,
    },
    {
      name: 'a key may be created with an expiry in the past',
      find: 'if (requestedMs <= nowMs)',
      replace: 'if (requestedMs <= 0)',
      killedBy: /^apiKeys\.create 422/,
    },
    {
      name: 'a key may revoke keys with more scopes',
      find: 'if (excess.length > 0)',
      replace: 'if (excess.length > 5)',
      killedBy: /^apiKeys\.delete 403/,
    },
    {
      name: 'a key may revoke keys that never expire',
      find: 'if (key.expiresAt === null || key.expiresAt > credential.expiresAt)',
      replace: 'if (key.expiresAt !== null && key.expiresAt > credential.expiresAt)',
      killedBy: /^apiKeys\.delete 403/,
    },
    {
      name: 'a key may revoke keys that expire later',
      find: 'if (key.expiresAt === null || key.expiresAt > credential.expiresAt)',
      replace: 'if (key.expiresAt === null)',
      killedBy: /^apiKeys\.delete 403/,
    },
    {
      name: 'scopes are returned in the order of the request',
      find: 'knownScopes.filter((scope) => scopes.includes(scope))',
      replace: '[...scopes]',
      killedBy: /^apiKeys\.create 201: creates a key with limited scopes/,
    },
  ]),
  ...inFile('packages/contract/src/rules/access.ts', [
    {
      name: 'the scope of a credential is not checked',
      find: 'if (!credential.scopes.includes(scope)) reject',
      replace: 'if (credential.scopes.length === 0) reject',
      killedBy: /^projects\.get 403: rejects a credential without the required/,
    },
    {
      name: 'a missing scope is reported as not found',
      find: `throw new ApiError('scope_missing', detail, {`,
      replace: `throw new ApiError('not_found', detail, {`,
      killedBy: /^projects\.get 403: rejects a credential without the required/,
    },
    {
      name: 'a credential for one project can create projects',
      find: 'if (unbound && credential.projectId !== undefined) reject',
      replace: `if (unbound && credential.projectId === '') reject`,
      killedBy: /^projects\.create 403: rejects a credential bound to a/,
    },
    {
      name: 'a 401 has no WWW-Authenticate',
      find: `'WWW-Authenticate': \`Bearer realm="flowpost"\${error`,
      replace: `'X-Authenticate': \`Bearer realm="flowpost"\${error`,
      killedBy: /^projects\.get 401/,
    },
    {
      name: 'a 401 for an unknown token does not say invalid_token',
      find: `revoked.', 'invalid_token')`,
      replace: `revoked.')`,
      killedBy: /^projects\.list 401: rejects an unknown token/,
    },
    {
      name: 'the scheme of a credential is case-sensitive',
      find: '{1,8192}=*)$/i',
      replace: '{1,8192}=*)$/',
      killedBy: /^projects\.list (200|401): .*scheme/,
    },
    {
      name: 'a token without a scheme is accepted',
      find: 'const bearer = /^Bearer +(',
      replace: 'const bearer = /^(?:Bearer +)?(',
      killedBy: /^projects\.list (200|401): .*scheme/,
    },
  ]),
]
