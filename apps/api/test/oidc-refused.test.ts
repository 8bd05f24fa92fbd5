import { type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { audience, createSigningKey, type OidcIssuer, startOidcIssuer } from './support/oidc-issuer.ts'
import { readProjects, seconds, useOidcServer } from './support/oidc-setup.ts'
import { startTestServer } from './support/test-server.ts'

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

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
    'with an unknown key id': async (issuer) => issuer.sign({}, { key: await createSigningKey() }),
    'signed by another key under a known id': async (issuer) =>
      issuer.sign({}, { key: await createSigningKey(), kid: issuer.current().kid }),
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
    'of the type of logout tokens': (issuer) => issuer.sign({}, { typ: 'logout+jwt' }),
    'of the type of DPoP proofs': (issuer) => issuer.sign({}, { typ: 'dpop+jwt' }),
    'of a type that only contains that of access tokens': (issuer) => issuer.sign({}, { typ: 'x-at+jwt' }),
    'with an empty type': (issuer) => issuer.sign({}, { typ: '' }),
    'whose claims were changed after it was signed': async (issuer) => {
      const [header, payload = '', signature] = (await issuer.sign()).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return `${header}.${base64url({ ...claims, sub: 'eve' })}.${signature}`
    },
    'that is no JWT': async () => 'abc.def.ghi',
  }

  const setup = useOidcServer()

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
