import type { ConformanceTarget } from '@flowpost/testing/conformance'

/** The environment of a server that the conformance suite can check, with `smtpUrl` as its mail server. */
export const conformanceEnvironment = (smtpUrl: string): Readonly<Record<string, string>> => ({
  FLOWPOST_RATE_LIMIT: 'off',
  FLOWPOST_CAPTURE: 'off',
  FLOWPOST_SMTP_URL: smtpUrl,
  FLOWPOST_EMAIL_FROM: 'noreply@example.com',
  // The suite stores credentials of projects, which requires an encryption key.
  FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
})

/** Returns the conformance target of a server with {@link conformanceEnvironment}. */
export const conformanceTarget = (server: { readonly url: string; readonly keys: { readonly alice: string; readonly bob: string } }) =>
  ({
    baseUrl: server.url,
    apiKey: server.keys.alice,
    otherApiKey: server.keys.bob,
    mayDeliver: true,
    unconfigured: {
      source_type: 'slack',
      target: 'C024BE91L',
      settings: {},
      secrets: { token: 'xoxb-conformance' },
      isCaptured: false,
    },
  }) satisfies ConformanceTarget
