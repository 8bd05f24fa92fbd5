import { missingRequirement, runScenario, scenarios } from '@flowpost/testing/conformance'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { conformanceEnvironment, conformanceTarget } from './support/conformance-target.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
let server: TestServer

beforeAll(async () => {
  smtp = await startSmtpSink()
  server = await startTestServer({ env: conformanceEnvironment(smtp.url) })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

// Only shows which scenarios can run. The server starts later.
const shape = conformanceTarget({ url: '', keys: { alice: '', bob: ' ' } })

describe('conformance of the server', () => {
  for (const scenario of scenarios)
    it.skipIf(missingRequirement(shape, scenario.requirements))(scenario.name, () => runScenario(scenario, conformanceTarget(server)))
})
