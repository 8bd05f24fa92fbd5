import { afterAll, beforeAll } from 'vitest'
import { audience, startOidcIssuer } from './oidc-issuer.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

/** Starts an issuer, and a server that takes its tokens. */
export const startWithIssuer = async (options: TestServerOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const issuer = stack.use(await startOidcIssuer())
  const env = { FLOWPOST_OIDC_ISSUER: issuer.url, FLOWPOST_OIDC_AUDIENCE: audience }
  const server = stack.use(await startTestServer({ ...options, env: { ...env, ...options.env } }))
  return { issuer, server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** One server with its issuer for all tests of a group, because starting one takes longer than most of them. */
export const useOidcServer = () => {
  let setup: Awaited<ReturnType<typeof startWithIssuer>>
  beforeAll(async () => {
    setup = await startWithIssuer()
  })
  afterAll(() => setup[Symbol.asyncDispose]())
  return () => setup
}

/** A request that any credential with `settings:read` may make. */
export const readProjects = (server: TestServer, key: string) => server.request('GET', '/v1/settings/projects', { key })

/** The present in seconds, as tokens have it. */
export const seconds = () => Math.floor(Date.now() / 1000)
