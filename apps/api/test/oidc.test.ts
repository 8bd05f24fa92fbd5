import { createHash } from 'node:crypto'
import { exportSPKI, importJWK, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { audience, makeSigningKey, type OidcIssuer, startOidcIssuer } from './oidc-issuer.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

afterEach(() => vi.useRealTimers())

const start = async (options: TestServerOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const issuer = stack.use(await startOidcIssuer())
  const env = { FLOWPOST_OIDC_ISSUER: issuer.url, FLOWPOST_OIDC_AUDIENCE: audience }
  const server = stack.use(await startTestServer({ ...options, env: { ...env, ...options.env } }))
  return { issuer, server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** One server with its issuer for all tests of a group, because starting one takes longer than most of them. */
const shared = () => {
  let setup: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    setup = await start()
  })
  afterAll(() => setup[Symbol.asyncDispose]())
  return () => setup
}

const readProjects = (server: TestServer, key: string) => server.request('GET', '/v1/settings/projects', { key })

const seconds = () => Math.floor(Date.now() / 1000)

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('an access token of the OIDC issuer', () => {
  it('is a user of its own, apart from API keys and other subjects', async () => {
    await using setup = await start()
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

  it.each(['PS256', 'ES256', 'ES512', 'EdDSA'])('may be signed by %s', async (alg) => {
    await using setup = await start()
    await setup.issuer.rotate({ alg })

    expect((await readProjects(setup.server, await setup.issuer.sign())).status).toBe(200)
  })

  it('is good for one of several audiences, and within 30 s of clock skew', async () => {
    await using setup = await start()
    const { issuer, server } = setup

    expect((await readProjects(server, await issuer.sign({ aud: ['other', audience] }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({ exp: seconds() - 20 }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({ nbf: seconds() + 20 }))).status).toBe(200)
  })

  it('is verified with keys that are fetched once', async () => {
    await using setup = await start()
    const { issuer, server } = setup
    const tokens = await Promise.all(['ada', 'bob', 'carol', 'dan'].map((sub) => issuer.sign({ sub })))
    const answers = await Promise.all(tokens.map((token) => readProjects(server, token)))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
  })

  it('without a key id is tried with every key that fits', async () => {
    await using setup = await start()
    const { issuer, server } = setup
    const first = issuer.current()
    await issuer.rotate({ keep: true })

    expect((await readProjects(server, await issuer.sign({}, { key: first, kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { kid: null }))).status).toBe(200)
    expect((await readProjects(server, await issuer.sign({}, { key: await makeSigningKey(), kid: null }))).status).toBe(401)
  })

  it('is good with a new key of the issuer, and no longer with one that it has withdrawn', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using setup = await start()
    const { issuer, server } = setup
    const old = await issuer.sign({ exp: seconds() + 3_600 })
    expect((await readProjects(server, old)).status).toBe(200)
    await issuer.rotate()
    vi.advanceTimersByTime(31_000)

    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    expect((await readProjects(server, old)).status).toBe(401)
  })

  it('with an unknown key id does not make the server fetch the keys each time', async () => {
    await using setup = await start()
    const { issuer, server } = setup
    const key = await makeSigningKey()
    for (let count = 0; count < 5; count += 1) {
      expect((await readProjects(server, await issuer.sign({}, { key, kid: `unknown-${count}` }))).status).toBe(401)
    }

    expect(issuer.requests.filter((path) => path === '/keys')).toHaveLength(1)
  })
})

describe('an access token is refused as 401', () => {
  const forged: Record<string, (issuer: OidcIssuer) => Promise<string>> = {
    'of another audience': (issuer) => issuer.sign({ aud: 'https://other.example.com' }),
    'without an audience': (issuer) => issuer.sign({ aud: undefined }),
    'of another issuer': (issuer) => issuer.sign({ iss: 'https://other.example.com' }),
    'without an issuer': (issuer) => issuer.sign({ iss: undefined }),
    'that has expired': (issuer) => issuer.sign({ exp: seconds() - 31 }),
    'without an expiry': (issuer) => issuer.sign({ exp: undefined }),
    'that is not valid yet': (issuer) => issuer.sign({ nbf: seconds() + 60 }),
    'without a subject': (issuer) => issuer.sign({ sub: undefined }),
    'with an empty subject': (issuer) => issuer.sign({ sub: '' }),
    'with a subject that is no text': (issuer) => issuer.sign({ sub: 7 }),
    'with a subject of more than 255 characters': (issuer) => issuer.sign({ sub: 'a'.repeat(256) }),
    'with a NUL in its subject': (issuer) => issuer.sign({ sub: 'ada\u0000' }),
    'with an unknown key id': async (issuer) => issuer.sign({}, { key: await makeSigningKey() }),
    'signed by another key under a known id': async (issuer) => issuer.sign({}, { key: await makeSigningKey(), kid: issuer.current().kid }),
    'with the algorithm none': async (issuer) => {
      const [, payload] = (await issuer.sign()).split('.')
      return `${base64url({ alg: 'none', kid: issuer.current().kid })}.${payload}.`
    },
    'with an HMAC made with the public key': async (issuer) => {
      const { kid, publicJwk } = issuer.current()
      const pem = await exportSPKI((await importJWK(publicJwk, 'RS256')) as CryptoKey)
      return new SignJWT({ iss: issuer.url, aud: audience, sub: 'ada', exp: seconds() + 300, scope: 'settings:read' })
        .setProtectedHeader({ alg: 'HS256', kid })
        .sign(new TextEncoder().encode(pem))
    },
    'whose claims were changed after it was signed': async (issuer) => {
      const [header, payload = '', signature] = (await issuer.sign()).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return `${header}.${base64url({ ...claims, sub: 'eve' })}.${signature}`
    },
    'that is no JWT': async () => 'abc.def.ghi',
  }

  const setup = shared()

  it.each(Object.keys(forged))('%s', async (name) => {
    const { issuer, server } = setup()
    const token = await forged[name]?.(issuer)
    const answer = await readProjects(server, token ?? '')

    expect(answer.status).toBe(401)
    expect(answer.json.code).toBe('unauthenticated')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="flowpost", error="invalid_token"')
    // The same issuer's good token passes, so it is the fault alone that was refused.
    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
  })

  it('where no issuer is configured', async () => {
    await using issuer = await startOidcIssuer()
    await using server = await startTestServer()

    expect((await readProjects(server, await issuer.sign())).status).toBe(401)
    expect(issuer.requests).toEqual([])
  })
})

describe('the scopes of an access token', () => {
  const setup = shared()

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
    await using setup = await start()
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
    await using setup = await start()
    const { issuer, server } = setup
    issuer.failWith(500)

    expect((await readProjects(server, await issuer.sign({ iss: 'https://other.example.com' }))).status).toBe(401)
    expect((await readProjects(server, 'not.a.jwt')).status).toBe(401)
    expect(issuer.requests).toEqual([])
  })

  it('does not matter as long as its keys are fresh', async () => {
    await using setup = await start()
    const { issuer, server } = setup
    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
    issuer.failWith(500)

    expect((await readProjects(server, await issuer.sign({ sub: 'bob' }))).status).toBe(200)
  })

  it('is one whose discovery document is of another issuer, or names keys on an unsafe address', async () => {
    await using setup = await start()
    const { issuer, server } = setup
    issuer.discovery = { ...issuer.discovery, issuer: 'https://other.example.com' }
    expect((await readProjects(server, await issuer.sign())).status).toBe(503)

    await using other = await start()
    other.issuer.discovery = { ...other.issuer.discovery, jwks_uri: 'http://keys.example.com/' }
    expect((await readProjects(other.server, await other.issuer.sign())).status).toBe(503)
  })
})

describe('an API key that is made with an access token', () => {
  it('has its user and its scopes, and ends with it at the latest', async () => {
    await using setup = await start()
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
