import type { ProviderClient, Registry } from '@flowpost/delivery'
import type { Channels } from '@flowpost/domain'
import type { Logger } from 'pino'
import type { Authentication } from './auth/authentication.ts'
import type { Config } from './config/config.ts'
import type { EmbeddedDatabase } from './database/embedded.ts'
import type { PostgresDatabase } from './database/postgres.ts'
import type { Completions } from './features/delivery/completion.ts'
import type { Queue } from './features/delivery/queue.ts'
import type { QueueLimit } from './features/delivery/queue-limit.ts'
import type { Credentials } from './features/integrations/credentials.ts'
import type { OutboxSession } from './features/outbox/outbox-session.ts'
import type { Metrics } from './http/metrics.ts'
import type { Cache } from './shared/cache.ts'
import type { Clock } from './shared/clock.ts'
import type { Encryption } from './shared/encryption.ts'

/** What the API and the worker of one process share. */
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
  readonly providerClient: ProviderClient
  readonly authentication: Authentication
  readonly cache: Cache
  readonly completions: Completions
  readonly queueLimit: QueueLimit
  readonly metrics: Metrics
  /** The secrets of the outbox link; `undefined` where the outbox is not opened by a link. */
  readonly outboxSession: OutboxSession | undefined
  /** Whether the process takes requests: not while it is shutting down. */
  readonly isReady: () => Promise<boolean>
}
