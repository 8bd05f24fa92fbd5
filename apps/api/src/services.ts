import {
  createProviderClient,
  createRegistry,
  type EgressPolicy,
  type Provider,
  type ProviderClient,
  type Registry,
} from '@flowpost/delivery'
import type { Channels } from '@flowpost/domain'
import type { Logger } from 'pino'
import { type Authentication, createAuthentication } from './auth/authentication.ts'
import { createBackupCommands } from './backup/backup-commands.ts'
import type { Config } from './config/config.ts'
import type { EmbeddedDatabase } from './database/embedded.ts'
import type { PostgresDatabase } from './database/postgres.ts'
import { createKeyCommands } from './features/api-keys/key-commands.ts'
import { stopBulkActionsBefore } from './features/bulk-actions/stop-bulk-action.ts'
import { type Completions, createCompletions } from './features/delivery/completion-watch.ts'
import { leaseMs } from './features/delivery/queue/job.ts'
import { createQueue, type Queue } from './features/delivery/queue/queue.ts'
import { createQueueLimit, type QueueLimit } from './features/delivery/queue/queue-limit.ts'
import { createRecipients, type Recipients } from './features/delivery/recipients/recipients.ts'
import { createRestoreHold, type RestoreHold } from './features/delivery/restore/restore-hold.ts'
import { eventChannel } from './features/events/event-wakes.ts'
import { oldestUnpushedSeconds } from './features/events/push/claim-endpoints.ts'
import { createEventRecorder } from './features/events/record-events.ts'
import { rotateEndpointSecrets } from './features/events/rotate-endpoint-secrets.ts'
import { type Credentials, createCredentials, readDeploymentCredentials } from './features/integrations/credentials.ts'
import { createSecretCommands } from './features/integrations/secret-commands.ts'
import { createOutboxSession, type OutboxSession } from './features/outbox/outbox-session.ts'
import { createMetrics, type Metrics } from './http/metrics/metrics.ts'
import { type OpenDatabaseOptions, openDatabase } from './open-database.ts'
import { deploymentProviders, egressPolicy, loadProviders } from './providers.ts'
import { type Cache, createCache } from './shared/cache.ts'
import type { Clock } from './shared/clock.ts'
import { createEncryption, type Encryption } from './shared/encryption.ts'
import { loadEncryptionKeys } from './shared/encryption-key-file.ts'
import type { RecordEvents } from './shared/event-facts.ts'
import { openRecipientKey } from './shared/recipient-key.ts'
import type { Tracing } from './shared/tracing.ts'
import { version } from './version.ts'

/** The services that the API and the worker share within one process. */
export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly database: EmbeddedDatabase | PostgresDatabase
  readonly queue: Queue
  readonly encryption: Encryption
  readonly registry: Registry
  readonly channels: Channels
  readonly credentials: Credentials
  readonly recipients: Recipients
  /** Stores events, such as a delivery's outcome, for the endpoints that subscribe to them. */
  readonly recordEvents: RecordEvents
  readonly providerClient: ProviderClient
  readonly authentication: Authentication
  readonly cache: Cache
  readonly completions: Completions
  /** Wakes the requests that wait for events. */
  readonly eventWakes: Completions
  readonly queueLimit: QueueLimit
  readonly metrics: Metrics
  /** The hold on messages after the database was restored. */
  readonly restoreHold: RestoreHold
  /** The tracing of requests and deliveries; `undefined` if tracing is off. */
  readonly tracing: Tracing | undefined
  /** The secrets that open this process's outbox; `undefined` if the process prints no link to its outbox. */
  readonly outboxSession: OutboxSession | undefined
  /** The ids of the providers loaded from the files in `FLOWPOST_PROVIDERS`. */
  readonly loadedProviders: readonly string[]
  /** Returns whether the process accepts requests: the database is reachable and no shutdown is in progress. */
  readonly isReady: () => Promise<boolean>
}

/** The options of {@link createServices}. */
export interface ServicesOptions extends OpenDatabaseOptions {
  readonly config: Config
  readonly log: Logger
  /** The delivery providers. @default the providers of {@link deploymentProviders} and `FLOWPOST_PROVIDERS` */
  readonly providers?: readonly Provider[]
  /**
   * The networks that the server may reach with projects' credentials. @default the result of {@link egressPolicy}
   */
  readonly egress?: EgressPolicy
  /** The source of the current time. @default the database's clock */
  readonly clock?: Clock
  /** The time limit, in milliseconds, for sending one message. Must be shorter than a job's lease. @default 15,000 */
  readonly sendTimeoutMs?: number
}

const defaultSendTimeoutMs = leaseMs - 5_000

/** Creates the services that the API and the worker share. Everything that must be closed is added to `stack`. */
export const createServices = async (options: ServicesOptions, stack: AsyncDisposableStack): Promise<Services> => {
  const { config, log } = options
  const tracing = config.tracing ? (await import('./tracing/start-tracing.ts')).startTracing({ log }) : undefined
  // Deferred first, so tracing stops last at shutdown. The other steps may still end spans.
  stack.defer(() => tracing?.stop())
  const ownProviders = deploymentProviders(config)
  const loaded = options.providers ? [] : await loadProviders(config.providerFiles, ownProviders)
  const registry = createRegistry(options.providers ?? [...ownProviders, ...loaded])
  const { database, clock: databaseClock, clockSkewSeconds, isReachable, serveCommands } = await openDatabase(config, log, stack, options)
  const clock = options.clock ?? databaseClock
  const keys = await loadEncryptionKeys(config, log)
  const encryption = createEncryption(keys)
  const sourceTypes = registry.list().map(({ id }) => id)
  const channels: Channels = { get: registry.get, ids: sourceTypes }
  const recipients = createRecipients(await openRecipientKey({ database, encryption, log }), channels)
  const recordEvents = createEventRecorder({ clock, channels })
  const restoreHold = await createRestoreHold({
    database,
    clock,
    log,
    identity: database.identity,
    afterRestore: config.afterRestore,
    restoredAt: config.restoredAt,
    logContent: config.logContent,
    recipients,
    stopBulkActions: (before) => stopBulkActionsBefore(database, clock, before),
    recordEvents,
  })
  stack.defer(() => restoreHold.stop())
  const keyCommands = createKeyCommands({ database, clock, log })
  const secretCommands = createSecretCommands({ database, encryption, log, rotateEndpointSecrets })
  const backupCommands = createBackupCommands({ database, dataDir: config.dataDir, keys, log })
  serveCommands((command, input) => {
    if (command.startsWith('backup.')) return backupCommands(input)
    return (command.startsWith('secrets.') ? secretCommands : keyCommands)(command, input)
  })

  const cache = createCache({ nowMs: () => performance.now() })
  // A worker caches nothing: it reads credentials from the database for each batch.
  if (config.role !== 'worker') await database.onInvalidation(cache)
  const authentication = createAuthentication({ oidc: config.oidc, database, clock, log, cache })
  stack.defer(authentication.stop)
  const completions = createCompletions(database)
  await completions.start()
  const eventWakes = createCompletions(database, eventChannel)
  await eventWakes.start()
  const queue = createQueue({ database, log })
  await queue.start()
  stack.defer(() => queue.stop())
  const queueLimit = createQueueLimit({ queue, limit: config.queueLimit, log })
  stack.defer(queueLimit.stop)
  await queueLimit.start()
  const isReady = async () => !stack.disposed && (await isReachable())
  const providerClient = createProviderClient({
    timeoutMs: options.sendTimeoutMs ?? defaultSendTimeoutMs,
    egress: options.egress ?? egressPolicy(config),
  })
  stack.defer(() => providerClient.close())
  return {
    config,
    log,
    clock,
    database,
    queue,
    encryption,
    registry,
    channels,
    recipients,
    recordEvents,
    credentials: createCredentials({
      encryption,
      log,
      deployment: readDeploymentCredentials(config),
      sharedWith: config.sharedCredentials,
    }),
    providerClient,
    authentication,
    cache,
    completions,
    eventWakes,
    queueLimit,
    metrics: createMetrics({
      version,
      role: config.role,
      sourceTypes,
      nowMs: () => performance.now(),
      queueState: queue.countByState,
      oldestUnpushedSeconds: () => oldestUnpushedSeconds(database),
      queueLimit: config.queueLimit,
      clockSkewSeconds,
      isReady,
      isOnHold: restoreHold.isOnHold,
      poolUsage: database.kind === 'postgres' ? database.poolUsage : undefined,
    }),
    restoreHold,
    tracing,
    outboxSession: config.outbox === 'link' && config.role !== 'worker' ? createOutboxSession() : undefined,
    loadedProviders: loaded.map(({ id }) => id),
    isReady,
  }
}
