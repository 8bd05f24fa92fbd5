import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'

/** Server bugs in the rules for test keys. */
export const testKeyMutants: readonly Mutant[] = [
  ...inFile(`${server}/api-keys/create-child-key.ts`, [
    {
      name: 'a test key creates live keys by default',
      find: 'mode: body.mode ?? principal.mode',
      replace: `mode: body.mode ?? 'live'`,
      killedBy: /^apiKeys\.create 201: creates live keys by default, and test keys/,
    },
  ]),
  ...inFile('packages/contract/src/rules/api-keys.ts', [
    {
      name: 'a test key can create live keys on request',
      find: `mode === 'test' && requested === 'live'`,
      replace: 'false',
      killedBy: /^apiKeys\.create 422: does not let a test key/,
    },
    {
      name: 'a test key revokes live keys',
      find: `key.mode === 'live' && credential.mode === 'test'`,
      replace: 'false',
      killedBy: /^apiKeys\.delete 403: does not let a test key/,
    },
    {
      name: 'a test key retries live notifications',
      find: `if (credential.mode === 'test' && !notification.test)\n    rejectRight(\n      'A test key cannot retry`,
      replace: `if (false)\n    rejectRight(\n      'A test key cannot retry`,
      killedBy: /^notifications\.retry 403/,
    },
  ]),
  ...inFile('packages/contract/src/rules/idempotency.ts', [
    {
      name: 'test keys and live keys share idempotency keys',
      find: `mode === 'test' ? 'test ' : ''`,
      replace: `''`,
      killedBy: /^notifications\.send 202: does not share idempotency keys/,
    },
  ]),
  ...inFile(`${server}/notifications/prepare-notification.ts`, [
    {
      name: 'a message sent with a test key is captured only if a live message would be captured too',
      find: `test ? 'on' : deps.capture`,
      replace: 'deps.capture',
      killedBy: /^notifications\.send 202: captures notifications sent with a test key/,
    },
    {
      name: 'a test key may send to a misspelled simulated recipient',
      find: '  if (test) requireKnownSimulations(plan, deps.channels)',
      replace: '',
      killedBy: /^notifications\.send 422: rejects a misspelled/,
    },
  ]),
  ...inFile(`${server}/delivery/attempts/send.ts`, [
    {
      name: 'simulated failures are ignored',
      find: 'attempt.test ? requireSimulatedSuccess(provider, attempt) : undefined',
      replace: 'undefined',
      killedBy: /^notifications\.get 200: simulates a permanent rejection/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/simulated-recipients.ts', [
    {
      name: 'a simulated outage causes one failure too few',
      find: 'attemptNumber <= failures',
      replace: 'attemptNumber < failures',
      killedBy: /^notifications\.get 200: simulates two transient failures/,
    },
    {
      name: 'a slow recipient is not slow',
      find: 'durationMs: seconds * 1_000',
      replace: 'durationMs: 0 * seconds',
      killedBy: /^notifications\.get 200: simulates a provider that takes a second/,
    },
  ]),
]
