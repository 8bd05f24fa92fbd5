import { createOpenApiDocument, scopes } from '@flowpost/contract'
import { type Express, Router } from 'express'
import type { VerifyToken } from './auth/authenticate.ts'
import { countFailures } from './auth/failed-authentication.ts'
import { apiKeyBodyChecks, createApiKeyRoutes } from './features/api-keys/api-key.routes.ts'
import { cancelPending, countPendingOf, revokeCredential } from './features/delivery/cancel-pending.ts'
import { createFlowRoutes, flowBodyChecks } from './features/flows/flow.routes.ts'
import { resetFlowHealth } from './features/flows/flow-health.ts'
import { createIntegrationRoutes, integrationBodyChecks } from './features/integrations/integration.routes.ts'
import { createProviderRoutes } from './features/integrations/provider.routes.ts'
import { createNotificationRoutes, notificationBodyChecks } from './features/notifications/notification.routes.ts'
import { createCapturedMessageStore } from './features/outbox/outbox.queries.ts'
import { createOutboxRouter } from './features/outbox/outbox.routes.ts'
import { createOutboxAccess, isOutboxVisible, type OutboxAccessRule, type OutboxKey } from './features/outbox/outbox-access.ts'
import { createProjectRoutes } from './features/projects/project.routes.ts'
import { createSettingsRoutes } from './features/settings/settings.routes.ts'
import { settingsBodyChecks } from './features/settings/settings-body-checks.ts'
import type { BodyCheck } from './http/check-bodies.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createDocs } from './http/pages/docs.ts'
import { textPages } from './http/pages/page.ts'
import { createProbes } from './http/pages/probe-server.ts'
import { createStartPage } from './http/pages/start-page.ts'
import { createHttpApp } from './http/server.ts'
import type { Services } from './services.ts'
import { version } from './version.ts'

/** Creates the Express application that serves the API's operations and the pages outside the contract. */
export const createApiApp = (services: Services): Express => {
  const { config, log, metrics, authentication } = services
  return createHttpApp({
    log,
    measureRequests: metrics.measureRequests,
    tracing: services.tracing,
    verifyToken: authentication.verifyToken,
    failures: authentication.failures,
    rateLimit: config.rateLimit,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    bodyLimitBytes: config.bodyLimitBytes,
    pages: [
      textPages([...createProbes({ ...services, isOnHold: services.restoreHold.isOnHold }), metrics.page]),
      createReference(services),
      createStartPage({ version, hasOutbox: (request) => isOutboxVisible(config.outbox, request) }),
      Router().use('/outbox', createOutbox(services)),
    ],
    bodyChecks: createBodyChecks(services),
    routes: createRoutes(services),
  })
}

const createRoutes = (services: Services) => {
  const { config, log, clock, database, encryption, registry, channels, credentials, providerClient, recipients, cache } = services
  const { capture, logContent } = config
  const { queue, queueLimit, completions, authentication: access, metrics } = services
  const idempotency = createIdempotency({ database, clock })
  const canceling = { clock, logContent, recipients }
  return {
    apiKeys: createApiKeyRoutes({ database, clock, idempotency }),
    projects: createProjectRoutes({
      database,
      clock,
      idempotency,
      cancelPending: (projectId) => cancelPending(canceling, { projectId }),
    }),
    flows: createFlowRoutes({
      database,
      clock,
      registry,
      channels,
      providerClient,
      credentials,
      cache,
      idempotency,
      cancelPending: (flows) => cancelPending(canceling, flows),
    }),
    integrations: createIntegrationRoutes({
      database,
      clock,
      registry,
      encryption,
      credentialChanged: resetFlowHealth,
      revokeCredential,
    }),
    providers: createProviderRoutes({ registry }),
    settings: createSettingsRoutes({
      database,
      clock,
      registry,
      channels,
      encryption,
      idempotency,
      credentialChanged: resetFlowHealth,
      revokeCredential,
      cancelPending: (flows) => cancelPending(canceling, flows),
      countPending: countPendingOf,
    }),
    notifications: createNotificationRoutes({
      database,
      clock,
      log,
      channels,
      credentials,
      recipients,
      cache,
      idempotency,
      queue,
      queueLimit,
      completions,
      acceptanceMetrics: metrics.acceptance,
      tracing: services.tracing,
      access,
      capture,
      logContent,
    }),
  }
}

const createBodyChecks = ({ clock, database, registry, channels, encryption }: Services): ReadonlyMap<unknown, BodyCheck> =>
  new Map([
    ...apiKeyBodyChecks({ clock }),
    ...flowBodyChecks({ database, channels }),
    ...integrationBodyChecks({ database, registry, encryption }),
    ...notificationBodyChecks,
    ...settingsBodyChecks({ database, registry, channels, encryption }),
  ])

const createReference = ({ config, channels }: Services): Router =>
  createDocs(() =>
    createOpenApiDocument({ version, sourceTypes: channels.ids, ...(config.oidc ? { oidcIssuer: config.oidc.issuer } : {}) }),
  )

/** Creates a verifier that returns the properties of an API key that the outbox needs. */
const verifyOutboxKey =
  (verifyApiKey: VerifyToken) =>
  async (token: string): Promise<OutboxKey | null> => {
    const principal = await verifyApiKey(token)
    if (!principal) return null
    const { userId, projectId } = principal
    return { userId, allScopes: projectId === undefined && scopes.every((scope) => principal.scopes.includes(scope)) }
  }

const outboxRule = ({ config, authentication, outboxSession }: Services): OutboxAccessRule => {
  if (outboxSession) return { mode: 'link', session: outboxSession }
  if (config.outbox === 'on') return { mode: 'on', verifyKey: verifyOutboxKey(authentication.verifyApiKey) }
  return { mode: config.outbox === 'local' ? 'local' : 'off' }
}

const createOutbox = (services: Services): Router => {
  const rule = outboxRule(services)
  const authorize = createOutboxAccess(rule)
  return createOutboxRouter({
    store: createCapturedMessageStore(services.database),
    // Failures are counted only in mode `on`, because only then does the outbox accept API keys, which a client could try to guess.
    authorize: rule.mode === 'on' ? countFailures(services.authentication.failures, authorize) : authorize,
  })
}
