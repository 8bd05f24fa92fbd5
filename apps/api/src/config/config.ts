import type { RetryPolicy } from '@flowpost/domain'
import { z } from 'zod'
import type { BootstrapKey } from '../features/api-keys/provision-keys.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { EncryptionKey } from '../shared/encryption-keys.ts'
import { ConfigError } from './config-error.ts'
import { slackApiUrl, slackToken } from './delivery-parsers.ts'
import { emailFields, type MailgunConfig, readMailgun } from './email.ts'
import {
  bootstrapKeys,
  corsOrigins,
  databaseUrl,
  encryptionKeys,
  flag,
  instant,
  integer,
  list,
  networks,
  oidcIssuer,
  oneOf,
  rateLimit,
  sharedCredentials,
  trustProxy,
} from './parsers.ts'
import { exportsTraces, tracingFields } from './tracing.ts'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1'])

/** The schemas of the environment variables that the server reads, keyed by name. */
export const environmentFields = {
  NODE_ENV: z.string().optional(),
  PORT: integer(0, 65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: databaseUrl.optional(),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  FLOWPOST_DATA_DIR: z.string().min(1).default('.data'),
  FLOWPOST_BOOTSTRAP_KEYS: bootstrapKeys.optional(),
  FLOWPOST_OIDC_ISSUER: oidcIssuer.optional(),
  FLOWPOST_OIDC_AUDIENCE: z.string().min(1).optional(),
  FLOWPOST_ROLE: oneOf(['all', 'api', 'worker']).default('all'),
  FLOWPOST_MIGRATE: oneOf(['auto', 'off']).default('auto'),
  FLOWPOST_AFTER_RESTORE: oneOf(['send', 'cancel', 'hold']).default('hold'),
  FLOWPOST_RESTORED_AT: instant.optional(),
  FLOWPOST_CAPTURE: oneOf(['on', 'off', 'missing']).optional(),
  FLOWPOST_OUTBOX: oneOf(['on', 'off', 'local']).optional(),
  ...emailFields,
  FLOWPOST_SLACK_TOKEN: slackToken.optional(),
  FLOWPOST_SLACK_API_URL: slackApiUrl.optional(),
  FLOWPOST_ENCRYPTION_KEY: encryptionKeys.default([]),
  FLOWPOST_SHARED_CREDENTIALS: sharedCredentials.optional(),
  FLOWPOST_RETRY_BUDGET_HOURS: integer(0, 720).default(24),
  FLOWPOST_RETRY_INITIAL_WAIT_SECONDS: integer(1, 3_600).default(5),
  FLOWPOST_RETRY_MAX_WAIT_SECONDS: integer(1, 86_400).default(3_600),
  FLOWPOST_AMBIGUOUS: oneOf(['retry', 'hold']).default('retry'),
  FLOWPOST_QUEUE_LIMIT: integer(1, 1_000_000_000).default(1_000_000),
  FLOWPOST_LOG_CONTENT: flag.default('on'),
  FLOWPOST_RETENTION_CONTENT_DAYS: integer(0, 36_500).default(30),
  FLOWPOST_RETENTION_LOG_DAYS: integer(0, 36_500).default(90),
  FLOWPOST_RETENTION_EVENTS_DAYS: integer(0, 36_500).default(7),
  FLOWPOST_RETENTION_HISTORY_DAYS: integer(0, 36_500).default(400),
  FLOWPOST_EGRESS_ALLOW: networks.default([]),
  FLOWPOST_PROVIDERS: list.default([]),
  FLOWPOST_BODY_LIMIT_BYTES: integer(1024, 104_857_600).default(1_048_576),
  FLOWPOST_MAX_CONNECTIONS: integer(1, 1_000_000).default(1_000),
  FLOWPOST_RATE_LIMIT: rateLimit.default({ requests: 6000, seconds: 60 }),
  FLOWPOST_TRUST_PROXY: trustProxy.default(false),
  FLOWPOST_CORS_ORIGINS: corsOrigins.default([]),
  ...tracingFields,
}

const environment = z.object(environmentFields)

/** The names of the environment variables that the server reads. */
export const environmentVariables: readonly string[] = Object.keys(environmentFields)

type Environment = Readonly<Record<string, string>>

/**
 * Returns an issue for each variable that conflicts with `FLOWPOST_OUTBOX=local`. This value opens the outbox to every
 * program on the machine, without a credential, so it is allowed only on local development servers.
 */
const openOutboxIssues = (given: Environment): string[] => {
  const remedy = 'set FLOWPOST_OUTBOX to "on" to open /outbox with an API key'
  const issues: string[] = []
  if (given['DATABASE_URL'] !== undefined) issues.push(`FLOWPOST_OUTBOX=local does not work with DATABASE_URL: ${remedy}`)
  if (given['NODE_ENV'] === 'production') issues.push(`FLOWPOST_OUTBOX=local does not work with NODE_ENV=production: ${remedy}`)
  if (given['HOST'] !== undefined && !loopbackHosts.has(given['HOST']))
    issues.push(`FLOWPOST_OUTBOX=local needs HOST to be one of ${[...loopbackHosts].join(', ')}: ${remedy}`)
  return issues
}

/**
 * Returns the issues that concern several variables. These checks are not refinements of the schema, because zod skips
 * refinements if any variable is invalid.
 */
const combinationIssues = (given: Environment): string[] => {
  const has = (name: keyof typeof environmentFields) => given[name] !== undefined
  const issues: string[] = []
  if (has('FLOWPOST_ROLE') && given['FLOWPOST_ROLE'] !== 'all' && !has('DATABASE_URL'))
    issues.push('FLOWPOST_ROLE other than "all" needs DATABASE_URL: processes cannot share the embedded database')
  if (given['FLOWPOST_MIGRATE'] === 'off' && !has('DATABASE_URL'))
    issues.push('FLOWPOST_MIGRATE=off needs DATABASE_URL: no other process can migrate the embedded database while this one uses it')
  for (const name of ['FLOWPOST_SMTP_URL', 'FLOWPOST_MAILGUN_API_KEY'] as const)
    if (has(name) && !has('FLOWPOST_EMAIL_FROM'))
      issues.push(`FLOWPOST_EMAIL_FROM is required with ${name}: set the sender, as an address or "Name <address>"`)
  if (has('FLOWPOST_OIDC_ISSUER') !== has('FLOWPOST_OIDC_AUDIENCE'))
    issues.push('FLOWPOST_OIDC_AUDIENCE and FLOWPOST_OIDC_ISSUER must be set together')
  if (has('FLOWPOST_MAILGUN_API_KEY') !== has('FLOWPOST_MAILGUN_DOMAIN'))
    issues.push('FLOWPOST_MAILGUN_DOMAIN and FLOWPOST_MAILGUN_API_KEY must be set together')
  if (given['FLOWPOST_OUTBOX'] === 'local') issues.push(...openOutboxIssues(given))
  return issues
}

/** The configuration of the server, read from environment variables at startup. */
export interface Config {
  readonly production: boolean
  readonly port: number
  readonly host: string
  /** Whether only this machine can reach the server. */
  readonly boundToLoopback: boolean
  /** The URL of the PostgreSQL database; `undefined` for the embedded database. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly logLevel: z.output<typeof environmentFields.LOG_LEVEL>
  /**
   * The bootstrap keys; `undefined` if `FLOWPOST_BOOTSTRAP_KEYS` is not set. Startup revokes every stored bootstrap key that
   * is missing from this list.
   */
  readonly bootstrapKeys: readonly BootstrapKey[] | undefined
  /** The issuer whose access tokens are accepted in addition to API keys. */
  readonly oidc: { readonly issuer: string; readonly audience: string } | undefined
  readonly role: 'all' | 'api' | 'worker'
  /**
   * Whether a process applies pending migrations at startup (`auto`), or waits until another process has applied them
   * (`off`).
   */
  readonly migrate: 'auto' | 'off'
  /** The action for restored deliveries that were unfinished when the backup was made. */
  readonly afterRestore: 'send' | 'cancel' | 'hold'
  /** The time of a restore that Flowpost cannot detect, such as a point-in-time restore. */
  readonly restoredAt: Date | undefined
  readonly capture: 'on' | 'off' | 'missing'
  /** The rule that decides who may open the outbox; see `OutboxAccessRule`. */
  readonly outbox: 'on' | 'off' | 'local' | 'link'
  readonly smtpUrl: string | undefined
  readonly emailFrom: string | undefined
  readonly smtpConnections: number
  /** The address that receives bounces of messages sent through `smtpUrl`. */
  readonly bounceAddress: string | undefined
  /** The token in the URLs that receive reports about messages sent with the deployment's own credentials. */
  readonly inboundToken: string | undefined
  readonly mailgun: MailgunConfig | undefined
  readonly mailgunApiUrl: string | undefined
  readonly slackToken: string | undefined
  readonly slackApiUrl: string | undefined
  /** The users whose projects may send with the credentials from the environment variables. */
  readonly sharedCredentials: 'all' | 'none' | readonly string[]
  /** The keys for stored secrets. Secrets are encrypted with the first key and can be decrypted with any of them. */
  readonly encryptionKeys: readonly EncryptionKey[]
  readonly retryPolicy: RetryPolicy
  readonly ambiguous: 'retry' | 'hold'
  /**
   * The maximum number of pending deliveries. Scheduled deliveries that are not due yet have a separate limit of the same
   * size. Requests that would exceed a limit are rejected. A single user may use at most half of each limit.
   */
  readonly queueLimit: number
  /** Whether subjects and messages remain stored after delivery. */
  readonly logContent: boolean
  readonly retentionContentMs: number
  readonly retentionLogMs: number
  readonly retentionEventsMs: number
  readonly retentionHistoryMs: number
  /** The non-public networks, in CIDR notation, that projects may reach with their credentials and event endpoints. */
  readonly egressAllow: readonly string[]
  /** The paths of files that export additional delivery providers. */
  readonly providerFiles: readonly string[]
  readonly bodyLimitBytes: number
  /** The maximum number of open HTTP connections. */
  readonly maxConnections: number
  /** The rate limit for each credential; `undefined` for no limit. */
  readonly rateLimit: RateLimit | undefined
  /** Express's `trust proxy` setting. */
  readonly trustProxy: false | number | readonly string[]
  readonly corsOrigins: readonly string[]
  /** Whether traces are exported to a collector. */
  readonly tracing: boolean
}

const hourMs = 3_600_000

/**
 * Reads and validates the environment variables.
 * @returns the configuration, and warnings about unknown variables.
 * @throws ConfigError with every issue.
 */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): { config: Config; warnings: string[] } => {
  // An empty variable counts as unset: Compose files and shells often set empty variables.
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  )
  const warnings = Object.keys(given)
    .filter((name) => name.startsWith('FLOWPOST_') && !(name in environmentFields))
    .map((name) => `${name} is not a known setting and is ignored.`)
  const result = environment.safeParse(given)
  const issues = [...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`), ...combinationIssues(given)]
  if (!result.success || issues.length > 0) throw new ConfigError(issues)
  const value = result.data
  const production = value.NODE_ENV === 'production'
  const embedded = value.DATABASE_URL === undefined
  const oidc =
    value.FLOWPOST_OIDC_ISSUER !== undefined && value.FLOWPOST_OIDC_AUDIENCE !== undefined
      ? { issuer: value.FLOWPOST_OIDC_ISSUER, audience: value.FLOWPOST_OIDC_AUDIENCE }
      : undefined
  const config: Config = {
    production,
    port: value.PORT,
    host: value.HOST,
    boundToLoopback: loopbackHosts.has(value.HOST),
    databaseUrl: value.DATABASE_URL,
    dataDir: value.FLOWPOST_DATA_DIR,
    logLevel: value.LOG_LEVEL,
    bootstrapKeys: value.FLOWPOST_BOOTSTRAP_KEYS,
    oidc,
    role: value.FLOWPOST_ROLE,
    migrate: value.FLOWPOST_MIGRATE,
    afterRestore: value.FLOWPOST_AFTER_RESTORE,
    restoredAt: value.FLOWPOST_RESTORED_AT,
    capture: value.FLOWPOST_CAPTURE ?? (embedded && !production ? 'missing' : 'off'),
    outbox: value.FLOWPOST_OUTBOX ?? (loopbackHosts.has(value.HOST) && !production ? 'link' : 'off'),
    smtpUrl: value.FLOWPOST_SMTP_URL,
    emailFrom: value.FLOWPOST_EMAIL_FROM,
    smtpConnections: value.FLOWPOST_SMTP_CONNECTIONS,
    bounceAddress: value.FLOWPOST_BOUNCE_ADDRESS,
    inboundToken: value.FLOWPOST_INBOUND_TOKEN,
    mailgun: readMailgun(value),
    mailgunApiUrl: value.FLOWPOST_MAILGUN_API_URL,
    slackToken: value.FLOWPOST_SLACK_TOKEN,
    slackApiUrl: value.FLOWPOST_SLACK_API_URL,
    // With OIDC, anyone with an account at the issuer is a user, so the deployment's credentials are not shared by default.
    sharedCredentials: value.FLOWPOST_SHARED_CREDENTIALS ?? (oidc ? 'none' : 'all'),
    encryptionKeys: value.FLOWPOST_ENCRYPTION_KEY,
    retryPolicy: {
      initialWaitMs: value.FLOWPOST_RETRY_INITIAL_WAIT_SECONDS * 1_000,
      maxWaitMs: value.FLOWPOST_RETRY_MAX_WAIT_SECONDS * 1_000,
      budgetMs: value.FLOWPOST_RETRY_BUDGET_HOURS * hourMs,
    },
    ambiguous: value.FLOWPOST_AMBIGUOUS,
    queueLimit: value.FLOWPOST_QUEUE_LIMIT,
    logContent: value.FLOWPOST_LOG_CONTENT === 'on',
    retentionContentMs: value.FLOWPOST_RETENTION_CONTENT_DAYS * 24 * hourMs,
    retentionLogMs: value.FLOWPOST_RETENTION_LOG_DAYS * 24 * hourMs,
    retentionEventsMs: value.FLOWPOST_RETENTION_EVENTS_DAYS * 24 * hourMs,
    retentionHistoryMs: value.FLOWPOST_RETENTION_HISTORY_DAYS * 24 * hourMs,
    egressAllow: value.FLOWPOST_EGRESS_ALLOW,
    providerFiles: value.FLOWPOST_PROVIDERS,
    bodyLimitBytes: value.FLOWPOST_BODY_LIMIT_BYTES,
    maxConnections: value.FLOWPOST_MAX_CONNECTIONS,
    rateLimit: value.FLOWPOST_RATE_LIMIT ?? undefined,
    trustProxy: value.FLOWPOST_TRUST_PROXY,
    corsOrigins: value.FLOWPOST_CORS_ORIGINS,
    tracing: exportsTraces(value),
  }
  return { config, warnings }
}
