import { createProviderClient } from '@flowpost/delivery'
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

const keyOne = `fp_${'a'.repeat(32)}`
const keyTwo = `fp_${'b'.repeat(32)}`

describe('FLOWPOST_BOOTSTRAP_KEYS', () => {
  it('parses a list of users with their keys', () => {
    const { config } = readConfig({ FLOWPOST_BOOTSTRAP_KEYS: `alice:${keyOne}, team:x:${keyTwo}` })

    expect(config.bootstrapKeys).toEqual([
      { userId: 'alice', token: keyOne },
      { userId: 'team:x', token: keyTwo },
    ])
  })

  it('rejects a repeated key without repeating it in the message', () => {
    const issues = issuesOf({ FLOWPOST_BOOTSTRAP_KEYS: `alice:${keyOne},bob:${keyTwo},carol:${keyOne}` })

    expect(issues).toEqual(['FLOWPOST_BOOTSTRAP_KEYS entry 3 has the same key as entry 1: list each key once'])
  })

  it('distinguishes an unset list from an empty one, which must be "none"', () => {
    expect(readConfig({}).config.bootstrapKeys).toBeUndefined()
    expect(readConfig({ FLOWPOST_BOOTSTRAP_KEYS: '' }).config.bootstrapKeys).toBeUndefined()
    expect(readConfig({ FLOWPOST_BOOTSTRAP_KEYS: 'none' }).config.bootstrapKeys).toEqual([])
    expect(issuesOf({ FLOWPOST_BOOTSTRAP_KEYS: ' , ' })).toEqual([expect.stringContaining('"none"')])
  })

  it.each(['\n', '\r\n', ' ', ';'])('rejects entries that are separated by %j, without repeating the keys', (separator) => {
    expect(issuesOf({ FLOWPOST_BOOTSTRAP_KEYS: `alice:${keyOne}${separator}bob:${keyTwo}` })).toEqual([
      'FLOWPOST_BOOTSTRAP_KEYS entry 1 has two keys: separate entries with commas',
    ])
  })

  it.each([
    `a\u0000b:${keyOne}`,
    `alice :${keyOne}`,
    `${'a'.repeat(256)}:${keyOne}`,
    `${keyOne}`,
    'alice:fp_short',
    `alice:xx_${'a'.repeat(40)}`,
    `oidc:1:${keyOne}`,
  ])('rejects %j', (value) => {
    expect(issuesOf({ FLOWPOST_BOOTSTRAP_KEYS: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_OIDC_ISSUER and FLOWPOST_OIDC_AUDIENCE', () => {
  const oidc = { FLOWPOST_OIDC_ISSUER: 'https://login.example.com/realms/one/', FLOWPOST_OIDC_AUDIENCE: 'flowpost' }

  it('keeps the issuer as given, including a trailing slash', () => {
    expect(readConfig(oidc).config.oidc).toEqual({ issuer: 'https://login.example.com/realms/one/', audience: 'flowpost' })
  })

  it.each(Object.keys(oidc))('rejects %s alone', (name) => {
    const only = Object.fromEntries(Object.entries(oidc).filter(([each]) => each === name))

    expect(issuesOf(only)).toEqual(['FLOWPOST_OIDC_AUDIENCE and FLOWPOST_OIDC_ISSUER must be set together'])
  })

  it.each([
    'http://login.example.com',
    'https://login.example.com/?a=b',
    'https://a:b@login.example.com',
    'https://x/#y',
    'login',
    'ftp://x',
  ])('rejects the issuer %s', (issuer) => {
    expect(issuesOf({ ...oidc, FLOWPOST_OIDC_ISSUER: issuer })).toHaveLength(1)
  })

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080/realm', 'http://[::1]:1'])(
    'accepts an issuer on this machine without TLS: %s',
    (issuer) => {
      expect(issuesOf({ ...oidc, FLOWPOST_OIDC_ISSUER: issuer })).toEqual([])
    },
  )

  it('does not share the deployment credentials with users of the issuer by default', () => {
    expect(readConfig({}).config.sharedCredentials).toBe('all')
    expect(readConfig(oidc).config.sharedCredentials).toBe('none')
    expect(readConfig({ ...oidc, FLOWPOST_SHARED_CREDENTIALS: 'all' }).config.sharedCredentials).toBe('all')
    expect(readConfig({ ...oidc, FLOWPOST_SHARED_CREDENTIALS: 'alice' }).config.sharedCredentials).toEqual(['alice'])
  })
})

describe('FLOWPOST_SHARED_CREDENTIALS', () => {
  it.each([
    ['all', 'all'],
    [' none ', 'none'],
    ['alice, team:x', ['alice', 'team:x']],
  ])('parses %j', (value, expected) => {
    expect(readConfig({ FLOWPOST_SHARED_CREDENTIALS: value }).config.sharedCredentials).toEqual(expected)
  })

  it.each(['None', 'ALL', 'all,', ',none', 'none,alice', 'alice,all', ' ', ','])('rejects %j', (value) => {
    expect(issuesOf({ FLOWPOST_SHARED_CREDENTIALS: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_RESTORED_AT', () => {
  it('parses a time with any UTC offset, and is unset by default', () => {
    expect(readConfig({}).config.restoredAt).toBeUndefined()
    const { restoredAt } = readConfig({ FLOWPOST_RESTORED_AT: '2026-11-01T10:30:00+01:00' }).config
    expect(restoredAt).toEqual(new Date('2026-11-01T09:30:00Z'))
  })

  it.each(['today', '2026-11-23', '2026-11-23T09:30:00', '2999-01-01T00:00:00Z'])('rejects %j', (value) => {
    expect(issuesOf({ FLOWPOST_RESTORED_AT: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_RATE_LIMIT', () => {
  it('defaults to 6000 requests per minute', () => {
    expect(readConfig({}).config.rateLimit).toEqual({ requests: 6000, seconds: 60 })
    expect(readConfig({ FLOWPOST_RATE_LIMIT: '5/1' }).config.rateLimit).toEqual({ requests: 5, seconds: 1 })
    expect(readConfig({ FLOWPOST_RATE_LIMIT: 'off' }).config.rateLimit).toBeUndefined()
  })

  it.each(['0/60', '60', '60/0', '60/86401', '-1/60', '1e3/60', 'on', '60/60/60'])('rejects %j', (value) => {
    expect(issuesOf({ FLOWPOST_RATE_LIMIT: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_TRUST_PROXY', () => {
  it.each([
    ['off', false],
    ['1', 1],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']],
    ['fd00::/8,::ffff:10.0.0.0/104,::1', ['fd00::/8', '::ffff:10.0.0.0/104', '::1']],
  ])('parses %j', (value, expected) => {
    expect(readConfig({ FLOWPOST_TRUST_PROXY: value }).config.trustProxy).toEqual(expected)
  })

  it('is off by default', () => {
    expect(readConfig({}).config.trustProxy).toBe(false)
  })

  it.each([
    'on',
    'true',
    '0',
    '*',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '2001:db8::/129',
    'proxy.example.com',
    '10.0.0.0/8/8',
    ',',
    '0.0.0.0/0',
    '10.0.0.1,::/00',
    '0.0.0.0/1,128.0.0.0/1',
    '11.0.0.0/7',
    '::ffff:0.0.0.0/96',
    '::ffff:128.0.0.0/97',
    '::/64',
    'fc00::/7',
  ])('rejects %j, because a client could choose its own address', (value) => {
    expect(issuesOf({ FLOWPOST_TRUST_PROXY: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_CORS_ORIGINS', () => {
  it('parses a list of exact origins and is empty by default', () => {
    expect(readConfig({}).config.corsOrigins).toEqual([])
    expect(readConfig({ FLOWPOST_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' }).config.corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ])
  })

  it.each(['*', 'null', 'https://*.example.com', 'https://app.example.com/', 'https://App.example.com', 'app.example.com', 'file:///x'])(
    'rejects %j',
    (value) => {
      expect(issuesOf({ FLOWPOST_CORS_ORIGINS: value })).toHaveLength(1)
    },
  )

  it('suggests the likely origin', () => {
    expect(issuesOf({ FLOWPOST_CORS_ORIGINS: 'https://app.example.com/path' })[0]).toContain('did you mean https://app.example.com?')
  })
})

describe('FLOWPOST_EGRESS_ALLOW', () => {
  it('accepts the addresses and networks that the egress policy accepts, and no others', () => {
    const entries = [
      '10.0.0.0/8',
      '10.1.2.3',
      'fd00::/8',
      '::1',
      'fe80::1%eth0',
      '10.0.0.0/',
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0',
      'a/8',
      '1.1.1.1/8/8',
    ]
    const isAllowed = (entry: string) => issuesOf({ FLOWPOST_EGRESS_ALLOW: entry }).length === 0
    const isUsable = (entry: string) => {
      try {
        createProviderClient({ timeoutMs: 1_000, egress: { allowedNetworks: [entry] } })
        return true
      } catch {
        return false
      }
    }
    expect(entries.filter(isAllowed)).toEqual(['10.0.0.0/8', '10.1.2.3', 'fd00::/8', '::1', 'fe80::1%eth0'])
    expect(entries.filter(isUsable)).toEqual(entries.filter(isAllowed))
  })
})
