import type { RequestListener } from 'node:http'
import { createCourier, createRegistry, type EgressPolicy, type Provider } from '@flowpost/delivery'
import type { RetryPolicy } from '@flowpost/domain'
import type { Logger } from 'pino'
import { createAuthentication } from './auth/authentication.ts'
import type { Config } from './config/config.ts'
import { deploymentProviders, egressPolicy } from './deployment-providers.ts'
import { createKeyCommands } from './features/api-keys/key-commands.ts'
import { provisionKeys } from './features/api-keys/provision-keys.ts'
import { createCompletions } from './features/delivery/completion.ts'
import { createQueue, leaseMs } from './features/delivery/queue.ts'
import { createQueueLimit } from './features/delivery/queue-limit.ts'
import { createCredentials, readDeploymentCredentials } from './features/integrations/credentials.ts'
import { createSecretCommands } from './features/integrations/secret-commands.ts'
import { createOutboxSession } from './features/outbox/outbox-session.ts'
import { connectionLimit, logRefusedConnections } from './http/connection-limit.ts'
import { holdRequests } from './http/hold-requests.ts'
import { listen } from './http/listen.ts'
import { createMetrics } from './http/metrics.ts'
import { createProbeServer } from './http/probe-server.ts'
import { createProbes } from './http/probes.ts'
import { loadProviders } from './load-providers.ts'
import { openDatabase } from './open-database.ts'
import type { Services } from './services.ts'
import { createCache } from './shared/cache.ts'
import type { Clock } from './shared/clock.ts'
import { createEncryption } from './shared/encryption.ts'
import { loadEncryptionKeys } from './shared/encryption-key-file.ts'
import { version } from './version.ts'

/** What an application is made of; all but the configuration and the log has a default. */
export interface AppOptions {
  readonly config: Config
  readonly log: Logger
  /** The delivery providers that the deployment serves. Default: those of {@link deploymentProviders} and `FLOWPOST_PROVIDERS`. */
  readonly providers?: readonly Provider[]
  /** What the credentials of projects may reach, where they name an address. Default: the public internet. */
  readonly egress?: EgressPolicy
  /** Default: the time of the database. */
  readonly clock?: Clock
  /** How long to wait at the start for a PostgreSQL server that is away, in milliseconds. Default 60,000. */
  readonly databaseWaitMs?: number
  /** Called with the reason when the process has to end and be started again. Default: logs it. */
  readonly onFatal?: (error: Error) => void
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
  /** The token of the link to the outbox: to be printed once. `undefined` where no link opens the outbox. */
  readonly outboxToken: string | undefined
  /** The ids of the providers that are served. */
  readonly sourceTypes: readonly string[]
  /** The ids of what `FLOWPOST_PROVIDERS` brought. */
  readonly loadedProviders: readonly string[]
  /** Takes nothing new, finishes or hands back what it holds, and closes the database. */
  close(): Promise<void>
}

const requestGraceMs = 10_000
const defaultSendTimeoutMs = leaseMs - 5_000

/** What is to be closed, the last that was opened first. */
type Closing = (() => Promise<void>)[]

/** Starts a server: together with the files that it names for each role, the only place where the services are put together. */
export const startApp = async (options: AppOptions): Promise<App> => {
  const { config, log, random = Math.random } = options
  const closing: Closing = []
  let isClosing = false
  const close = async () => {
    isClosing = true
    for (const each of closing.reverse()) await each()
  }
  try {
    const { services, loadedProviders } = await createServices(options, closing, () => isClosing)
    if (config.role !== 'api') {
      const { startWorker } = await import('./start-worker.ts')
      closing.push(startWorker(services, { random, retryPolicy: options.retryPolicy ?? config.retryPolicy }))
    }
    const maxConnections = connectionLimit(config.maxConnections)
    const onRefused = logRefusedConnections(log, maxConnections, () => performance.now())
    const held = holdRequests(await createListener(services))
    const server = await listen(held.listener, config.host, config.port, { maxConnections }, onRefused)
    closing.push(() => server.close(requestGraceMs))
    closing.push(async () => held.drop())
    // Before the server, which waits for its requests: those that wait for a completion are answered now.
    closing.push(() => services.completions.stop())
    // Last, because a start that fails must revoke no key. A worker serves no one, so its environment says nothing about keys.
    const firstKey = config.role === 'worker' ? undefined : await provisionKeys({ ...services, bootstrapKeys: config.bootstrapKeys })
    held.release()
    const outboxToken = services.outboxSession?.token
    return { port: server.port, firstKey, outboxToken, sourceTypes: services.channels.ids, loadedProviders, close }
  } catch (error) {
    // What was opened before the fault must not keep the process, or the data folder, for itself.
    await close().catch((cause: unknown) => log.warn({ err: cause }, 'Not everything could be closed.'))
    throw error
  }
}

/** What a process serves. It loads what its role needs and no more: a worker has no use for Express. */
const createListener = async (services: Services): Promise<RequestListener> => {
  if (services.config.role !== 'worker') return (await import('./start-api.ts')).createApiApp(services)
  const pages = [...createProbes(services), services.metrics.page]
  return createProbeServer({ log: services.log, measureRequests: services.metrics.measureRequests, pages })
}

/** Opens what both roles need, and what the operator's commands talk to. */
const createServices = async (
  options: AppOptions,
  closing: Closing,
  isClosing: () => boolean,
): Promise<{ services: Services } & Pick<App, 'loadedProviders'>> => {
  const { config, log } = options
  const ownProviders = deploymentProviders(config)
  const loaded = options.providers ? [] : await loadProviders(config.providerFiles, ownProviders)
  const registry = createRegistry(options.providers ?? [...ownProviders, ...loaded])
  const opened = await openDatabase(config, log, closing, { waitMs: options.databaseWaitMs, onFatal: options.onFatal })
  const { database, serveCommands } = opened
  const clock = options.clock ?? opened.clock
  const encryption = createEncryption(await loadEncryptionKeys(config, log))
  const keyCommands = createKeyCommands({ database, clock, log })
  const secretCommands = createSecretCommands({ database, encryption, log })
  serveCommands((command, input) => (command.startsWith('secrets.') ? secretCommands : keyCommands)(command, input))
  const cache = createCache({ nowMs: () => performance.now() })
  // A worker looks up what it sends with anew for each batch.
  if (config.role !== 'worker') await database.onInvalidation(cache)
  const authentication = createAuthentication({ oidc: config.oidc, database, clock, log, cache })
  closing.push(() => authentication.stop())
  const completions = createCompletions(database)
  await completions.start()
  const queue = createQueue({ database, log })
  await queue.start()
  closing.push(() => queue.stop())
  const queueLimit = createQueueLimit({ queue, limit: config.queueLimit, log })
  await queueLimit.start()
  closing.push(async () => queueLimit.stop())
  const courier = createCourier({
    timeoutMs: options.sendTimeoutMs ?? defaultSendTimeoutMs,
    egress: options.egress ?? egressPolicy(config),
  })
  closing.push(() => courier.close())
  const services: Services = {
    config,
    log,
    clock,
    database,
    queue,
    encryption,
    registry,
    channels: { get: registry.get, ids: registry.list().map(({ id }) => id) },
    credentials: createCredentials({
      encryption,
      log,
      deployment: readDeploymentCredentials(config),
      sharedWith: config.sharedCredentials,
    }),
    courier,
    authentication,
    cache,
    completions,
    queueLimit,
    metrics: createMetrics({ version, clock, queueDepth: () => queue.depth(), clockSkewSeconds: opened.clockSkewSeconds }),
    outboxSession: config.outbox === 'link' && config.role !== 'worker' ? createOutboxSession() : undefined,
    isReady: async () => !isClosing() && (await opened.isReachable()),
  }
  return { services, loadedProviders: loaded.map(({ id }) => id) }
}
