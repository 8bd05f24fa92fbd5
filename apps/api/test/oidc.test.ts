import { createHash, generateKeyPairSync } from 'node:crypto'
import type { JWK } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../src/shared/clock.ts'
import { createKey } from './support/api-keys.ts'
import { audience, createSigningKey } from './support/oidc-issuer.ts'
import { nowSeconds, readProjects, startWithIssuer, useOidcServer } from './support/oidc-setup.ts'

afterEach(() => vi.useRealTimers())

describe('an access token from the OIDC issuer', () => {
  const shared = useOidcServer()

  it('authenticates its subject as a separate user', async () => {
    const { issuer, server } = shared()
    const ada = await issuer.sign()
    const created = await server.request('POST', '/v1/settings/projects', { key: ada, json: { name: 'billing' } })

    expect(created.status).toBe(201)
    expect((await readProjects(server, ada)).json.data).toHaveLength(1)
    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).json.data).toEqual([])
    expect((await readProjects(server, server.keys.alice)).json.data).toEqual([])
    const user = `oidc:${createHash('sha256').update(issuer.url).digest('hex').slice(0, 16)}:ada`
    await expect.poll(() => server.logged.join('')).toContain(`"credential":"${user}"`)
  })

  it('shares its rate limit with the other tokens and keys of its user', async () => {
    await using setup = await startWithIssuer({ env: { FLOWPOST_RATE_LIMIT: '5/60' } })
    const { issuer, server } = setup
    const ada = await issuer.sign({ scope: 'settings:read keys:write' })
    const first = await createKey(server, {}, ada)
    const second = await createKey(server, {}, ada)
    const child = await createKey(server, {}, first.key)
    const statuses: number[] = []
    for (const key of [second.key, child.key, first.key, second.key, ada, await issuer.sign()])
      statuses.push((await readProjects(server, key)).status)

    expect(statuses).toEqual([200, 200, 429, 429, 429, 429])
    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).status).toBe(200)
  })

  it('is accepted when it is signed with PS256, ES256, ES512 or EdDSA', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const tokens: Record<string, string> = {}
    for (const alg of ['PS256', 'ES256', 'ES512', 'EdDSA']) {
      await issuer.rotate({ alg, keep: true })
      tokens[alg] = await issuer.sign()
    }

    for (const [alg, token] of Object.entries(tokens)) expect((await readProjects(server, token)).status, alg).toBe(200)
  })

  it('is accepted with several audiences, and with less than 30 s of clock skew', async () => {
    const { issuer, server } = shared()

    expect((await readProjects(server, await issuer.sign({ aud: ['other', audience] }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({ exp: nowSeconds() - 20 }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({ nbf: nowSeconds() + 20 }))).status).toBe(200)
  })

  it('is accepted with the `typ` of a JWT or of an access token in any letter case, and without a `typ`', async () => {
    const { issuer, server } = shared()
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/jwt', undefined])
      expect((await readProjects(server, await issuer.sign({}, { typ }))).status, String(typ)).toBe(200)
  })

  it('is verified with keys that are fetched only once', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const tokens = await Promise.all(['ada', 'bob', 'carol', 'dan'].map((sub) => issuer.sign({ sub })))
    const responses = await Promise.all(tokens.map((token) => readProjects(server, token)))

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
  })

  it('is verified with every suitable key when it has no key id', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const first = issuer.currentKey()
    await issuer.rotate({ keep: true })

    expect((await readProjects(server, await issuer.sign({}, { key: first, kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { key: await createSigningKey(), kid: null }))).status).toBe(401)
  })

  it('is verified with the usable keys when the issuer also publishes a key that is too short', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    issuer.publish({ ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256', use: 'sig' } as JWK)

    expect((await readProjects(server, await issuer.sign({}, { kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { key: await createSigningKey(), kid: null }))).status).toBe(401)
    expect((await readProjects(server, await issuer.sign({}, { kid: 'short' }))).status).toBe(401)
  })

  it('is accepted if a new key of the issuer signed it, and rejected if a withdrawn key did', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    // The default clock follows the database, which fake timers do not change.
    await using setup = await startWithIssuer({ clock: systemClock })
    const { issuer, server } = setup
    const oldToken = await issuer.sign({ exp: nowSeconds() + 3_600 })
    expect((await readProjects(server, oldToken)).status).toBe(200)
    await issuer.rotate()
    vi.advanceTimersByTime(31_000)

    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    expect((await readProjects(server, oldToken)).status).toBe(401)
  })

  it('with an unknown key id does not cause the server to fetch the keys for each request', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const key = await createSigningKey()
    for (let count = 0; count < 5; count += 1) {
      expect((await readProjects(server, await issuer.sign({}, { key, kid: `unknown-${count}` }))).status).toBe(401)
    }

    expect(issuer.requests.filter((path) => path === '/keys')).toHaveLength(1)
  })
})

describe('the scopes of an access token', () => {
  const setup = useOidcServer()

  it.each([
    ['settings:read', 200, 403],
    ['openid settings:read settings:write profile', 200, 201],
    ['openid profile', 403, 403],
    ['settings:readx', 403, 403],
    ['', 403, 403],
    [undefined, 403, 403],
    [['settings:read'], 403, 403],
  ])('are the known values of the scope claim: %j', async (scope, readStatus, writeStatus) => {
    const { issuer, server } = setup()
    const key = await issuer.sign({ scope, sub: `user with ${scope}` })

    expect((await readProjects(server, key)).status).toBe(readStatus)
    const response = await server.request('POST', '/v1/settings/projects', { key, json: { name: 'billing' } })
    expect(response.status).toBe(writeStatus)
    if (writeStatus === 403) expect(response.json.code).toBe('scope_missing')
  })
})

describe('an issuer that is unavailable', () => {
  it('causes 503 for its tokens, and receives no more requests for 5 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    // The default clock follows the database, which fake timers do not change.
    await using setup = await startWithIssuer({ clock: systemClock })
    const { issuer, server } = setup
    issuer.failWith(500)
    const token = await issuer.sign()
    const responses = [await readProjects(server, token), await readProjects(server, token), await readProjects(server, token)]

    expect(responses.map(({ status, json }) => [status, json.code])).toEqual(Array.from({ length: 3 }, () => [503, 'unavailable']))
    expect(responses[0]?.headers.get('retry-after')).toBe('5')
    expect(issuer.requests).toHaveLength(1)
    expect((await readProjects(server, server.keys.alice)).status).toBe(200)
    issuer.failWith(undefined)
    vi.advanceTimersByTime(5_001)
    expect((await readProjects(server, token)).status).toBe(200)
  })

  it('receives no request for tokens from another issuer', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    issuer.failWith(500)

    expect((await readProjects(server, await issuer.sign({ iss: 'https://other.example.com' }))).status).toBe(401)
    expect((await readProjects(server, 'not.a.jwt')).status).toBe(401)
    expect(issuer.requests).toEqual([])
  })

  it('has no effect while its keys are cached', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    issuer.failWith(500)

    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).status).toBe(200)
  })

  it('causes 503 when its discovery document names another issuer or an insecure URL for the keys', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    issuer.discovery = { ...issuer.discovery, issuer: 'https://other.example.com' }
    expect((await readProjects(server, await issuer.sign())).status).toBe(503)

    await using insecure = await startWithIssuer()
    insecure.issuer.discovery = { ...insecure.issuer.discovery, jwks_uri: 'http://keys.example.com/' }
    expect((await readProjects(insecure.server, await insecure.issuer.sign())).status).toBe(503)
  })
})

describe('an API key that is created with an access token', () => {
  const shared = useOidcServer()

  it('has the user and the scopes of the token, and does not outlive it', async () => {
    const { issuer, server } = shared()
    const exp = nowSeconds() + 300
    const key = await issuer.sign({ scope: 'settings:read settings:write keys:write', exp })
    const project = await server.request('POST', '/v1/settings/projects', { key, json: { name: 'billing' } })
    const created = await server.request('POST', '/v1/settings/api-keys', { key, json: { name: 'ci' } })
    const later = new Date((exp + 1) * 1000).toISOString()
    const rejected = await server.request('POST', '/v1/settings/api-keys', { key, json: { name: 'ci', expires_at: later } })

    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({
      scopes: ['settings:read', 'settings:write', 'keys:write'],
      expires_at: new Date(exp * 1000).toISOString(),
    })
    expect((await readProjects(server, created.json.key)).json.data).toEqual([project.json])
    expect(rejected.json.errors).toMatchObject([{ pointer: '/expires_at', code: 'invalid_value' }])
  })
})
