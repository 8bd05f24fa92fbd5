import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** An OIDC issuer on this machine with discovery, keys and tokens. */
export interface OidcIssuer extends AsyncDisposable {
  readonly url: string
  /** The requested paths, in order. */
  readonly requests: readonly string[]
  /** Returns the key that signs new tokens. */
  readonly currentKey: () => SigningKey
  /** Signs a valid token. `claims` replaces claims of the token; the value `undefined` removes a claim. */
  sign(
    claims?: Readonly<Record<string, unknown>>,
    options?: { readonly key?: SigningKey; readonly kid?: string | null; readonly typ?: unknown },
  ): Promise<string>
  /** Signs with a new key from now on. Publishes the new key instead of the old ones, or in addition to them if `keep` is set. */
  rotate(options?: { readonly keep?: boolean; readonly alg?: string }): Promise<void>
  /** Publishes another key before the keys that sign tokens. */
  publish(jwk: JWK): void
  /** Responds to every request with this status. `undefined` restores the normal responses. */
  failWith(status: number | undefined): void
  /** The discovery document, which tests may change. */
  discovery: Record<string, unknown>
}

/** A key pair of the issuer. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

/** The audience of the tokens. */
export const audience = 'https://flowpost.example.com'

let count = 0

/** Creates a key pair that no issuer has published. */
export const createSigningKey = async (alg = 'RS256'): Promise<SigningKey> => {
  count += 1
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const kid = `key-${count}`
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Starts an issuer on a free port of 127.0.0.1. */
export const startOidcIssuer = async (): Promise<OidcIssuer> => {
  let published = [await createSigningKey()]
  const others: JWK[] = []
  let failing: number | undefined
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (failing !== undefined) {
      response.writeHead(failing).end('{}')
      return
    }
    const pages: Record<string, unknown> = {
      '/.well-known/openid-configuration': issuer.discovery,
      '/keys': { keys: [...others, ...published.map(({ publicJwk }) => publicJwk)] },
    }
    const page = pages[request.url ?? '']
    response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(page ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const currentKey = () => published.at(-1) as SigningKey

  const issuer: OidcIssuer = {
    url,
    requests,
    currentKey,
    discovery: { issuer: url, jwks_uri: `${url}/keys` },
    sign: async (claims = {}, { key = currentKey(), kid = key.kid, typ } = {}) => {
      const now = Math.floor(Date.now() / 1000)
      const validClaims = { iss: url, aud: audience, sub: 'ada', iat: now, exp: now + 300, scope: 'settings:read settings:write' }
      const payload = Object.fromEntries(Object.entries({ ...validClaims, ...claims }).filter(([, value]) => value !== undefined))
      const header = { alg: key.alg, ...(kid === null ? {} : { kid }), ...(typ === undefined ? {} : { typ: typ as string }) }
      return new SignJWT(payload as JWTPayload).setProtectedHeader(header).sign(key.privateKey)
    },
    rotate: async ({ keep = false, alg = 'RS256' } = {}) => {
      const newKey = await createSigningKey(alg)
      published = keep ? [...published, newKey] : [newKey]
    },
    publish: (jwk) => {
      others.push(jwk)
    },
    failWith: (status) => {
      failing = status
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}
