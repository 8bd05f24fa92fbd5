import assert from 'node:assert/strict'
import { conformanceRun } from './conformance/run.ts'
import { composeChecks, definitionChecks } from './conformance/static-checks.ts'
import type { ConformanceCase, ConformanceCheck } from './conformance/types.ts'
import { failureChecks, transferChecks } from './conformance/wire-checks.ts'

export type { HttpProtocol, HttpReply, ReceivedRequest } from './conformance/http-case.ts'
export { httpConformanceCase } from './conformance/http-case.ts'
export type { Behaviour, ConformanceCase, ConformanceCheck, ReceivedMessage } from './conformance/types.ts'

/**
 * What every provider must do, as named checks without a test framework:
 *
 * ```ts
 * for (const check of providerConformance(makeCase)) test(check.name, check.run)
 * ```
 *
 * @param makeCase Makes a provider, a credential and a local server that speaks the provider's protocol. Called for
 *   each check, and closed after it. The server listens on 127.0.0.1, and the credential is marked `trusted`.
 *   {@link httpConformanceCase} makes one for a service with an HTTP API.
 */
export function providerConformance(makeCase: () => Promise<ConformanceCase>): readonly ConformanceCheck[] {
  return [...definitionChecks, ...composeChecks, ...transferChecks, ...failureChecks].map(({ name, run }) => ({
    name,
    async run() {
      const subject = await makeCase()
      try {
        assert.equal(subject.credential.trusted, true, 'The credential of a conformance case must be trusted, to reach 127.0.0.1.')
        await run(conformanceRun(subject))
      } finally {
        await subject.close()
      }
    },
  }))
}
