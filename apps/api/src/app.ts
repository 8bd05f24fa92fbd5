import { api, createOpenApiDocument } from '@flowpost/contract'
import { createBuiltInProviders, createCourier, createRegistry, type EgressPolicy, type Provider } from '@flowpost/delivery'
import type { RetryPolicy } from '@flowpost/domain'
import { Router } from 'express'
import type { Logger } from 'pino'
import { countFailures, createAccess } from './access.ts'
import type { Config } from './config.ts'
import { createApiKeyRoutes } from './features/api-keys/api-key.routes.ts'
import { createApiKeyBodyCheck } from './features/api-keys/create-child-key.ts'
import { createKeyCommands } from './features/api-keys/operate-keys.ts'
import { provisionKeys } from './features/api-keys/provision-keys.ts'
import { createBackPressure } from './features/deliveries/back-pressure.ts'
import { cancelOpen } from './features/deliveries/cancel-open.ts'
import { createCircuitBreakers } from './features/deliveries/circuit-breaker.ts'
import { createDeliveryWorker } from './features/deliveries/delivery-worker.ts'
import { createRetention } from './features/deliveries/retention.ts'
import { createSettlements } from './features/deliveries/settlements.ts'
import { createFlowBodyCheck, createFlowRoutes } from './features/flows/flow.routes.ts'
import { forgetFlowHealth } from './features/flows/flow-health.ts'
import { createCredentials } from './features/integrations/credentials.ts'
import { readDeploymentCredentials } from './features/integrations/deployment-credentials.ts'
import { createIntegrationBodyCheck, createIntegrationRoutes } from './features/integrations/integration.routes.ts'
import { loadEncryptionKeys } from './features/integrations/load-encryption-keys.ts'
import { createProviderRoutes } from './features/integrations/provider.routes.ts'
import { createSecretCommands } from './features/integrations/secret-commands.ts'
import { createNotificationRoutes } from './features/notifications/notification.routes.ts'
import { createCapturedMessageStore } from './features/outbox/captured-message-store.ts'
import { createOutboxRouter } from './features/outbox/outbox.routes.ts'
import { createOutboxAccess } from './features/outbox/outbox-access.ts'
import { createProjectRoutes } from './features/projects/project.routes.ts'
import type { BodyCheck } from './http/check-bodies.ts'
import { createDocs } from './http/docs.ts'
import { createIdempotency } from './http/idempotency.ts'
import { listen } from './http/listen.ts'
import { createMetrics } from './http/metrics.ts'
import { createProbes } from './http/probes.ts'
import { createHttpApp, createProbeApp } from './http/server.ts'
import { openDatabase } from './open-database.ts'
import { createPgBossQueue } from './queue/pg-boss-queue.ts'
import { leaseMs } from './queue/queue.ts'
import { type Clock, systemClock } from './shared/clock.ts'
import { createSecretBox } from './shared/secret-box.ts'
import { version } from './version.ts'

/** What an application is made of; all but the configuration and the log has a default. */
export interface AppOptions {
  readonly config: Config
  readonly log: Logger
  /** The delivery providers that the deployment serves. Default: the built-in ones. */
  readonly providers?: readonly Provider[]
  /** What the credentials of projects may reach, where they name an address. Default: the public internet. */
  readonly egress?: EgressPolicy
  readonly clock?: Clock
  /** Uniform in [0, 1). */
  readonly random?: () => number
  readonly retryPolicy?: RetryPolicy
  /** How long one send may take, in milliseconds; below the lease of the queue. Default 15,000. */
  readonly sendTimeoutMs?: number
}

/** A server that runs. */
export interface App {
  readonly port: number
  /** The key made for the user `local` on the first start of an embedded server: to be shown once. */
  readonly firstKey: string | undefined
  /** Takes nothing new, finishes or hands back what it holds, and closes the database. */
  close(): Promise<void>
}

const requestGraceMs = 10_000
const deliveryGraceMs = 15_000
const defaultSendTimeoutMs = leaseMs - 5_000
const workerPollMs = 500
const workerConcurrency = 200

/** Starts a server: the only place where the parts are put together. */
export const startApp = async (options: AppOptions): Promise<App> => {
  const { config, log, clock = systemClock, random = Math.random } = options
  const closing: (() => Promise<void>)[] = []
  const closeAll = async () => {
    for (const close of closing.reverse()) await close()
  }
  try {
    return await compose({ ...options, clock, random }, closing, closeAll)
  } catch (error) {
    // What was opened before the fault must not keep the process, or the data folder, for itself.
    await closeAll().catch((cause: unknown) => log.warn({ err: cause }, 'Not everything could be closed.'))
    throw error
  }

  async function compose(
    given: AppOptions & { clock: Clock; random: () => number },
    toClose: (() => Promise<void>)[],
    close: () => Promise<void>,
  ): Promise<App> {
    const { database, serveCommands } = await openDatabase(config, log, toClose)
    const box = createSecretBox(await loadEncryptionKeys(config, log))
    const keyCommands = createKeyCommands({ database, clock, log })
    const secretCommands = createSecretCommands({ database, box, log })
    serveCommands((command, input) => (command.startsWith('secrets.') ? secretCommands : keyCommands)(command, input))
    // A worker serves no one, so its environment says nothing about keys.
    const firstKey =
      config.role === 'worker' ? undefined : await provisionKeys({ database, clock, log, bootstrapKeys: config.bootstrapKeys })
    const access = createAccess({ config, database, clock, log })
    toClose.push(() => access.stop())
    const settlements = createSettlements(database)
    await settlements.start()
    const queue = createPgBossQueue({ database, log, name: 'deliveries' })
    await queue.start()
    toClose.push(() => queue.stop())

    const backPressure = createBackPressure({ queue, limit: config.queueLimit, log })
    await backPressure.start()
    toClose.push(() => backPressure.stop())

    const registry = createRegistry(given.providers ?? builtInProviders(config))
    const channels = { get: registry.get, ids: registry.list().map(({ id }) => id) }
    const credentials = createCredentials({
      box,
      log,
      deployment: readDeploymentCredentials(config),
      sharedWith: config.sharedCredentials,
    })
    const courier = createCourier({
      timeoutMs: options.sendTimeoutMs ?? defaultSendTimeoutMs,
      egress: options.egress ?? egressPolicy(config),
    })
    toClose.push(() => courier.close())
    const idempotency = createIdempotency({ database, clock })

    const cancelDeps = { clock, logContent: config.logContent }
    let isClosing = false
    const metrics = createMetrics({ version, clock, queueDepth: () => queue.depth() })
    const docs = createDocs(
      createOpenApiDocument({ version, sourceTypes: channels.ids, ...(config.oidc ? { oidcIssuer: config.oidc.issuer } : {}) }),
    )
    const probes = createProbes({ isReady: async () => !isClosing && (await isReachable(database)) })
    const outbox = createOutboxRouter({
      store: createCapturedMessageStore(database),
      authorize: countFailures(
        access.failures,
        createOutboxAccess({
          boundToLoopback: config.boundToLoopback && !config.production,
          outboxEnabled: config.outbox,
          verifyKey: access.outboxKey,
        }),
      ),
    })
    const flowCheck = createFlowBodyCheck({ database, channels })
    const httpApp =
      config.role === 'worker'
        ? createProbeApp({ log, measureRequests: metrics.measureRequests, pages: [probes, metrics.router] })
        : createHttpApp({
            log,
            measureRequests: metrics.measureRequests,
            verifyToken: access.verifyToken,
            failures: access.failures,
            rateLimit: config.rateLimit,
            trustProxy: config.trustProxy,
            corsOrigins: config.corsOrigins,
            bodyLimitBytes: config.bodyLimitBytes,
            pages: [probes, metrics.router, docs, Router().use('/outbox', outbox)],
            bodyChecks: new Map<unknown, BodyCheck>([
              [api.flows.create, flowCheck],
              [api.flows.update, flowCheck],
              [api.flows.patch, flowCheck],
              [api.integrations.put, createIntegrationBodyCheck({ database, registry, box })],
              [api.apiKeys.create, createApiKeyBodyCheck({ clock })],
            ]),
            routes: {
              apiKeys: createApiKeyRoutes({ database, clock, idempotency }),
              projects: createProjectRoutes({
                database,
                clock,
                idempotency,
                cancelOpen: (transaction, projectId) => cancelOpen(transaction, cancelDeps, { projectId }),
              }),
              flows: createFlowRoutes({
                database,
                clock,
                idempotency,
                channels,
                registry,
                courier,
                credentials,
                cancelOpen: (transaction, flowId) => cancelOpen(transaction, cancelDeps, { flowId }),
              }),
              integrations: createIntegrationRoutes({ database, clock, registry, box, credentialChanged: forgetFlowHealth }),
              providers: createProviderRoutes({ registry }),
              notifications: createNotificationRoutes({
                database,
                queue,
                clock,
                idempotency,
                channels,
                credentials,
                capture: config.capture,
                settlements,
                backPressure,
                logContent: config.logContent,
              }),
            },
          })

    if (config.role !== 'api') {
      const worker = createDeliveryWorker({
        database,
        queue,
        clock,
        log,
        registry,
        courier,
        credentials,
        random: given.random,
        retryPolicy: options.retryPolicy ?? config.retryPolicy,
        ambiguous: config.ambiguous,
        breakers: createCircuitBreakers(clock),
        budgetMs: config.retryPolicy.budgetMs,
        logContent: config.logContent,
        concurrency: workerConcurrency,
        projectConcurrency: 2 * config.smtpConnections,
        pollMs: workerPollMs,
      })
      worker.start()
      const retention = createRetention({ database, clock, log, contentMs: config.retentionContentMs, logMs: config.retentionLogMs })
      retention.start()
      toClose.push(() => retention.stop())
      toClose.push(() => worker.stop(deliveryGraceMs))
    }

    const server = await listen(httpApp, config.host, config.port)
    toClose.push(() => server.close(requestGraceMs))
    // Before the server, which waits for its requests: those that wait for a settlement are answered now.
    toClose.push(() => settlements.stop())
    return {
      port: server.port,
      firstKey,
      close: () => {
        isClosing = true
        return close()
      },
    }
  }
}

/** A deployment that lets tenants reach its own networks has services there on any port, and without TLS. */
const egressPolicy = ({ egressAllow }: Config): EgressPolicy =>
  egressAllow.length === 0 ? {} : { allowedNetworks: egressAllow, httpPorts: 'any', plainHttp: true, smtpPorts: 'any' }

const builtInProviders = ({ smtpConnections, mailgunApiUrl, slackApiUrl }: Config): readonly Provider[] =>
  createBuiltInProviders({
    smtp: { maxConnections: smtpConnections },
    ...(mailgunApiUrl === undefined ? {} : { mailgunApiUrl }),
    ...(slackApiUrl === undefined ? {} : { slackApiUrl }),
  })

const isReachable = (database: { query(text: string): Promise<unknown> }): Promise<boolean> =>
  database.query('select 1').then(
    () => true,
    () => false,
  )
