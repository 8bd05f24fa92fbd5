import { api, createOpenApiDocument } from '@flowpost/contract'
import { type Express, Router } from 'express'
import { countFailures } from './access.ts'
import { createApiKeyRoutes } from './features/api-keys/api-key.routes.ts'
import { createApiKeyBodyCheck } from './features/api-keys/create-child-key.ts'
import { cancelPending, revokeCredential } from './features/delivery/cancel-pending.ts'
import { createFlowBodyCheck, createFlowRoutes } from './features/flows/flow.routes.ts'
import { forgetFlowHealth } from './features/flows/flow-health.ts'
import { createIntegrationBodyCheck, createIntegrationRoutes } from './features/integrations/integration.routes.ts'
import { createProviderRoutes } from './features/integrations/provider.routes.ts'
import { createNotificationRoutes } from './features/notifications/notification.routes.ts'
import { createCapturedMessageStore } from './features/outbox/captured-message-store.ts'
import { createOutboxRouter } from './features/outbox/outbox.routes.ts'
import { createOutboxAccess, isOutboxVisible, type OutboxAccessRule } from './features/outbox/outbox-access.ts'
import { createProjectRoutes } from './features/projects/project.routes.ts'
import type { BodyCheck } from './http/check-bodies.ts'
import { createDocs } from './http/docs.ts'
import { createIdempotency } from './http/idempotency.ts'
import { textPages } from './http/page.ts'
import { createProbes } from './http/probes.ts'
import { createHttpApp } from './http/server.ts'
import { createStartPage } from './http/start-page.ts'
import type { Parts } from './parts.ts'
import { version } from './version.ts'

/** The application of a process that serves the API: every operation of the contract, and the pages beside it. */
export const createApiApp = (parts: Parts): Express => {
  const { config, log, metrics, access } = parts
  return createHttpApp({
    log,
    measureRequests: metrics.measureRequests,
    verifyToken: access.verifyToken,
    failures: access.failures,
    rateLimit: config.rateLimit,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    bodyLimitBytes: config.bodyLimitBytes,
    pages: [
      textPages([...createProbes(parts), metrics.page]),
      createReference(parts),
      createStartPage({ version, hasOutbox: (request) => isOutboxVisible(config.outbox, request) }),
      Router().use('/outbox', createOutbox(parts)),
    ],
    bodyChecks: createBodyChecks(parts),
    routes: createRoutes(parts),
  })
}

const createRoutes = (parts: Parts) => {
  const { config, clock, database } = parts
  const deps = { ...parts, idempotency: createIdempotency({ database, clock }) }
  const { logContent } = config
  const canceling = { clock, logContent }
  return {
    apiKeys: createApiKeyRoutes(deps),
    projects: createProjectRoutes({
      ...deps,
      cancelPending: (projectId) => cancelPending(canceling, { projectId }),
    }),
    flows: createFlowRoutes({ ...deps, cancelPending: (flow) => cancelPending(canceling, flow) }),
    integrations: createIntegrationRoutes({ ...deps, credentialChanged: forgetFlowHealth, revokeCredential }),
    providers: createProviderRoutes(deps),
    notifications: createNotificationRoutes({
      ...deps,
      capture: config.capture,
      logContent,
    }),
  }
}

const createBodyChecks = (parts: Parts): ReadonlyMap<unknown, BodyCheck> => {
  const flowCheck = createFlowBodyCheck(parts)
  return new Map<unknown, BodyCheck>([
    [api.flows.create, flowCheck],
    [api.flows.update, flowCheck],
    [api.flows.patch, flowCheck],
    [api.integrations.put, createIntegrationBodyCheck(parts)],
    [api.apiKeys.create, createApiKeyBodyCheck(parts)],
  ])
}

const createReference = ({ config, channels }: Parts): Router =>
  createDocs(createOpenApiDocument({ version, sourceTypes: channels.ids, ...(config.oidc ? { oidcIssuer: config.oidc.issuer } : {}) }))

const outboxRule = ({ config, access, outboxSession }: Parts): OutboxAccessRule => {
  if (outboxSession) return { mode: 'link', session: outboxSession }
  if (config.outbox === 'on') return { mode: 'on', verifyKey: access.outboxKey }
  return { mode: config.outbox === 'local' ? 'local' : 'off' }
}

const createOutbox = (parts: Parts): Router => {
  const rule = outboxRule(parts)
  const authorize = createOutboxAccess(rule)
  return createOutboxRouter({
    store: createCapturedMessageStore(parts.database),
    // Only API keys can be guessed at, and only a key that was verified counts as a good credential.
    authorize: rule.mode === 'on' ? countFailures(parts.access.failures, authorize) : authorize,
  })
}
