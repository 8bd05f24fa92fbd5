import assert from 'node:assert/strict'
import { compositionChecks, definitionChecks } from './conformance/definition-checks.ts'
import { deliveryChecks, failureChecks } from './conformance/delivery-checks.ts'
import { createTestContext } from './conformance/test-context.ts'
import type { ConformanceCase, ConformanceCheck } from './conformance/types.ts'

export type { MockHttpService, MockResponse, ReceivedRequest } from './conformance/http-case.ts'
export { createHttpConformanceCase } from './conformance/http-case.ts'
export type { ConformanceCase, ConformanceCheck, ReceivedMessage, ServerBehavior } from './conformance/types.ts'

/**
 * Creates the checks that every provider must pass. The checks work with any test framework:
 *
 * ```ts
 * for (const check of createConformanceChecks(createCase)) test(check.name, check.run)
 * ```
 *
 * @param createCase Creates a provider, a trusted credential and a local server on 127.0.0.1 that speaks the provider's
 * protocol. Called before each check. The returned case is closed after the check. For a service with an HTTP API, use
 * {@link createHttpConformanceCase}.
 */
export function createConformanceChecks(createCase: () => Promise<ConformanceCase>): readonly ConformanceCheck[] {
  return [...definitionChecks, ...compositionChecks, ...deliveryChecks, ...failureChecks].map(({ name, run }) => ({
    name,
    async run() {
      const conformanceCase = await createCase()
      try {
        assert.equal(
          conformanceCase.credential.trusted,
          true,
          'The credential must be `trusted`; otherwise, the provider cannot connect to 127.0.0.1.',
        )
        await run(createTestContext(conformanceCase))
      } finally {
        await conformanceCase.close()
      }
    },
  }))
}
