import type { ConformanceTarget } from '@flowpost/testing/conformance'
import type { ModelTarget } from '@flowpost/testing/conformance/model'
import type { Mutant } from '../mutant.ts'
import { type RunningProgram, startProgram } from './child-process.ts'

const program = new URL('../programs/serve-mock.ts', import.meta.url)

/** The targets of the mocks to test. The mock process sends them when it is ready. */
interface MockTargets {
  readonly conformance: readonly ConformanceTarget[]
  readonly model: Omit<ModelTarget, 'tick' | 'clock'>
}

/**
 * Starts a process that serves one mock for each deployment that the conformance suite tests, and one for the
 * comparison with the server.
 */
export const startMockProcess = (mutant: Mutant | undefined, environment: Readonly<Record<string, string>>) =>
  startProgram<MockTargets>({
    program,
    mutant,
    environment,
    findReady: (_output, message) => message as MockTargets | undefined,
  })

/** Returns the mock that is compared with the server. */
export const mockModelTarget = ({ ready, request }: RunningProgram<MockTargets>): ModelTarget => ({
  ...ready.model,
  tick: () => request({ advance: true }),
})
