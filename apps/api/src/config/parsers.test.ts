import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

const keyOne = `fp_${'a'.repeat(32)}`
const keyTwo = `fp_${'b'.repeat(32)}`

describe('FLOWPOST_BOOTSTRAP_KEYS', () => {
  it('is a list of users with their keys', () => {
    const { config } = readConfig({ FLOWPOST_BOOTSTRAP_KEYS: `alice:${keyOne}, team:x:${keyTwo}` })

    expect(config.bootstrapKeys).toEqual([
      { userId: 'alice', token: keyOne },
      { userId: 'team:x', token: keyTwo },
    ])
  })

  it('must not name one key twice, and its fault does not tell the key', () => {
    const faults = faultsOf({ FLOWPOST_BOOTSTRAP_KEYS: `alice:${keyOne},bob:${keyTwo},carol:${keyOne}` })

    expect(faults).toEqual(['FLOWPOST_BOOTSTRAP_KEYS entry 3 has the same key as entry 1: a key belongs to one user, once'])
  })

  it('is told from an empty list, which must be asked for as "none"', () => {
    expect(readConfig({}).config.bootstrapKeys).toBeUndefined()
    expect(readConfig({ FLOWPOST_BOOTSTRAP_KEYS: '' }).config.bootstrapKeys).toBeUndefined()
    expect(readConfig({ FLOWPOST_BOOTSTRAP_KEYS: 'none' }).config.bootstrapKeys).toEqual([])
    expect(faultsOf({ FLOWPOST_BOOTSTRAP_KEYS: ' , ' })).toEqual([expect.stringContaining('"none"')])
  })

  it.each([`${keyOne}`, 'alice:fp_short', `alice:xx_${'a'.repeat(40)}`, `oidc:1:${keyOne}`])('refuses %j', (value) => {
    expect(faultsOf({ FLOWPOST_BOOTSTRAP_KEYS: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_OIDC_ISSUER and FLOWPOST_OIDC_AUDIENCE', () => {
  const oidc = { FLOWPOST_OIDC_ISSUER: 'https://login.example.com/realms/one/', FLOWPOST_OIDC_AUDIENCE: 'flowpost' }

  it('are kept as they are given, the slash at the end included', () => {
    expect(readConfig(oidc).config.oidc).toEqual({ issuer: 'https://login.example.com/realms/one/', audience: 'flowpost' })
  })

  it.each(Object.keys(oidc))('belong together: %s alone is a fault', (name) => {
    const only = Object.fromEntries(Object.entries(oidc).filter(([each]) => each === name))

    expect(faultsOf(only)).toEqual(['FLOWPOST_OIDC_AUDIENCE and FLOWPOST_OIDC_ISSUER belong together: give both or neither'])
  })

  it.each([
    'http://login.example.com',
    'https://login.example.com/?a=b',
    'https://a:b@login.example.com',
    'https://x/#y',
    'login',
    'ftp://x',
  ])('refuse the issuer %s', (issuer) => {
    expect(faultsOf({ ...oidc, FLOWPOST_OIDC_ISSUER: issuer })).toHaveLength(1)
  })

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080/realm', 'http://[::1]:1'])(
    'take an issuer on this machine without TLS: %s',
    (issuer) => {
      expect(faultsOf({ ...oidc, FLOWPOST_OIDC_ISSUER: issuer })).toEqual([])
    },
  )

  it('keep the credentials of the deployment from users of the issuer, unless it is said otherwise', () => {
    expect(readConfig({}).config.sharedCredentials).toBe('all')
    expect(readConfig(oidc).config.sharedCredentials).toBe('none')
    expect(readConfig({ ...oidc, FLOWPOST_SHARED_CREDENTIALS: 'all' }).config.sharedCredentials).toBe('all')
    expect(readConfig({ ...oidc, FLOWPOST_SHARED_CREDENTIALS: 'alice' }).config.sharedCredentials).toEqual(['alice'])
  })
})

describe('FLOWPOST_RATE_LIMIT', () => {
  it('is 6000 requests a minute unless it is set', () => {
    expect(readConfig({}).config.rateLimit).toEqual({ requests: 6000, seconds: 60 })
    expect(readConfig({ FLOWPOST_RATE_LIMIT: '5/1' }).config.rateLimit).toEqual({ requests: 5, seconds: 1 })
    expect(readConfig({ FLOWPOST_RATE_LIMIT: 'off' }).config.rateLimit).toBeUndefined()
  })

  it.each(['0/60', '60', '60/0', '60/86401', '-1/60', '1e3/60', 'on', '60/60/60'])('refuses %j', (value) => {
    expect(faultsOf({ FLOWPOST_RATE_LIMIT: value })).toHaveLength(1)
  })
})

describe('FLOWPOST_TRUST_PROXY', () => {
  it.each([
    ['off', false],
    ['1', 1],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']],
  ])('reads %j', (value, expected) => {
    expect(readConfig({ FLOWPOST_TRUST_PROXY: value }).config.trustProxy).toEqual(expected)
  })

  it('is off unless it is set', () => {
    expect(readConfig({}).config.trustProxy).toBe(false)
  })

  it.each(['on', 'true', '0', '*', '10.0.0.0/33', '10.0.0.0/-1', '2001:db8::/129', 'proxy.example.com', '10.0.0.0/8/8', ','])(
    'refuses %j, so that no client can choose its address',
    (value) => {
      expect(faultsOf({ FLOWPOST_TRUST_PROXY: value })).toHaveLength(1)
    },
  )
})

describe('FLOWPOST_CORS_ORIGINS', () => {
  it('is a list of exact origins, empty unless it is set', () => {
    expect(readConfig({}).config.corsOrigins).toEqual([])
    expect(readConfig({ FLOWPOST_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' }).config.corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ])
  })

  it.each(['*', 'null', 'https://*.example.com', 'https://app.example.com/', 'https://App.example.com', 'app.example.com', 'file:///x'])(
    'refuses %j',
    (value) => {
      expect(faultsOf({ FLOWPOST_CORS_ORIGINS: value })).toHaveLength(1)
    },
  )

  it('says what is probably meant', () => {
    expect(faultsOf({ FLOWPOST_CORS_ORIGINS: 'https://app.example.com/path' })[0]).toContain('perhaps https://app.example.com is meant')
  })
})
