import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './config-error.ts'

const issuesOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.issues
    throw error
  }
}

describe('a valid environment', () => {
  it('uses the defaults for unset and empty variables', () => {
    const { config, warnings } = readConfig({})
    expect(warnings).toEqual([])
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      boundToLoopback: true,
      databaseUrl: undefined,
      dataDir: '.data',
      logLevel: 'info',
      role: 'all',
      capture: 'missing',
      outbox: 'link',
      smtpConnections: 20,
      sharedCredentials: 'all',
      ambiguous: 'retry',
      queueLimit: 1_000_000,
      logContent: true,
      bodyLimitBytes: 1_048_576,
      maxConnections: 1_000,
      rateLimit: { requests: 6000, seconds: 60 },
      trustProxy: false,
      corsOrigins: [],
    })
    expect(readConfig({ PORT: '', DATABASE_URL: '', FLOWPOST_ROLE: '', FLOWPOST_SMTP_URL: '' }).config).toEqual(config)
  })

  it('by default, captures messages without credentials only with the embedded database outside production', () => {
    const capture = (env: Record<string, string>) => readConfig(env).config.capture
    expect(capture({})).toBe('missing')
    expect(capture({ NODE_ENV: 'production' })).toBe('off')
    expect(capture({ DATABASE_URL: 'postgres://localhost/flowpost' })).toBe('off')
    expect(capture({ DATABASE_URL: 'postgres://localhost/flowpost', FLOWPOST_CAPTURE: 'on' })).toBe('on')
  })

  it('migrates at startup by default, and leaves migrations to another process only on PostgreSQL', () => {
    const url = 'postgres://localhost/flowpost'
    expect(readConfig({}).config.migrate).toBe('auto')
    expect(readConfig({ DATABASE_URL: url, FLOWPOST_MIGRATE: 'off' }).config.migrate).toBe('off')
    expect(issuesOf({ FLOWPOST_MIGRATE: 'off' })).toEqual([
      'FLOWPOST_MIGRATE=off needs DATABASE_URL: no other process can migrate the embedded database while this one uses it',
    ])
  })

  it('by default, shares the deployment credentials with all users, unless OIDC is configured', () => {
    const shared = (env: Record<string, string>) => readConfig(env).config.sharedCredentials
    const oidc = { FLOWPOST_OIDC_ISSUER: 'https://login.example.com', FLOWPOST_OIDC_AUDIENCE: 'flowpost' }
    expect(shared({})).toBe('all')
    expect(shared(oidc)).toBe('none')
    expect(shared({ ...oidc, FLOWPOST_SHARED_CREDENTIALS: 'all' })).toBe('all')
    expect(shared({ FLOWPOST_SHARED_CREDENTIALS: 'alice, bob,' })).toEqual(['alice', 'bob'])
  })

  it('by default, opens the outbox with a link only on a loopback address outside production', () => {
    const outbox = (env: Record<string, string>) => readConfig(env).config.outbox
    expect(outbox({})).toBe('link')
    expect(outbox({ HOST: '::1', DATABASE_URL: 'postgres://localhost/flowpost' })).toBe('link')
    expect(outbox({ HOST: '0.0.0.0' })).toBe('off')
    expect(outbox({ NODE_ENV: 'production' })).toBe('off')
    expect(outbox({ FLOWPOST_OUTBOX: 'off' })).toBe('off')
    expect(outbox({ FLOWPOST_OUTBOX: 'local' })).toBe('local')
    expect(outbox({ FLOWPOST_OUTBOX: 'on', HOST: '0.0.0.0', NODE_ENV: 'production' })).toBe('on')
  })

  it('converts days and hours to milliseconds', () => {
    const { config } = readConfig({
      FLOWPOST_RETRY_BUDGET_HOURS: '0',
      FLOWPOST_RETENTION_CONTENT_DAYS: '1',
      FLOWPOST_RETENTION_LOG_DAYS: '2',
      FLOWPOST_RETENTION_HISTORY_DAYS: '3',
    })
    const { retentionContentMs, retentionLogMs, retentionHistoryMs } = config
    expect([config.retryPolicy.budgetMs, retentionContentMs, retentionLogMs, retentionHistoryMs]).toEqual([
      0, 86_400_000, 172_800_000, 259_200_000,
    ])
  })

  it('warns about unknown FLOWPOST_ variables only', () => {
    const { warnings } = readConfig({ FLOWPOST_SMTP_ULR: 'smtp://x', FLOWPOST_toString: 'x', PATH: '/bin', HOME: '/root', MAILGUN: 'x' })
    expect(warnings).toEqual([
      'FLOWPOST_SMTP_ULR is not a known setting and is ignored.',
      'FLOWPOST_toString is not a known setting and is ignored.',
    ])
  })
})

describe('an invalid environment', () => {
  const hush = 'hush-hush-9'
  const env = {
    PORT: '65536',
    DATABASE_URL: `mysql://root:${hush}@localhost/db`,
    LOG_LEVEL: 'loud',
    FLOWPOST_BOOTSTRAP_KEYS: `alice:${hush}`,
    FLOWPOST_OUTBOX: 'yes',
    FLOWPOST_SMTP_URL: `http://user:${hush}@localhost`,
    FLOWPOST_EMAIL_FROM: 'nobody',
    FLOWPOST_SMTP_CONNECTIONS: '0',
    FLOWPOST_MAILGUN_API_KEY: hush,
    FLOWPOST_MAILGUN_REGION: 'asia',
    FLOWPOST_ENCRYPTION_KEY: `k1:${hush}`,
    FLOWPOST_AMBIGUOUS: 'maybe',
    FLOWPOST_RETRY_BUDGET_HOURS: '-1',
    FLOWPOST_BODY_LIMIT_BYTES: '1e6',
    FLOWPOST_RATE_LIMIT: 'fast',
  }

  it('reports all issues at once, each with its variable', () => {
    expect(issuesOf(env)).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'DATABASE_URL must be a URL that starts with postgres:// or postgresql://',
      'LOG_LEVEL must be one of "trace", "debug", "info", "warn", "error", "fatal", "silent"',
      expect.stringMatching(/^FLOWPOST_BOOTSTRAP_KEYS entry 1 must be <user_id>:<key>/),
      'FLOWPOST_OUTBOX must be one of "on", "off", "local"',
      expect.stringMatching(/^FLOWPOST_SMTP_URL is invalid\. The SMTP URL must have the form smtp:/),
      'FLOWPOST_EMAIL_FROM must be an address or "Name <address>", without control characters or bidirectional formatting',
      'FLOWPOST_SMTP_CONNECTIONS must be a whole number from 1 to 1000',
      'FLOWPOST_MAILGUN_REGION must be one of "us", "eu"',
      expect.stringMatching(/^FLOWPOST_ENCRYPTION_KEY entry 1: /),
      'FLOWPOST_RETRY_BUDGET_HOURS must be a whole number from 0 to 720',
      'FLOWPOST_AMBIGUOUS must be one of "retry", "hold"',
      'FLOWPOST_BODY_LIMIT_BYTES must be a whole number from 1024 to 104857600',
      expect.stringMatching(/^FLOWPOST_RATE_LIMIT must be "off" or <requests>\/<seconds>/),
      'FLOWPOST_MAILGUN_DOMAIN and FLOWPOST_MAILGUN_API_KEY must be set together',
    ])
  })

  it.each(['Billing \u202e <billing@example.com>', 'Billing <billing@example.com', 'a@b@c'])(
    'rejects the sender %j',
    (FLOWPOST_EMAIL_FROM) => {
      expect(issuesOf({ FLOWPOST_EMAIL_FROM })).toEqual([expect.stringMatching(/^FLOWPOST_EMAIL_FROM must be an address/)])
    },
  )

  it.each([
    ['FLOWPOST_SLACK_API_URL', 'http://slack.example.com/', 'is invalid. An API URL must use HTTPS, or HTTP on a loopback address.'],
    ['FLOWPOST_MAILGUN_API_URL', 'https://a:b@mail.example.com/', 'is invalid. An API URL must not have a user, password, query or'],
    ['FLOWPOST_SMTP_URL', 'smtp://user@mail.example.com', 'is invalid. The SMTP URL must have both user and password, or neither.'],
    ['FLOWPOST_SMTP_URL', 'smtp://mail_1.example.com', 'is invalid. The host of the SMTP URL is invalid. Must be a host name or an IP'],
    ['FLOWPOST_BOUNCE_ADDRESS', 'Bounces <bounces@example.com>', 'must be an ASCII email address without a name'],
    ['FLOWPOST_MAILGUN_DOMAIN', 'https://mg.example.com', 'must be a host name, such as mail.example.com'],
    ['FLOWPOST_EMAIL_FROM', `${'x'.repeat(600)} <a@example.com>`, 'must have at most 600 characters'],
    ['FLOWPOST_SLACK_TOKEN', 'x'.repeat(5_000), 'must have at most 4096 characters'],
    ['FLOWPOST_SLACK_TOKEN', 'xoxb 1', 'must contain only visible ASCII characters, without spaces'],
    ['FLOWPOST_EGRESS_ALLOW', '10.0.0.0/8, 10.0.0.0/33', '"10.0.0.0/33" must be an address, or a network such as 10.0.0.0/8'],
    ['FLOWPOST_EGRESS_ALLOW', 'loopback', '"loopback" must be an address, or a network'],
  ])('rejects a value of %s that no provider could use: %s', (name, value, message) => {
    expect(issuesOf({ FLOWPOST_EMAIL_FROM: 'a@example.com', [name]: value })).toContainEqual(expect.stringContaining(`${name} ${message}`))
  })

  it('repeats no secret anywhere in the error', () => {
    try {
      readConfig(env)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      const { message, stack, cause, issues } = error as ConfigError
      expect(JSON.stringify([message, stack, cause, issues])).not.toContain(hush)
      expect(message.split('\n')[0]).toBe('Invalid configuration (15 issues):')
      expect(message.split('\n')).toHaveLength(16)
    }
  })

  it('reports issues with single variables and with combinations of variables together', () => {
    expect(issuesOf({ FLOWPOST_ROLE: 'worker', PORT: 'x' })).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'FLOWPOST_ROLE other than "all" needs DATABASE_URL: processes cannot share the embedded database',
    ])
    expect(issuesOf({ FLOWPOST_SMTP_URL: 'smtp://localhost', FLOWPOST_OIDC_ISSUER: 'https://login.example.com' })).toEqual([
      'FLOWPOST_EMAIL_FROM is required with FLOWPOST_SMTP_URL: set the sender, as an address or "Name <address>"',
      'FLOWPOST_OIDC_AUDIENCE and FLOWPOST_OIDC_ISSUER must be set together',
    ])
  })

  it.each([
    [
      'DATABASE_URL',
      'postgres://localhost/flowpost',
      /^FLOWPOST_OUTBOX=local does not work with DATABASE_URL: set FLOWPOST_OUTBOX to "on"/,
    ],
    ['NODE_ENV', 'production', /^FLOWPOST_OUTBOX=local does not work with NODE_ENV=production: set FLOWPOST_OUTBOX to "on"/],
    ['HOST', '0.0.0.0', /^FLOWPOST_OUTBOX=local needs HOST to be one of 127\.0\.0\.1, localhost, ::1: set FLOWPOST_OUTBOX to "on"/],
  ])('rejects an outbox without a credential when %s is set', (name, value, message) => {
    expect(issuesOf({ FLOWPOST_OUTBOX: 'local', [name]: value })).toEqual([expect.stringMatching(message)])
  })

  it.each([' ', '3000 ', '+1', '0x10', '1.5', '1e3', '-0', '٣', '99999999999999999999'])('rejects the port %j', (PORT) => {
    expect(issuesOf({ PORT })).toEqual(['PORT must be a whole number from 0 to 65535'])
  })

  it('uses the singular for one issue', () => {
    expect(() => readConfig({ PORT: 'x' })).toThrow('Invalid configuration (1 issue):\n  PORT must be')
  })
})
