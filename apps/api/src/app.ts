import { resolve } from 'node:path'
import { api, scopes } from '@flowpost/contract'
import { createBuiltInProviders, createCourier, createRegistry, type Provider } from '@flowpost/delivery'
import { defaultRetryPolicy, type RetryPolicy } from '@flowpost/domain'
import { Router } from 'express'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { openEmbedded } from './database/embedded.ts'
import { type DataFolderLock, lockDataFolder } from './database/lock.ts'
import { openPostgres } from './database/postgres.ts'
import { provisionKeys } from './features/api-keys/provision-keys.ts'
import { createApiKeyVerifier } from './features/api-keys/verify-api-key.ts'
import { cancelOpen } from './features/deliveries/cancel-open.ts'
import { createDeliveryWorker } from './features/deliveries/delivery-worker.ts'
import { createFlowBodyCheck, createFlowRoutes } from './features/flows/flow.routes.ts'
import { createCredentials } from './features/integrations/credentials.ts'
import { readDeploymentCredentials } from './features/integrations/deployment-credentials.ts'
import { createNotificationRoutes } from './features/notifications/notification.routes.ts'
import { createCapturedMessageStore } from './features/outbox/captured-message-store.ts'
import { createOutboxRouter } from './features/outbox/outbox.routes.ts'
import { createOutboxAccess } from './features/outbox/outbox-access.ts'
import { createProjectRoutes } from './features/projects/project.routes.ts'
import type { VerifyToken } from './http/authenticate.ts'
import { createIdempotency } from './http/idempotency.ts'
import { listen } from './http/listen.ts'
import { createProbes } from './http/probes.ts'
import { createHttpApp, createProbeApp } from './http/server.ts'
import { createPgBossQueue } from './queue/pg-boss-queue.ts'
import { leaseMs } from './queue/queue.ts'
import { type Clock, systemClock } from './shared/clock.ts'

/** What an application is made of; all but the configuration and the log has a default. */
export interface AppOptions {
  readonly config: Config
  readonly log: Logger
  /** The delivery providers that the deployment serves. Default: the built-in ones. */
  readonly providers?: readonly Provider[]
  readonly clock?: Clock
  /** Uniform in [0, 1). */
  readonly random?: () => number
  readonly retryPolicy?: RetryPolicy
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
const sendTimeoutMs = leaseMs - 5_000
const workerPollMs = 1_000
const apiPoolSize = 20

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
    const database = await openDatabase(config, log, toClose)
    const firstKey = await provisionKeys({ database, clock, bootstrapKeys: config.bootstrapKeys })
    const queue = createPgBossQueue({ database, log, name: 'deliveries' })
    await queue.start()
    toClose.push(() => queue.stop())

    const registry = createRegistry(given.providers ?? builtInProviders(config))
    const channels = { get: registry.get, ids: registry.list().map(({ id }) => id) }
    const credentials = createCredentials({ deployment: readDeploymentCredentials(config), sharedWith: config.sharedCredentials })
    const idempotency = createIdempotency({ database, clock })
    const verifyToken = createApiKeyVerifier({ database, clock })

    let isClosing = false
    const probes = createProbes({ isReady: async () => !isClosing && (await isReachable(database)) })
    const outbox = createOutboxRouter({
      store: createCapturedMessageStore(database),
      authorize: createOutboxAccess({
        boundToLoopback: config.boundToLoopback && !config.production,
        outboxEnabled: config.outbox,
        verifyKey: (token) => outboxKey(verifyToken, token),
      }),
    })
    const flowCheck = createFlowBodyCheck({ database, channels })
    const httpApp =
      config.role === 'worker'
        ? createProbeApp({ log, pages: [probes] })
        : createHttpApp({
            log,
            verifyToken,
            bodyLimitBytes: config.bodyLimitBytes,
            pages: [probes, Router().use('/outbox', outbox)],
            bodyChecks: new Map([api.flows.create, api.flows.update, api.flows.patch].map((route) => [route, flowCheck])),
            routes: {
              projects: createProjectRoutes({
                database,
                clock,
                idempotency,
                cancelOpen: (transaction, projectId) => cancelOpen(transaction, clock, { projectId }),
              }),
              flows: createFlowRoutes({
                database,
                clock,
                idempotency,
                channels,
                cancelOpen: (transaction, flowId) => cancelOpen(transaction, clock, { flowId }),
              }),
              notifications: createNotificationRoutes({
                database,
                queue,
                clock,
                idempotency,
                channels,
                credentials,
                capture: config.capture,
              }),
            },
          })

    if (config.role !== 'api') {
      const courier = createCourier({ timeoutMs: sendTimeoutMs })
      toClose.push(() => courier.close())
      const worker = createDeliveryWorker({
        database,
        queue,
        clock,
        log,
        registry,
        courier,
        credentials,
        random: given.random,
        retryPolicy: options.retryPolicy ?? { ...defaultRetryPolicy, budgetMs: config.retryBudgetMs },
        ambiguous: config.ambiguous,
        concurrency: config.smtpConnections * 2,
        pollMs: workerPollMs,
      })
      worker.start()
      toClose.push(() => worker.stop(deliveryGraceMs))
    }

    const server = await listen(httpApp, config.host, config.port)
    toClose.push(() => server.close(requestGraceMs))
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

const openDatabase = async (config: Config, log: Logger, closing: (() => Promise<void>)[]) => {
  if (config.databaseUrl !== undefined) {
    const database = await openPostgres({ url: config.databaseUrl, poolSize: apiPoolSize, log })
    closing.push(() => database.close())
    return database
  }
  const dataDir = resolve(config.dataDir)
  const lock: DataFolderLock = await lockDataFolder(dataDir)
  closing.push(() => lock.release())
  const database = await openEmbedded({ dataDir })
  closing.push(() => database.close())
  return database
}

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

const outboxKey = async (verify: VerifyToken, token: string) => {
  const principal = await verify(token)
  if (!principal) return null
  return { userId: principal.userId, allScopes: principal.projectId === undefined && scopes.every((scope) => principal.scopes.includes(scope)) }
}
