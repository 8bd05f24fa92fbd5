import { createOpenApiDocument, scopes } from '@flowpost/contract'
import { type Express, Router } from 'express'
import type { VerifyToken } from './auth/authenticate.ts'
import { countFailures } from './auth/failed-authentication.ts'
import { createApiKeyRoutes, lateApiKeyChecks } from './features/api-keys/api-key.routes.ts'
import { bulkActionBodyChecks, createBulkActionRoutes } from './features/bulk-actions/bulk-action.routes.ts'
import { cancelPending, countPendingOf, revokeCredential } from './features/delivery/cancel-deliveries.ts'
import { createErasureRoutes, erasureBodyChecks } from './features/erasures/erasure.routes.ts'
import { createEventRoutes } from './features/events/event.routes.ts'
import { createEventEndpointRoutes } from './features/events/event-endpoint.routes.ts'
import { createEventSender } from './features/events/push/send-event.ts'
import { removeProjectEvents } from './features/events/remove-project-events.ts'
import { createFlowRoutes, flowBodyChecks } from './features/flows/flow.routes.ts'
import { resetFlowHealth } from './features/flows/flow-health.ts'
import { readDeploymentCredentials } from './features/integrations/credentials.ts'
import { createIntegrationRoutes, integrationBodyChecks } from './features/integrations/integration.routes.ts'
import { createProviderRoutes } from './features/integrations/provider.routes.ts'
import { createNotificationRoutes, lateNotificationChecks, notificationBodyChecks } from './features/notifications/notification.routes.ts'
import { readPastNotifications } from './features/notifications/past-notifications.ts'
import { reportSettingsChange } from './features/notifications/settings-changed-header.ts'
import { createCapturedMessageStore } from './features/outbox/outbox.queries.ts'
import { createOutboxRouter } from './features/outbox/outbox.routes.ts'
import { createOutboxAccess, isOutboxVisible, type OutboxAccessRule, type OutboxKey } from './features/outbox/outbox-access.ts'
import { createProjectRoutes } from './features/projects/project.routes.ts'
import { createInboundRouter } from './features/receipts/inbound.routes.ts'
import { createReceiptRoutes } from './features/receipts/receipt.routes.ts'
import { createSettingsRoutes } from './features/settings/settings.routes.ts'
import { lateSettingsChecks, settingsBodyChecks } from './features/settings/settings-body-checks.ts'
import { createSettingsDigests } from './features/settings/settings-digest.ts'
import { createSuppressionRoutes, suppressionBodyChecks } from './features/suppressions/suppression.routes.ts'
import type { BodyChecks } from './http/check-bodies.ts'
import { createHttpApp } from './http/http-app.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createDocs } from './http/pages/docs.ts'
import { createProbes } from './http/pages/probe-server.ts'
import { textPages } from './http/pages/serve-page.ts'
import { createStartPage } from './http/pages/start-page.ts'
import type { Services } from './services.ts'
import { createWaitLimit } from './shared/wait-limit.ts'
import { version } from './version.ts'

/**
 * Creates the Express application. It serves the API's operations, and also the pages that are not in the contract, such
 * as `/outbox`.
 */
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
      createInbound(services),
    ],
    reportSettingsChange: reportSettingsChange({ findSettingsDigest: createSettingsDigests(services) }),
    bodyChecks: createBodyChecks(services),
    routes: createRoutes(services),
  })
}

const createRoutes = (services: Services) => {
  const { config, log, clock, database, encryption, registry, channels, credentials, providerClient, recipients, cache } = services
  const { capture, logContent } = config
  const { queue, queueLimit, completions, metrics, recordEvents } = services
  const { verifyToken } = services.authentication
  const idempotency = createIdempotency({ database, clock })
  const limitWaits = createWaitLimit()
  const canceling = { clock, logContent, recipients, recordEvents }
  return {
    apiKeys: createApiKeyRoutes({ database, clock, idempotency }),
    projects: createProjectRoutes({
      database,
      clock,
      idempotency,
      cancelPending: (projectId) => removeProjectEvents(cancelPending(canceling, { projectId }), projectId),
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
      recordEvents,
      cancelPending: (flows) => cancelPending(canceling, flows),
    }),
    integrations: createIntegrationRoutes({
      database,
      clock,
      registry,
      encryption,
      idempotency,
      credentialChanged: resetFlowHealth,
      revokeCredential,
    }),
    providers: createProviderRoutes({ registry }),
    suppressions: createSuppressionRoutes({ database, clock, channels, recipients, idempotency }),
    deliveries: createReceiptRoutes({ clock, channels, recipients, recordEvents, idempotency }),
    erasures: createErasureRoutes({ database, clock, channels, recipients, idempotency }),
    eventEndpoints: createEventEndpointRoutes({
      database,
      clock,
      idempotency,
      encryption,
      sendEvent: createEventSender({ providerClient, encryption, clock }),
    }),
    events: createEventRoutes({ database, wakes: services.eventWakes, limitWaits, verifyToken }),
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
      readPast: (of) => readPastNotifications(database, of),
      contentMs: config.retentionContentMs,
    }),
    notifications: createNotificationRoutes({
      database,
      clock,
      log,
      channels,
      credentials,
      recipients,
      recordEvents,
      cache,
      idempotency,
      queue,
      queueLimit,
      completions,
      limitWaits,
      acceptanceMetrics: metrics.acceptance,
      tracing: services.tracing,
      verifyToken,
      capture,
      logContent,
    }),
    bulkActions: createBulkActionRoutes({ database, clock, idempotency, completions, limitWaits, verifyToken }),
  }
}

const createBodyChecks = ({ clock, database, registry, channels, encryption }: Services): BodyChecks => ({
  early: new Map([
    ...flowBodyChecks({ database, channels }),
    ...bulkActionBodyChecks,
    ...suppressionBodyChecks({ channels }),
    ...erasureBodyChecks({ channels }),
    ...integrationBodyChecks({ database, registry, encryption }),
    ...notificationBodyChecks,
    ...settingsBodyChecks({ channels }),
  ]),
  late: new Map([
    ...lateApiKeyChecks({ clock }),
    ...lateNotificationChecks({ clock, channels }),
    ...lateSettingsChecks({ database, registry, channels, encryption }),
  ]),
})

const createReference = ({ config, channels }: Services): Router =>
  createDocs(() =>
    createOpenApiDocument({ version, sourceTypes: channels.ids, ...(config.oidc ? { oidcIssuer: config.oidc.issuer } : {}) }),
  )

const createInbound = (services: Services): Router => {
  const { config, clock, database, encryption, registry, channels, recipients, authentication } = services
  return createInboundRouter({
    clock,
    database,
    encryption,
    registry,
    channels,
    recipients,
    recordEvents: services.recordEvents,
    failures: authentication.failures,
    deployment: readDeploymentCredentials(config),
    deploymentToken: config.inboundToken,
    logContent: config.logContent,
    bodyLimitBytes: config.bodyLimitBytes,
  })
}

/**
 * Creates the function that verifies API keys for the outbox. The function returns `null` for an invalid key. In its result,
 * `allScopes` is `true` if the key has all scopes and is not bound to a project.
 */
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
    // Only mode `on` accepts API keys, which a client could try to guess. Failures are therefore counted only in this mode.
    authorize: rule.mode === 'on' ? countFailures(services.authentication.failures, authorize) : authorize,
  })
}
