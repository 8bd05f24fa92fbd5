import { afterAll, beforeAll } from 'vitest'
import { audience, startOidcIssuer } from './oidc-issuer.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

/** Starts an issuer and a server that accepts its tokens. */
export const startWithIssuer = async (options: TestServerOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const issuer = stack.use(await startOidcIssuer())
  const env = { FLOWPOST_OIDC_ISSUER: issuer.url, FLOWPOST_OIDC_AUDIENCE: audience }
  const server = stack.use(await startTestServer({ ...options, env: { ...env, ...options.env } }))
  return { issuer, server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Starts an issuer and a server before the tests of a file or group, and stops them afterwards. Returns a function that returns both. */
export const useOidcServer = () => {
  let setup: Awaited<ReturnType<typeof startWithIssuer>>
  beforeAll(async () => {
    setup = await startWithIssuer()
  })
  afterAll(() => setup[Symbol.asyncDispose]())
  return () => setup
}

/** Sends a request that needs the scope `settings:read`. */
export const readProjects = (server: TestServer, key: string) => server.request('GET', '/v1/settings/projects', { key })

/** Returns the current time in Unix seconds, the unit of token claims. */
export const nowSeconds = () => Math.floor(Date.now() / 1000)
