import { type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { audience, createSigningKey, type OidcIssuer, startOidcIssuer } from './support/oidc-issuer.ts'
import { nowSeconds, readProjects, useOidcServer } from './support/oidc-setup.ts'
import { startTestServer } from './support/test-server.ts'

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('returns 401 for an access token that', () => {
  const invalidTokens: Record<string, (issuer: OidcIssuer) => Promise<string>> = {
    'has another audience': (issuer) => issuer.sign({ aud: 'https://other.example.com' }),
    'has no audience': (issuer) => issuer.sign({ aud: undefined }),
    'has another issuer': (issuer) => issuer.sign({ iss: 'https://other.example.com' }),
    'has no issuer': (issuer) => issuer.sign({ iss: undefined }),
    'has expired': (issuer) => issuer.sign({ exp: nowSeconds() - 31 }),
    'has no expiry': (issuer) => issuer.sign({ exp: undefined }),
    'is not valid yet': (issuer) => issuer.sign({ nbf: nowSeconds() + 60 }),
    'has no subject': (issuer) => issuer.sign({ sub: undefined }),
    'has an empty subject': (issuer) => issuer.sign({ sub: '' }),
    'has a subject that is not a string': (issuer) => issuer.sign({ sub: 7 }),
    'has a subject of more than 255 characters': (issuer) => issuer.sign({ sub: 'a'.repeat(256) }),
    'has a subject with a NUL character': (issuer) => issuer.sign({ sub: 'ada\u0000' }),
    'has an unknown key id': async (issuer) => issuer.sign({}, { key: await createSigningKey() }),
    'is signed by another key with the id of a valid one': async (issuer) =>
      issuer.sign({}, { key: await createSigningKey(), kid: issuer.currentKey().kid }),
    'has the algorithm none': async (issuer) => {
      const [, payload] = (await issuer.sign()).split('.')
      return `${base64url({ alg: 'none', kid: issuer.currentKey().kid })}.${payload}.`
    },
    'has an HMAC of the public key': async (issuer) => {
      const { kid, publicJwk } = issuer.currentKey()
      const pem = await exportSPKI((await importJWK(publicJwk, 'RS256')) as CryptoKey)
      return new SignJWT({ iss: issuer.url, aud: audience, sub: 'ada', exp: nowSeconds() + 300, scope: 'settings:read' })
        .setProtectedHeader({ alg: 'HS256', kid })
        .sign(new TextEncoder().encode(pem))
    },
    'has the type of logout tokens': (issuer) => issuer.sign({}, { typ: 'logout+jwt' }),
    'has the type of DPoP proofs': (issuer) => issuer.sign({}, { typ: 'dpop+jwt' }),
    'has a type that merely ends like the type of access tokens': (issuer) => issuer.sign({}, { typ: 'x-at+jwt' }),
    'has an empty type': (issuer) => issuer.sign({}, { typ: '' }),
    'has claims that were changed after it was signed': async (issuer) => {
      const [header, payload = '', signature] = (await issuer.sign()).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return `${header}.${base64url({ ...claims, sub: 'eve' })}.${signature}`
    },
    'is not a JWT': async () => 'abc.def.ghi',
  }

  const setup = useOidcServer()

  it.each(Object.keys(invalidTokens))('%s', async (name) => {
    const { issuer, server } = setup()
    const token = await invalidTokens[name]?.(issuer)
    const response = await readProjects(server, token ?? '')

    expect(response.status).toBe(401)
    expect(response.json.code).toBe('unauthenticated')
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="flowpost", error="invalid_token"')
    // A valid token from the same issuer is accepted, so only the tested difference is the cause.
    expect((await readProjects(server, await issuer.sign())).status).toBe(200)
  })

  it('is from an issuer that is not configured', async () => {
    await using issuer = await startOidcIssuer()
    await using server = await startTestServer()

    expect((await readProjects(server, await issuer.sign())).status).toBe(401)
    expect(issuer.requests).toEqual([])
  })
})
