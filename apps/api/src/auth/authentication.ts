import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Cache } from '../shared/cache.ts'
import type { Clock } from '../shared/clock.ts'
import { type VerifyToken, verifyByShape } from './authenticate.ts'
import { createFailedAuthentication, type FailedAuthentication } from './failed-authentication.ts'
import { createLastUsed } from './last-used.ts'
import { createIssuer } from './oidc-issuer.ts'
import { createApiKeyVerifier } from './verify-api-key.ts'
import { createOidcVerifier } from './verify-oidc-token.ts'

/** Verifies the credentials of requests. */
export interface Authentication {
  /** Verifies API keys and, if an OIDC issuer is configured, its access tokens. */
  readonly verifyToken: VerifyToken
  /** Verifies API keys only. */
  readonly verifyApiKey: VerifyToken
  readonly failures: FailedAuthentication
  /** Writes the last-use times that are still in memory. The database must still be open. */
  stop(): Promise<void>
}

/** Creates the configured verifiers and starts to record the last use of API keys. */
export const createAuthentication = (deps: {
  readonly oidc: Config['oidc']
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly cache: Cache
}): Authentication => {
  const { database, clock, log, cache } = deps
  const lastUsed = createLastUsed({ database, clock, log })
  lastUsed.start()
  const verifyApiKey = createApiKeyVerifier({ database, clock, cache, onUse: lastUsed.touch })
  const oidc = deps.oidc && createOidcVerifier({ ...deps.oidc, clock, keys: createIssuer({ issuer: deps.oidc.issuer, clock, fetch }) })
  return {
    verifyApiKey,
    verifyToken: verifyByShape({ apiKey: verifyApiKey, oidc }),
    failures: createFailedAuthentication({ log }),
    stop: lastUsed.stop,
  }
}
