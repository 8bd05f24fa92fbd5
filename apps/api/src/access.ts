import { scopes } from '@flowpost/contract'
import type { Request } from 'express'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import { createLastUsed } from './features/api-keys/last-used.ts'
import { createApiKeyVerifier } from './features/api-keys/verify-api-key.ts'
import { createIssuer } from './features/oidc/issuer.ts'
import { createOidcVerifier } from './features/oidc/verify-oidc-token.ts'
import type { OutboxKey } from './features/outbox/outbox-access.ts'
import { type VerifyToken, verifyByShape } from './http/authenticate.ts'
import { clientAddress } from './http/client-address.ts'
import { createFailedAuthentication, type FailedAuthentication } from './http/failed-authentication.ts'
import type { Clock } from './shared/clock.ts'
import type { LookUps } from './shared/look-ups.ts'

/** Who may come in. */
export interface Access {
  /** API keys, and the tokens of the issuer where one is configured. */
  readonly verifyToken: VerifyToken
  /** What an API key stands for in the outbox; `null` for one that is not valid. */
  readonly outboxKey: (token: string) => Promise<OutboxKey | null>
  readonly failures: FailedAuthentication
  /** Writes down when keys were last used, as far as that is not done yet. */
  stop(): Promise<void>
}

/** Puts together what verifies credentials. Only {@link Access.stop} it before the database is closed. */
export const createAccess = (deps: { config: Config; database: Database; clock: Clock; log: Logger; lookUps: LookUps }): Access => {
  const { config, clock, log } = deps
  const lastUsed = createLastUsed(deps)
  lastUsed.start()
  const verifyKey = createApiKeyVerifier({ ...deps, onUse: lastUsed.touch })
  const oidc =
    config.oidc && createOidcVerifier({ ...config.oidc, clock, keys: createIssuer({ issuer: config.oidc.issuer, clock, fetch }) })
  return {
    outboxKey: async (token) => {
      const principal = await verifyKey(token)
      if (!principal) return null
      const { userId, projectId } = principal
      return { userId, allScopes: projectId === undefined && scopes.every((scope) => principal.scopes.includes(scope)) }
    },
    verifyToken: verifyByShape({ apiKey: verifyKey, oidc }),
    failures: createFailedAuthentication({ log }),
    stop: () => lastUsed.stop(),
  }
}

/** Bounds failures of another way in, as the outbox, by the same count. What is tried is the whole `Authorization`. */
export const countFailures =
  <Result extends string | object>(
    failures: FailedAuthentication,
    authorize: (request: Request) => Promise<Result | 'unauthorized'>,
  ): ((request: Request) => Promise<Result | 'unauthorized'>) =>
  async (request) => {
    const credential = request.get('authorization')
    if (credential === undefined) return authorize(request)
    const address = clientAddress(request.ip)
    await failures.admit(address, credential)
    const result = await authorize(request)
    if (result === 'unauthorized') await failures.failed(address, credential)
    else if (typeof result === 'object') failures.succeeded(credential)
    return result
  }
