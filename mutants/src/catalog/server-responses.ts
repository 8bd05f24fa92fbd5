import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'apps/api/src/features'
const http = 'apps/api/src/http'

/** Bugs in single headers and fields of the server's responses. */
export const serverResponseMutants: readonly Mutant[] = [
  ...inFile(`${features}/projects/project.routes.ts`, [
    {
      name: 'a 304 for a project has no ETag',
      find: `res.set('ETag', etag)`,
      replace: `if (!isNotModified(req.get('if-none-match'), etag)) res.set('ETag', etag)`,
      killedBy: /^projects\.get 304/,
    },
  ]),
  ...inFile(`${features}/integrations/integration.routes.ts`, [
    {
      name: 'a 304 for an integration has no ETag',
      find: `res.set('ETag', etag)`,
      replace: `if (!isNotModified(req.get('if-none-match'), etag)) res.set('ETag', etag)`,
      killedBy: /^integrations\.get 304/,
    },
  ]),
  ...inFile(`${features}/projects/update-project.ts`, [
    {
      name: 'the response to renaming a project has the old updated_at',
      find: 'const row = { ...stored, name, key, updated_at: now }',
      replace: 'const row = { ...stored, name, key }',
      killedBy: /^projects\.update 200/,
    },
  ]),
  ...inFile(`${features}/notifications/notification.routes.ts`, [
    {
      name: 'the replayed response to a cancel is not marked',
      find: 'res.set(response.headers)\n      return { status: 200',
      replace: 'return { status: 200',
      killedBy: /^notifications\.cancel 200/,
    },
    {
      name: 'the replayed response to a retry is not marked',
      find: 'queue.notify()\n      res.set(response.headers)',
      replace: 'queue.notify()',
      killedBy: /^notifications\.retry 202: replays/,
    },
  ]),
  ...inFile(`${http}/request-context.ts`, [
    {
      name: 'an X-Request-Id of 65 characters is replaced',
      find: '{1,128}$/',
      replace: '{1,64}$/',
      killedBy: /^any 200: keeps an X-Request-Id of 128/,
    },
    {
      name: 'an X-Request-Id may have any length',
      find: '{1,128}$/',
      replace: '+$/',
      killedBy: /^any 200: keeps an X-Request-Id of 128/,
    },
  ]),
  ...inFile(`${http}/problem-response.ts`, [
    {
      name: 'the request_id of a problem differs from the response header',
      find: 'contextOf(response).requestId)',
      replace: 'crypto.randomUUID())',
      killedBy: /^any 404/,
    },
  ]),
  ...inFile(`${http}/rate-limit.ts`, [
    {
      name: 'responses do not state the policy of the rate limit',
      find: '  \'RateLimit-Policy\': `"${policy}";q=${limit.requests};w=${limit.seconds}`,\n',
      replace: '',
      killedBy: / 429/,
    },
  ]),
  ...inFile(`${http}/unmatched.ts`, [
    {
      name: 'the response to OPTIONS has no Allow',
      find: `response.set('Allow', allow).status(204).end()`,
      replace: 'response.status(204).end()',
      killedBy: /^any 204/,
    },
  ]),
  ...inFile('packages/contract/src/rules/access.ts', [
    {
      name: 'a 403 does not name the missing scope',
      find: 'error="insufficient_scope", scope="${scope}"`',
      replace: 'error="insufficient_scope"`',
      killedBy: /^projects\.get 403/,
    },
  ]),
  ...inFile(`${features}/notifications/preview-notification.ts`, [
    {
      name: 'a preview does not say that messages are captured',
      find: "    test ? 'on' : capture,\n    plan.matched",
      replace: `    'off',\n    plan.matched`,
      killedBy: /^notifications\.preview 200/,
    },
  ]),
  ...inFile(`${features}/notifications/notification.queries.ts`, [
    {
      // The description of `attempts` says: "The most recent attempts, oldest first: up to 20 when embedded in a notification".
      name: 'a notification contains the first attempts of a delivery instead of the most recent ones',
      find: 'where delivery_id = d.id order by number desc limit $2',
      replace: 'where delivery_id = d.id order by number limit $2',
      killedBy: /^notifications\.get 200: embeds only the latest 20/,
    },
  ]),
  ...inFile(`${features}/notifications/notification.serializer.ts`, [
    {
      name: 'a delivery that is waiting for a retry has no next_attempt_at',
      find: 'next_attempt_at: timestampOrNull(row.next_attempt_at),',
      replace: "next_attempt_at: row.status === 'queued' ? timestampOrNull(row.next_attempt_at) : null,",
      killedBy: /^notifications\.get 200: simulates a provider that is unavailable/,
    },
  ]),
]
