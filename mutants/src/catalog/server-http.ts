import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/http'

/** Bugs in the server's HTTP layer: headers, problems, bodies, cursors and idempotency keys. */
export const serverHttpMutants: readonly Mutant[] = [
  ...inFile(`${folder}/request-context.ts`, [
    {
      name: 'responses have no X-Request-Id',
      find: `response.setHeader('X-Request-Id', requestId)`,
      replace: '',
      killedBy: /^any 404: returns not_found for an unknown path/,
    },
    {
      name: 'the X-Request-Id of a request is replaced',
      find: '&& safeRequestId.test(incoming) ? incoming : randomUUID()',
      replace: '&& safeRequestId.test(incoming) ? randomUUID() : randomUUID()',
      killedBy: /^any 200: keeps a valid X-Request-Id/,
    },
    {
      name: 'an X-Request-Id with unsafe characters is accepted',
      find: `typeof incoming === 'string' && safeRequestId.test(incoming)`,
      replace: `typeof incoming === 'string'`,
      killedBy: /^any 200: keeps a valid X-Request-Id/,
    },
  ]),
  ...inFile(`${folder}/hardening.ts`, [
    {
      name: 'browsers may cache responses',
      find: `'Cache-Control': 'no-store'`,
      replace: `'Cache-Control': 'max-age=60'`,
      killedBy: /^any 200: disables caching/,
    },
    {
      name: 'browsers may sniff the type of responses',
      find: `  'X-Content-Type-Options': 'nosniff',\n`,
      replace: '',
      killedBy: /^any 200: disables caching/,
    },
  ]),
  ...inFile(`${folder}/problem-response.ts`, [
    {
      name: 'problems are plain JSON',
      find: '.type(problemMediaType)',
      replace: `.type('application/json')`,
      killedBy: /^projects\.get 404/,
    },
    {
      name: 'error responses lack the headers of their error, such as WWW-Authenticate',
      find: 'response.status(error.status).set(error.headers)',
      replace: 'response.status(error.status)',
      killedBy: /^projects\.get 401/,
    },
    {
      name: 'a path that cannot be decoded is an internal error',
      find: 'if (error instanceof URIError) return notFound()',
      replace: '',
      killedBy: /^any 404: returns not_found for a path that cannot be decoded/,
    },
  ]),
  ...inFile(`${folder}/unmatched.ts`, [
    {
      name: 'a 405 has no Allow',
      find: ', { headers: { Allow: allow } })',
      replace: ')',
      killedBy: /^any 405/,
    },
    {
      name: 'Allow does not contain HEAD',
      find: `if (method === 'GET') entry.methods.add('HEAD')`,
      replace: '',
      killedBy: /^any 405/,
    },
    {
      name: 'an unsupported method is not found',
      find: `throw new ApiError('method_not_allowed',`,
      replace: `throw new ApiError('not_found',`,
      killedBy: /^any 405/,
    },
  ]),
  ...inFile(`${folder}/check-bodies.ts`, [
    {
      name: 'a malformed header is a validation error',
      find: 'if (headers.length > 0) return malformedHeader(headers)',
      replace: 'if (headers.length > 0) return validationFailed(headers)',
      killedBy: /^projects\.update 400: rejects a malformed if-match/,
    },
    {
      name: 'errors in the query are returned, but not errors in the body',
      find: `...toFieldErrors('query', error.query, request.query), ...toFieldErrors('body', error.body, request.body)`,
      replace: `...toFieldErrors('query', error.query, request.query)`,
      killedBy: /^projects\.create 422/,
    },
    {
      name: 'unknown parameters of an operation without parameters are ignored',
      find: 'const query = route.query ? [] : queryIssues(route, request)',
      replace: 'const query: FieldError[] = []',
      killedBy: /^projects\.update 422: rejects an unknown query parameter/,
    },
    {
      name: 'only the first issue is returned',
      find: 'firstErrorPerField([...queryIssues(route, request), ...texts, ...body, ...checked])',
      replace: '[...queryIssues(route, request), ...texts, ...body, ...checked].slice(0, 1)',
      killedBy: /^flows\.create 422: returns schema issues and provider issues together/,
    },
    {
      name: 'a field can have two issues',
      find: 'firstErrorPerField([...queryIssues(route, request), ...texts, ...body, ...checked])',
      replace: '[...queryIssues(route, request), ...texts, ...body, ...checked]',
      killedBy: /^flows\.create 422/,
    },
    {
      name: 'texts that the database cannot store are not rejected in unknown fields',
      find: 'const texts = findTextErrors(request.body, (route.metadata as OperationMetadata).itemsField)',
      replace: 'const texts: FieldError[] = []',
      killedBy: /422: rejects U\+0000/,
    },
  ]),
  ...inFile(`${folder}/json-body.ts`, [
    {
      name: 'a body may have twice the maximum size',
      find: 'const bytes = await readBytes(request, limitBytes)',
      replace: 'const bytes = await readBytes(request, 2 * limitBytes)',
      killedBy: /^projects\.create 413/,
    },
    {
      name: 'a body of the maximum size is rejected',
      find: 'const bytes = await readBytes(request, limitBytes)',
      replace: 'const bytes = await readBytes(request, limitBytes - 1)',
      killedBy: /^projects\.create 413/,
    },
    {
      name: 'the body of an operation without a body is ignored',
      find: 'requireEmptyBody(await readBytes(request, maxEmptyBodyBytes))',
      replace: 'await readBytes(request, maxEmptyBodyBytes)',
      killedBy: /422: rejects an unexpected body/,
    },
    {
      name: 'the media type of a body is not checked',
      find: `requireJson(request.headers['content-type'], request.headers['content-encoding'])`,
      replace: '',
      killedBy: /^projects\.create 415/,
    },
  ]),
  ...inFile(`${folder}/rate-limit.ts`, [
    {
      name: 'one request above the rate limit is accepted',
      find: 'if (state.consumedPoints > limit.requests)',
      replace: 'if (state.consumedPoints > limit.requests + 1)',
      killedBy: /^any 429/,
    },
    {
      name: 'a 429 for the rate limit has no Retry-After',
      find: `headers: { ...rateLimitHeaders(policy, limit, state), 'Retry-After': String(secondsLeft(state)) },`,
      replace: 'headers: rateLimitHeaders(policy, limit, state),',
      killedBy: /^any 429/,
    },
    {
      name: 'responses below the rate limit have no RateLimit header',
      find: '    response.set(rateLimitHeaders(policy, limit, state))\n  }\n  const penalize',
      replace: '  }\n  const penalize',
      killedBy: /^any 429/,
    },
    {
      name: 'all credentials share a rate limit',
      find: 'limiter.consume(key)',
      replace: `limiter.consume('everyone')`,
      killedBy: /^any 429/,
    },
  ]),
  ...inFile(`${folder}/pagination.ts`, [
    {
      name: 'a cursor from another list is accepted',
      find: 'if (!bytes.subarray(1, 1 + hashBytes).equals(hashOf(list, filters, id))) throw invalidCursor()',
      replace: '',
      killedBy: /^flows\.list 400: rejects another list's cursor/,
    },
    {
      name: 'a cursor with a non-canonical encoding is accepted',
      find: 'if (!canonical || bytes.length',
      replace: 'if (bytes.length',
      killedBy: /^(projects|flows)\.list 400/,
    },
    {
      name: 'the last page has a cursor for a next page',
      find: 'const next = rows.length > data.length ?',
      replace: 'const next = rows.length >= data.length ?',
      killedBy: /^flows\.list 200: returns null as next_cursor on/,
    },
  ]),
  ...inFile(`${folder}/idempotency-key.ts`, [
    {
      name: 'a replayed response is not marked',
      find: 'headers: { ...stored.headers, ...replayedHeaders }',
      replace: 'headers: stored.headers',
      killedBy: /^projects\.create 201: replays/,
    },
    {
      name: 'a replay lacks the headers of the first response',
      find: 'headers: { ...stored.headers, ...replayedHeaders }',
      replace: 'headers: replayedHeaders',
      killedBy: /^projects\.create 201: replays/,
    },
    {
      name: 'all operations share their idempotency keys',
      find: 'toIdempotentOperation(principal.mode, method, path), key]',
      replace: '`all operations`, key]',
      killedBy: /^flows\.create 201: scopes idempotency keys to the/,
    },
    {
      name: 'all paths of an operation share their idempotency keys',
      find: 'createKey(principal, method, buildOperationPath(path, request.params as Readonly<Record<string, string>>), key, body)',
      replace: 'createKey(principal, method, path, key, body)',
      killedBy: /^flows\.create 201: scopes idempotency keys to the/,
    },
    {
      name: 'all users share their idempotency keys',
      find: 'const id = [principal.userId, ',
      replace: `const id = ['everyone', `,
      killedBy: /^projects\.create 201: scopes idempotency keys to the/,
    },
    {
      name: 'an idempotency key depends on the spelling of the path',
      find: 'createKey(principal, method, buildOperationPath(path, request.params as Readonly<Record<string, string>>), key, body)',
      replace: 'createKey(principal, method, request.path, key, body)',
      killedBy: /^notifications\.cancel 200: replays a response for a different spelling/,
    },
    {
      name: 'an idempotency key can be reused with another body',
      find: 'if (!fingerprint.equals(stored.fingerprint)) throw idempotencyKeyReused()',
      replace: '',
      killedBy: /^projects\.create 422: rejects an idempotency key that was used with a different/,
    },
  ]),
  ...inFile(`${folder}/idempotency.ts`, [
    {
      name: 'responses are not stored under their idempotency key',
      find: `response.body }, replayable)\n        await`,
      replace: `response.body }, replayable)\n        if (stored.status === 0) await`,
      killedBy: /^projects\.create 201: replays/,
    },
  ]),
]
