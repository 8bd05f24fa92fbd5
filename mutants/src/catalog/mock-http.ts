import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/testing/src/http'

/** Bugs in the mock's HTTP layer: headers, problems, bodies, cursors and idempotency keys. */
export const mockHttpMutants: readonly Mutant[] = [
  ...inFile(`${folder}/authenticate.ts`, [
    {
      name: 'in the mock, last_used_at is always null',
      find: '  key.lastUsedAt = timestamp(context)\n',
      replace: '',
      killedBy: /^apiKeys\.list 200: returns when a key was last used/,
    },
    {
      name: 'in the mock, an expired key is valid',
      find: 'candidate.token === token)\n  if (!key || (key.expiresAt !== null && key.expiresAt <= context.clock.now())) throw invalidToken()',
      replace: 'candidate.token === token)\n  if (!key) throw invalidToken()',
      killedBy: /^notifications\.get 401: rejects a key once it expires, even/,
    },
    {
      name: 'in the mock, a key for one project gives access to all projects',
      find: '...(key.projectId === null ? {} : { projectId: key.projectId }),',
      replace: '',
      killedBy: /^projects\.list 200: lists only the credential's project/,
    },
    {
      name: 'the mock does not check scopes',
      find: '  requireAccess(metadata, principal)\n',
      replace: '',
      killedBy: /^projects\.get 403: rejects a credential without the required/,
    },
  ]),
  ...inFile(`${folder}/request-validation.ts`, [
    {
      name: 'when the mock rejects an invalid send, it does not report errors in times and targets',
      find: 'const lateIssues = lateBodyChecks[operation]?.(context, request) ?? []',
      replace: 'const lateIssues: FieldError[] = []',
      killedBy: /^notifications\.(send|preview) 422: returns the issues in times, targets and/,
    },
  ]),
  ...inFile(`${folder}/fetch.ts`, [
    {
      name: 'the mock keeps an invalid X-Request-Id',
      find: 'requestedId !== null && validRequestId.test(requestedId) ? requestedId',
      replace: 'requestedId !== null ? requestedId',
      killedBy: /^any 200: keeps a valid X-Request-Id/,
    },
    {
      name: 'the mock returns 405 without Allow',
      find: `supports \${match.methods.join(', ')}.\`, { headers })`,
      replace: `supports \${match.methods.join(', ')}.\`)`,
      killedBy: /^any 405/,
    },
  ]),
  ...inFile(`${folder}/responses.ts`, [
    {
      name: "the mock's error responses lack the headers of their error, such as WWW-Authenticate",
      find: `headers: { ...headers, 'Content-Type': \`\${problemMediaType}; charset=utf-8\` }`,
      replace: `headers: { 'Content-Type': \`\${problemMediaType}; charset=utf-8\` }`,
      killedBy: /^projects\.get 401/,
    },
    {
      name: 'the mock returns problems as plain JSON',
      find: `'Content-Type': \`\${problemMediaType}; charset=utf-8\` }`,
      replace: `'Content-Type': json }`,
      killedBy: /^projects\.get 404/,
    },
    {
      name: "browsers may cache the mock's responses",
      find: `  'Cache-Control': 'no-store',\n`,
      replace: '',
      killedBy: /^any 200: disables caching/,
    },
  ]),
  ...inFile(`${folder}/request-validation.ts`, [
    {
      name: 'the mock does not check the media type of a body',
      find: `requireJson(headers.get('content-type'), headers.get('content-encoding'))`,
      replace: '',
      killedBy: /^projects\.create 415/,
    },
    {
      name: 'the mock rejects a body of the maximum size',
      find: 'if (bytes.length > limitBytes)',
      replace: 'if (bytes.length >= limitBytes)',
      killedBy: /^projects\.create 413/,
    },
    {
      name: 'the mock accepts a body for an operation without one',
      find: '    requireEmptyBody(bytes)\n',
      replace: '',
      killedBy: /422: rejects an unexpected body/,
    },
    {
      name: 'the mock reports malformed headers as validation errors',
      find: 'if (malformedHeaders.length > 0) throw malformedHeader(malformedHeaders)',
      replace: 'if (malformedHeaders.length > 0) throw validationFailed(malformedHeaders)',
      killedBy: /^projects\.update 400: rejects a malformed if-match/,
    },
    {
      name: 'the mock ignores unknown parameters of an operation without parameters',
      find: `validatePart('query', route.query ?? noParameters, request.query)`,
      replace: `validatePart('query', route.query, request.query)`,
      killedBy: /^projects\.update 422: rejects an unknown query parameter/,
    },
    {
      name: 'the mock does not check bodies beyond their schemas',
      find: 'const bodyIssues = bodyChecks[operation]?.(context, request) ?? []',
      replace: 'const bodyIssues: FieldError[] = []',
      killedBy: /^flows\.create 422/,
    },
  ]),
  ...inFile(`${folder}/idempotency.ts`, [
    {
      name: 'the mock does not mark replayed responses',
      find: 'headers: { ...stored.response.headers, ...replayedHeaders } }',
      replace: 'headers: { ...stored.response.headers } }',
      killedBy: /^projects\.create 201: replays/,
    },
    {
      name: 'in the mock, all operations share their idempotency keys',
      find: 'toIdempotentOperation(principal.mode, method, path), key]',
      replace: '`all operations`, key]',
      killedBy: /^flows\.create 201: scopes idempotency keys to the/,
    },
    {
      name: 'in the mock, all users share their idempotency keys',
      find: 'JSON.stringify([principal.userId, ',
      replace: `JSON.stringify(['everyone', `,
      killedBy: /^projects\.create 201: scopes idempotency keys to the/,
    },
    {
      name: 'in the mock, the idempotency key of a rejected request cannot be used again',
      find: '    responses.delete(id)\n',
      replace: '',
      killedBy: /^projects\.create 201: releases a rejected/,
    },
    {
      name: 'in the mock, an idempotency key can be reused with another body',
      find: '    if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused()',
      replace: '',
      killedBy: /^projects\.create 422: rejects an idempotency key that was used with a different/,
    },
    {
      name: 'the mock replays a response with a secret',
      find: 'if (!request.isReplayable) throw idempotencyNotReplayable(stored.response.headers)',
      replace: '',
      killedBy: /^apiKeys\.create 409/,
    },
  ]),
  ...inFile(`${folder}/pagination.ts`, [
    {
      name: 'the mock accepts a cursor from another list',
      find: "if (after === '' || encodeCursor(list, filters, after) !== cursor) throw invalidCursor()",
      replace: `if (after === '') throw invalidCursor()`,
      killedBy: /^flows\.list 400/,
    },
    {
      name: 'in the mock, the last page has a cursor for a next page',
      find: 'const last = page.length > data.length ?',
      replace: 'const last = page.length >= data.length ?',
      killedBy: /^flows\.list 200: returns null as next_cursor on/,
    },
    {
      name: 'in the mock, the second page repeats the last resource on the first',
      find: '? row.id > after : row.id < after',
      replace: '? row.id >= after : row.id <= after',
      killedBy: /^flows\.list 200/,
    },
  ]),
  ...inFile(`${folder}/etag.ts`, [
    {
      name: "the mock's ETags are weak",
      find: 'string => `"${digest',
      replace: 'string => `W/"${digest',
      killedBy: /^projects\.get 304/,
    },
  ]),
]
