import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../src/shared/clock.ts'
import { createKey } from './support/api-keys.ts'
import { audience, createSigningKey } from './support/oidc-issuer.ts'
import { readProjects, seconds, startWithIssuer, useOidcServer } from './support/oidc-setup.ts'

afterEach(() => vi.useRealTimers())

describe('an access token of the OIDC issuer', () => {
  it('is a user of its own, apart from API keys and other subjects', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const ada = await issuer.sign()
    const created = await server.request('POST', '/v1/settings/projects', { key: ada, json: { name: 'billing' } })

    expect(created.status).toBe(201)
    expect((await readProjects(server, ada)).json.data).toHaveLength(1)
    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).json.data).toEqual([])
    expect((await readProjects(server, server.keys.alice)).json.data).toEqual([])
    const user = `oidc:${createHash('sha256').update(issuer.url).digest('hex').slice(0, 16)}:ada`
    await vi.waitFor(() => expect(server.logged.join('')).toContain(`"credential":"${user}"`))
  })

  it('shares one rate limit with the other tokens and the keys of its user', async () => {
    await using setup = await startWithIssuer({ env: { FLOWPOST_RATE_LIMIT: '5/60' } })
    const { issuer, server } = setup
    const ada = await issuer.sign({ scope: 'settings:read keys:write' })
    const one = await createKey(server, {}, ada)
    const other = await createKey(server, {}, ada)
    const child = await createKey(server, {}, one.key)
    const statuses: number[] = []
    for (const key of [other.key, child.key, one.key, other.key, ada, await issuer.sign()])
      statuses.push((await readProjects(server, key)).status)

    expect(statuses).toEqual([200, 200, 429, 429, 429, 429])
    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).status).toBe(200)
  })

  it.each(['PS256', 'ES256', 'ES512', 'EdDSA'])('may be signed by %s', async (alg) => {
    await using setup = await startWithIssuer()
    await setup.issuer.rotate({ alg })

    expect((await readProjects(setup.server, await setup.issuer.sign())).status).toBe(200)
  })

  it('is good for one of several audiences, and within 30 s of clock skew', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup

    expect((await readProjects(server, await issuer.sign({ aud: ['other', audience] }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({ exp: seconds() - 20 }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({ nbf: seconds() + 20 }))).status).toBe(200)
  })

  it('may be of the type of JWTs or access tokens, however it is written, or of none', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/jwt', undefined])
      expect((await readProjects(server, await issuer.sign({}, { typ }))).status, String(typ)).toBe(200)
  })

  it('is verified with keys that are fetched once', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const tokens = await Promise.all(['ada', 'bob', 'carol', 'dan'].map((sub) => issuer.sign({ sub })))
    const answers = await Promise.all(tokens.map((token) => readProjects(server, token)))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
  })

  it('without a key id is tried with every key that fits', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const first = issuer.current()
    await issuer.rotate({ keep: true })

    expect((await readProjects(server, await issuer.sign({}, { key: first, kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { key: await createSigningKey(), kid: null }))).status).toBe(401)
  })

  it('is good with a new key of the issuer, and no longer with one that it has withdrawn', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    // Not the clock of the database, which nobody turns.
    await using setup = await startWithIssuer({ clock: systemClock })
    const { issuer, server } = setup
    const old = await issuer.sign({ exp: seconds() + 3_600 })
    expect((await readProjects(server, old)).status).toBe(200)
    await issuer.rotate()
    vi.advanceTimersByTime(31_000)

    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    expect((await readProjects(server, old)).status).toBe(401)
  })

  it('with an unknown key id does not make the server fetch the keys each time', async () => {
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
  ])('are those of scope that are known: %j', async (scope, reading, writing) => {
    const { issuer, server } = setup()
    const key = await issuer.sign({ scope, sub: `user with ${scope}` })

    expect((await readProjects(server, key)).status).toBe(reading)
    const written = await server.request('POST', '/v1/settings/projects', { key, json: { name: 'billing' } })
    expect(written.status).toBe(writing)
    if (writing === 403) expect(written.json.code).toBe('scope_missing')
  })
})

describe('an issuer that cannot be asked', () => {
  it('makes good tokens answer 503, not 401, and is left alone for a moment', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    // Not the clock of the database, which nobody turns.
    await using setup = await startWithIssuer({ clock: systemClock })
    const { issuer, server } = setup
    issuer.failWith(500)
    const token = await issuer.sign()
    const answers = [await readProjects(server, token), await readProjects(server, token), await readProjects(server, token)]

    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array.from({ length: 3 }, () => [503, 'unavailable']))
    expect(answers[0]?.headers.get('retry-after')).toBe('5')
    expect(issuer.requests).toHaveLength(1)
    expect((await readProjects(server, server.keys.alice)).status).toBe(200)
    issuer.failWith(undefined)
    vi.advanceTimersByTime(5_001)
    expect((await readProjects(server, token)).status).toBe(200)
  })

  it('is not asked about tokens that are not its own', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    issuer.failWith(500)

    expect((await readProjects(server, await issuer.sign({ iss: 'https://other.example.com' }))).status).toBe(401)
    expect((await readProjects(server, 'not.a.jwt')).status).toBe(401)
    expect(issuer.requests).toEqual([])
  })

  it('does not matter as long as its keys are fresh', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    issuer.failWith(500)

    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).status).toBe(200)
  })

  it('is one whose discovery document is of another issuer, or names keys on an unsafe address', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    issuer.discovery = { ...issuer.discovery, issuer: 'https://other.example.com' }
    expect((await readProjects(server, await issuer.sign())).status).toBe(503)

    await using other = await startWithIssuer()
    other.issuer.discovery = { ...other.issuer.discovery, jwks_uri: 'http://keys.example.com/' }
    expect((await readProjects(other.server, await other.issuer.sign())).status).toBe(503)
  })
})

describe('an API key that is made with an access token', () => {
  it('has its user and its scopes, and ends with it at the latest', async () => {
    await using setup = await startWithIssuer()
    const { issuer, server } = setup
    const exp = seconds() + 300
    const key = await issuer.sign({ scope: 'settings:read settings:write keys:write', exp })
    const project = await server.request('POST', '/v1/settings/projects', { key, json: { name: 'billing' } })
    const made = await server.request('POST', '/v1/settings/api-keys', { key, json: { name: 'ci' } })
    const later = new Date((exp + 1) * 1000).toISOString()
    const refused = await server.request('POST', '/v1/settings/api-keys', { key, json: { name: 'ci', expires_at: later } })

    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      scopes: ['settings:read', 'settings:write', 'keys:write'],
      expires_at: new Date(exp * 1000).toISOString(),
    })
    expect((await readProjects(server, made.json.key)).json.data).toEqual([project.json])
    expect(refused.json.errors).toMatchObject([{ pointer: '/expires_at', code: 'invalid_value' }])
  })
})
