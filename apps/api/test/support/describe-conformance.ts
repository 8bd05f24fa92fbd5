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
 * Returns whether a scenario is the first success of its operation, or the first with its status in a group of operations, such
 * as flows.
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
 * Defines a test for each scenario, on the deployment that the scenario requires. `first` selects the first success of each
 * operation, the first of each error in a group of operations, and scenarios without an operation. `others` selects the rest.
 */
export const describeConformance = (which: 'first' | 'others'): void => {
  for (const deployment of conformanceDeployments) {
    const selected = deployment.scenarios.filter((...scenario) => isFirst(...scenario) === (which === 'first'))
    if (selected.length > 0) describeDeployment(deployment, selected)
  }
}
