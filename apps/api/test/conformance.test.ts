import { type ConformanceTarget, missingRequirement, runScenario } from '@flowpost/testing/conformance'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { conformanceDeployments } from './support/conformance-deployments.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
beforeAll(async () => {
  smtp = await startSmtpSink()
})
afterAll(() => smtp[Symbol.asyncDispose]())

for (const { name, shape, scenarios, environment } of conformanceDeployments) {
  const target: ConformanceTarget = { ...shape, baseUrl: '', apiKey: '', otherApiKey: ' ' }

  describe(`conformance of ${name}`, () => {
    let server: TestServer

    beforeAll(async () => {
      server = await startTestServer({ env: environment(smtp.url) })
    })
    afterAll(() => server[Symbol.asyncDispose]())

    for (const scenario of scenarios)
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () =>
        runScenario(scenario, { ...target, baseUrl: server.url, apiKey: server.keys.alice, otherApiKey: server.keys.bob }),
      )
  })
}
