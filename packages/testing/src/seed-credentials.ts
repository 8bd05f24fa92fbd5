type Fields = Readonly<Record<string, unknown>>

const from = 'Flowpost <no-reply@example.com>'

/** Settings and secrets that each built-in provider accepts. They reach nothing: the domains are reserved for examples. */
export const sampleCredentials: Readonly<Record<string, { readonly settings: Fields; readonly secrets: Fields }>> = {
  mailgun: { settings: { domain: 'mg.example.com', from }, secrets: { api_key: 'seeded' } },
  smtp: { settings: { host: 'mail.example.com', from }, secrets: {} },
  slack: { settings: {}, secrets: { token: 'xoxb-seeded' } },
  discord: { settings: {}, secrets: { urls: { ops: 'https://discord.com/api/webhooks/1/seeded' } } },
  teams: { settings: {}, secrets: { urls: { ops: 'https://prod-1.westeurope.logic.azure.com/workflows/seeded' } } },
  webhook: {
    settings: {},
    secrets: { urls: { ops: 'https://hooks.example.com/seeded' }, signing_secret: `whsec_${'A'.repeat(32)}` },
  },
}
