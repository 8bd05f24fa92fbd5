import { type ConformanceTarget, missingRequirement, runScenario, type Scenario } from '@flowpost/testing/conformance'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type ConformanceDeployment, conformanceDeployments } from './conformance-deployments.ts'
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts'
import { startTestServer, type TestServer } from './test-server.ts'

const describeDeployment = ({ name, shape, environment }: ConformanceDeployment, selected: readonly Scenario[]): void => {
  const target: ConformanceTarget = { ...shape, baseUrl: '', apiKey: '', otherApiKey: ' ' }

  describe(`conformance of ${name}`, () => {
    let smtp: SmtpSink
    let server: TestServer
    beforeAll(async () => {
      smtp = await startSmtpSink()
      server = await startTestServer({ env: environment(smtp.url) })
    })
    afterAll(async () => {
      await server[Symbol.asyncDispose]()
      await smtp[Symbol.asyncDispose]()
    })

    for (const scenario of selected)
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () =>
        runScenario(scenario, { ...target, baseUrl: server.url, apiKey: server.keys.alice, otherApiKey: server.keys.bob }),
      )
  })
}

const isSuccess = ({ status }: Scenario): boolean => status < 300

/**
 * Returns whether a scenario belongs to the normal test run. For each operation, that is the first success. For each group of
 * operations, such as flows, it is the first scenario with each error status. Scenarios without an operation always belong.
 */
const isFirst = (scenario: Scenario, index: number, all: readonly Scenario[]): boolean => {
  const { operation, status } = scenario
  if (operation === null) return true
  const group = `${operation.split('.')[0]}.`
  const isSame = isSuccess(scenario)
    ? (other: Scenario) => other.operation === operation && isSuccess(other)
    : (other: Scenario) => other.operation?.startsWith(group) && other.status === status
  return all.findIndex(isSame) === index
}

/**
 * Defines a test for each selected scenario, on the deployment that the scenario requires. `first` selects the scenarios for
 * the normal test run; see {@link isFirst}. `others` selects the rest.
 */
export const describeConformance = (which: 'first' | 'others'): void => {
  for (const deployment of conformanceDeployments) {
    const selected = deployment.scenarios.filter((...scenario) => isFirst(...scenario) === (which === 'first'))
    if (selected.length > 0) describeDeployment(deployment, selected)
  }
}
