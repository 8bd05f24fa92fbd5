import { type ConformanceTarget, type Scenario, scenarios } from '@flowpost/testing/conformance'

/** A server configuration, and the scenarios that check it. */
export interface ConformanceDeployment {
  readonly name: string
  /** The target without its URL and keys. It decides which scenarios can run. */
  readonly shape: Omit<ConformanceTarget, 'baseUrl' | 'apiKey' | 'otherApiKey'>
  readonly scenarios: readonly Scenario[]
  /** Returns the environment of the server. `smtpUrl` is the mail server that it may use. */
  readonly environment: (smtpUrl: string) => Readonly<Record<string, string>>
}

const slack = { source_type: 'slack', target: 'C024BE91L', settings: {}, secrets: { token: 'xoxb-conformance' } }

const common = {
  FLOWPOST_RATE_LIMIT: 'off',
  // The suite stores project credentials, which requires an encryption key.
  FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
}

/** The deployments of the server that together run every scenario. */
export const conformanceDeployments: readonly ConformanceDeployment[] = [
  {
    name: 'the server',
    shape: { mayDeliver: true, unconfigured: { ...slack, isCaptured: false } },
    scenarios,
    environment: (smtpUrl) => ({
      ...common,
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_SMTP_URL: smtpUrl,
      FLOWPOST_EMAIL_FROM: 'noreply@example.com',
    }),
  },
  {
    name: 'a server that captures messages',
    shape: { unconfigured: { ...slack, isCaptured: true } },
    // The other scenarios do not depend on capturing.
    scenarios: scenarios.filter(({ requirements }) => requirements.includes('capturesWithoutCredentials')),
    environment: () => ({ ...common, FLOWPOST_CAPTURE: 'missing' }),
  },
  {
    name: 'a server with a small queue',
    // Each of two users may use three of the five places (half the limit, rounded up), so both together can exceed the limit.
    shape: { mayDeliver: true, queueLimit: 5 },
    scenarios: scenarios.filter(({ requirements }) => requirements.includes('queueLimit')),
    environment: (smtpUrl) => ({
      ...common,
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_SMTP_URL: smtpUrl,
      FLOWPOST_EMAIL_FROM: 'noreply@example.com',
      FLOWPOST_QUEUE_LIMIT: '5',
    }),
  },
  {
    name: 'a server with a low rate limit',
    shape: { rateLimit: { requests: 10, seconds: 60 } },
    scenarios: scenarios.filter(({ requirements }) => requirements.includes('rateLimit')),
    environment: () => ({ ...common, FLOWPOST_RATE_LIMIT: '10/60' }),
  },
]
