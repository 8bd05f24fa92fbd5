import { describe, expect, it } from 'vitest'
import { readConfig } from './config/config.ts'
import { startupBanner } from './startup-banner.ts'

const sourceTypes = ['mailgun', 'smtp', 'slack']

const banner = (env: Record<string, string> = {}, given: { firstKey?: string; outboxToken?: string; onHold?: boolean } = {}): string =>
  startupBanner({
    config: readConfig(env).config,
    dataDir: '/data',
    port: 3000,
    firstKey: given.firstKey,
    onHold: given.onHold ?? false,
    outboxToken: given.outboxToken,
    sourceTypes,
    loadedProviders: [],
  })

/** Returns the banner's line for each provider, keyed by provider. */
const providerLines = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries([...banner(env).matchAll(/^ {2}(mailgun|smtp|slack) +(.*)$/gm)].map(([, name = '', line = '']) => [name, line]))

const smtp = { FLOWPOST_SMTP_URL: 'smtp://localhost', FLOWPOST_EMAIL_FROM: 'a@example.com' }
const production = { DATABASE_URL: 'postgres://localhost/flowpost' }
const captured = 'captured unless the project has credentials'
const rejected = 'rejected (integration_missing) unless the project has credentials'

describe('the provider lines', () => {
  it.each([
    ['no credentials in development', {}, { mailgun: captured, smtp: captured, slack: captured }],
    ['Slack credentials alone', { FLOWPOST_SLACK_TOKEN: 'xoxb-1' }, { mailgun: captured, smtp: captured, slack: 'sent' }],
    [
      'Mailgun credentials in production',
      { ...production, FLOWPOST_MAILGUN_API_KEY: 'k', FLOWPOST_MAILGUN_DOMAIN: 'mg.example.com', FLOWPOST_EMAIL_FROM: 'a@example.com' },
      { mailgun: 'sent', smtp: rejected, slack: rejected },
    ],
    ['FLOWPOST_CAPTURE=on', { ...smtp, FLOWPOST_CAPTURE: 'on' }, { mailgun: 'captured', smtp: 'captured', slack: 'captured' }],
    ['FLOWPOST_CAPTURE=off', { ...smtp, FLOWPOST_CAPTURE: 'off' }, { mailgun: rejected, smtp: 'sent', slack: rejected }],
    [
      'credentials that no user shares',
      { ...smtp, FLOWPOST_SHARED_CREDENTIALS: 'none' },
      { mailgun: captured, smtp: captured, slack: captured },
    ],
    [
      'credentials that some users share',
      { ...smtp, FLOWPOST_SHARED_CREDENTIALS: 'alice' },
      { mailgun: captured, smtp: `sent for the users in FLOWPOST_SHARED_CREDENTIALS; others: ${captured}`, slack: captured },
    ],
  ])('follow the configuration with %s', (_what, env: Record<string, string>, expected) => {
    expect(providerLines(env)).toEqual(expected)
  })

  it('are absent on a worker', () => {
    expect(providerLines({ ...production, FLOWPOST_ROLE: 'worker' })).toEqual({})
  })
})

describe('the address of the outbox', () => {
  it('is a link with the token', () => {
    expect(banner({}, { outboxToken: 'abc' })).toContain('  outbox    http://localhost:3000/outbox?token=abc\n')
  })

  it('has no token if none is needed, and is absent without an outbox', () => {
    expect(banner({ FLOWPOST_OUTBOX: 'local' })).toContain('  outbox    http://localhost:3000/outbox\n')
    expect(banner({ FLOWPOST_OUTBOX: 'on', HOST: '192.0.2.1' })).toContain('  outbox    http://192.0.2.1:3000/outbox\n')
    expect(banner({ FLOWPOST_OUTBOX: 'off' })).not.toContain('/outbox')
  })
})

it('says whether messages are on hold', () => {
  expect(banner({}, { onHold: true })).toContain('  on hold   nothing is sent')
  expect(banner()).not.toContain('on hold')
})

describe('the example of a first message', () => {
  const heading = (env: Record<string, string>): string =>
    /(?:Send|To send) a first message.*/.exec(banner(env, { firstKey: 'fp_1' }))?.[0] ?? ''

  it('says whether its message is captured, sent or rejected', () => {
    expect(heading({})).toContain('It is captured')
    expect(heading(smtp)).toContain('This sends a real email, so replace ops@example.com')
    expect(heading({ ...smtp, FLOWPOST_CAPTURE: 'on' })).toContain('It is captured')
    expect(heading({ ...smtp, FLOWPOST_SHARED_CREDENTIALS: 'alice' })).toContain('It is captured')
    expect(heading({ ...smtp, FLOWPOST_SHARED_CREDENTIALS: 'alice,local' })).toContain('This sends a real email')
    expect(heading({ NODE_ENV: 'production' })).toContain(
      'restart with FLOWPOST_CAPTURE=missing, or with FLOWPOST_SMTP_URL and FLOWPOST_EMAIL_FROM:',
    )
    expect(heading({ ...smtp, NODE_ENV: 'production', FLOWPOST_SHARED_CREDENTIALS: 'none' })).toContain(
      'restart with FLOWPOST_CAPTURE=missing, or with "local" in FLOWPOST_SHARED_CREDENTIALS:',
    )
    expect(heading({ NODE_ENV: 'production', FLOWPOST_SHARED_CREDENTIALS: 'none' })).toContain(
      'or with FLOWPOST_SMTP_URL and FLOWPOST_EMAIL_FROM and "local" in FLOWPOST_SHARED_CREDENTIALS:',
    )
  })

  it('is shown only with the first key', () => {
    expect(heading({})).not.toBe('')
    expect(banner()).not.toContain('end a first message')
  })
})
