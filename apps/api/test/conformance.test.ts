import { type ConformanceTarget, missingRequirement, runScenario, scenarios } from '@flowpost/testing/conformance'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
let server: TestServer

beforeAll(async () => {
  smtp = await startSmtpSink()
  server = await startTestServer({
    env: {
      FLOWPOST_RATE_LIMIT: 'off',
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_SMTP_URL: smtp.url,
      FLOWPOST_EMAIL_FROM: 'noreply@example.com',
      // The suite stores credentials of projects, which requires an encryption key.
      FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const target: ConformanceTarget = {
  baseUrl: '',
  apiKey: '',
  otherApiKey: ' ',
  mayDeliver: true,
  unconfigured: {
    source_type: 'slack',
    target: 'C024BE91L',
    settings: {},
    secrets: { token: 'xoxb-conformance' },
    isCaptured: false,
  },
}

describe('conformance of the server', () => {
  for (const scenario of scenarios)
    it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () =>
      runScenario(scenario, { ...target, baseUrl: server.url, apiKey: server.keys.alice, otherApiKey: server.keys.bob }),
    )
})
