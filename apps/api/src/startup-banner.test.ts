import { describe, expect, it } from 'vitest'
import { readConfig } from './config/config.ts'
import { startupBanner } from './startup-banner.ts'

const sourceTypes = ['mailgun', 'smtp', 'slack']

const banner = (env: Record<string, string> = {}, given: { firstKey?: string; outboxToken?: string } = {}): string =>
  startupBanner({
    config: readConfig(env).config,
    dataDir: '/data',
    port: 3000,
    firstKey: given.firstKey,
    outboxToken: given.outboxToken,
    sourceTypes,
    loadedProviders: [],
  })

/** What the banner says of each provider. */
const fates = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries([...banner(env).matchAll(/^ {2}(mailgun|smtp|slack) +(.*)$/gm)].map(([, name = '', fate = '']) => [name, fate]))

const smtp = { FLOWPOST_SMTP_URL: 'smtp://localhost', FLOWPOST_EMAIL_FROM: 'a@example.com' }
const production = { DATABASE_URL: 'postgres://localhost/flowpost' }
const captured = 'captured unless the project has credentials'
const rejected = 'rejected (integration_missing) unless the project has credentials'

describe('what the banner says of messages', () => {
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
  ])('follows the configuration with %s', (_what, env: Record<string, string>, expected) => {
    expect(fates(env)).toEqual(expected)
  })

  it('is nothing on a worker, which accepts none', () => {
    expect(fates({ ...production, FLOWPOST_ROLE: 'worker' })).toEqual({})
  })
})

describe('the address of the outbox', () => {
  it('is a link with the token', () => {
    expect(banner({}, { outboxToken: 'abc' })).toContain('  outbox    http://localhost:3000/outbox?token=abc\n')
  })

  it('has no token where none is needed, and is left out where there is no outbox', () => {
    expect(banner({ FLOWPOST_OUTBOX: 'local' })).toContain('  outbox    http://localhost:3000/outbox\n')
    expect(banner({ FLOWPOST_OUTBOX: 'on', HOST: '192.0.2.1' })).toContain('  outbox    http://192.0.2.1:3000/outbox\n')
    expect(banner({ FLOWPOST_OUTBOX: 'off' })).not.toContain('/outbox')
  })
})

describe('the example', () => {
  const heading = (env: Record<string, string>): string => /Send a first message.*/.exec(banner(env, { firstKey: 'fp_1' }))?.[0] ?? ''

  it('says whether its message is captured, sent or rejected', () => {
    expect(heading({})).toContain('It is captured')
    expect(heading(smtp)).toContain('It is really sent, so replace ops@example.com')
    expect(heading({ ...smtp, FLOWPOST_CAPTURE: 'on' })).toContain('It is captured')
    expect(heading({ NODE_ENV: 'production' })).toContain('after a start with FLOWPOST_CAPTURE=missing')
  })

  it('is shown with the first key alone', () => {
    expect(heading({})).not.toBe('')
    expect(banner()).not.toContain('Send a first message')
  })
})
