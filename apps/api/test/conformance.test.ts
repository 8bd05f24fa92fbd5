import { type ConformanceTarget, missingRequirement, runScenario, type Scenario, scenarios } from '@flowpost/testing/conformance'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** Defines a test for each scenario, against a server with the environment of `env()`. */
const describeServer = (
  what: string,
  shape: Omit<ConformanceTarget, 'baseUrl' | 'apiKey' | 'otherApiKey'>,
  chosen: readonly Scenario[],
  env: () => Readonly<Record<string, string>>,
): void => {
  const target: ConformanceTarget = { ...shape, baseUrl: '', apiKey: '', otherApiKey: ' ' }

  describe(what, () => {
    let server: TestServer

    beforeAll(async () => {
      server = await startTestServer({
        env: {
          FLOWPOST_RATE_LIMIT: 'off',
          // The suite stores credentials of projects, which requires an encryption key.
          FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
          ...env(),
        },
      })
    })
    afterAll(() => server[Symbol.asyncDispose]())

    for (const scenario of chosen)
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () =>
        runScenario(scenario, { ...target, baseUrl: server.url, apiKey: server.keys.alice, otherApiKey: server.keys.bob }),
      )
  })
}

const slack = { source_type: 'slack', target: 'C024BE91L', settings: {}, secrets: { token: 'xoxb-conformance' } }

let smtp: SmtpSink
beforeAll(async () => {
  smtp = await startSmtpSink()
})
afterAll(() => smtp[Symbol.asyncDispose]())

describeServer('conformance of the server', { mayDeliver: true, unconfigured: { ...slack, isCaptured: false } }, scenarios, () => ({
  FLOWPOST_CAPTURE: 'off',
  FLOWPOST_SMTP_URL: smtp.url,
  FLOWPOST_EMAIL_FROM: 'noreply@example.com',
}))

// The other scenarios do not depend on capturing.
const capturing = scenarios.filter(({ requirements }) => requirements.includes('capturesWithoutCredentials'))

describeServer('conformance of a server that captures', { unconfigured: { ...slack, isCaptured: true } }, capturing, () => ({
  FLOWPOST_CAPTURE: 'missing',
}))
