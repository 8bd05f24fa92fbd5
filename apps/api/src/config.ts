import { z } from 'zod'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1'])

const flag = z.enum(['on', 'off'])

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)

const url = (protocols: readonly string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

const bootstrapKeys = z.string().transform((value, context) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry, index) => {
      const at = entry.lastIndexOf(':')
      const userId = entry.slice(0, at)
      const token = entry.slice(at + 1)
      // The entry itself is a secret, so a fault names it by its place only.
      if (at < 1 || !/^fp_[A-Za-z0-9_-]{32,}$/.test(token))
        context.addIssue(`entry ${index + 1} must be <user_id>:<key>, the key "fp_" and at least 32 more of A-Z a-z 0-9 _ -`)
      if (userId.startsWith('oidc:')) context.addIssue(`entry ${index + 1}: a user id must not start with "oidc:"`)
      return { userId, token }
    }),
)

const fields = {
  NODE_ENV: z.string().optional(),
  PORT: integer(0, 65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  FLOWPOST_DATA_DIR: z.string().min(1).default('.data'),
  FLOWPOST_BOOTSTRAP_KEYS: bootstrapKeys.default([]),
  FLOWPOST_ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  FLOWPOST_CAPTURE: z.enum(['on', 'off', 'missing']).optional(),
  FLOWPOST_OUTBOX: flag.default('off'),
  FLOWPOST_SMTP_URL: url(['smtp:', 'smtps:']).optional(),
  FLOWPOST_EMAIL_FROM: z.string().min(3).optional(),
  FLOWPOST_SMTP_CONNECTIONS: integer(1, 1000).default(20),
  FLOWPOST_MAILGUN_API_KEY: z.string().min(1).optional(),
  FLOWPOST_MAILGUN_DOMAIN: z.string().min(1).optional(),
  FLOWPOST_MAILGUN_REGION: z.enum(['us', 'eu']).default('us'),
  FLOWPOST_MAILGUN_API_URL: url(['https:', 'http:']).optional(),
  FLOWPOST_SLACK_TOKEN: z.string().min(1).optional(),
  FLOWPOST_SLACK_API_URL: url(['https:', 'http:']).optional(),
  FLOWPOST_SHARED_CREDENTIALS: z.string().min(1).default('all'),
  FLOWPOST_RETRY_BUDGET_HOURS: integer(0, 720).default(24),
  FLOWPOST_AMBIGUOUS: z.enum(['retry', 'hold']).default('retry'),
  FLOWPOST_BODY_LIMIT_BYTES: integer(1024, 104_857_600).default(1_048_576),
}

const environment = z.object(fields).superRefine((value, context) => {
  if (value.FLOWPOST_ROLE !== 'all' && value.DATABASE_URL === undefined)
    context.addIssue({
      code: 'custom',
      path: ['FLOWPOST_ROLE'],
      message: 'other than "all" needs DATABASE_URL: processes cannot share the embedded database',
    })
  for (const name of ['FLOWPOST_SMTP_URL', 'FLOWPOST_MAILGUN_API_KEY'] as const)
    if (value[name] !== undefined && value.FLOWPOST_EMAIL_FROM === undefined)
      context.addIssue({
        code: 'custom',
        path: ['FLOWPOST_EMAIL_FROM'],
        message: `is required with ${name}: the sender, an address or "Name <address>"`,
      })
  if ((value.FLOWPOST_MAILGUN_API_KEY === undefined) !== (value.FLOWPOST_MAILGUN_DOMAIN === undefined))
    context.addIssue({
      code: 'custom',
      path: ['FLOWPOST_MAILGUN_DOMAIN'],
      message: 'and FLOWPOST_MAILGUN_API_KEY belong together: give both or neither',
    })
})

/** What the server runs by: the environment, read once. */
export interface Config {
  readonly production: boolean
  readonly port: number
  readonly host: string
  /** Whether only this machine can reach the server. */
  readonly boundToLoopback: boolean
  /** `undefined`: the embedded database. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly logLevel: z.output<typeof fields.LOG_LEVEL>
  readonly bootstrapKeys: readonly { readonly userId: string; readonly token: string }[]
  readonly role: 'all' | 'api' | 'worker'
  readonly capture: 'on' | 'off' | 'missing'
  readonly outbox: boolean
  readonly smtpUrl: string | undefined
  readonly emailFrom: string | undefined
  readonly smtpConnections: number
  readonly mailgun: { readonly apiKey: string; readonly domain: string; readonly region: 'us' | 'eu' } | undefined
  readonly mailgunApiUrl: string | undefined
  readonly slackToken: string | undefined
  readonly slackApiUrl: string | undefined
  /** Whose projects may use the credentials of the environment. */
  readonly sharedCredentials: 'all' | 'none' | readonly string[]
  readonly retryBudgetMs: number
  readonly ambiguous: 'retry' | 'hold'
  readonly bodyLimitBytes: number
}

/** Thrown when the environment has faults: all of them, in plain words. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The environment has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

const sharedCredentials = (value: string): Config['sharedCredentials'] =>
  value === 'all' || value === 'none'
    ? value
    : value
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== '')

const hourMs = 3_600_000

/**
 * Reads and checks the environment once.
 * @throws ConfigError with every fault at once.
 */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): { config: Config; warnings: string[] } => {
  // An empty variable counts as one that is not set, as compose files and shells produce them.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const warnings = Object.keys(given)
    .filter((name) => name.startsWith('FLOWPOST_') && !(name in fields))
    .map((name) => `${name} is not a setting of this version and is ignored.`)
  const result = environment.safeParse(given)
  if (!result.success) throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
  const value = result.data
  const production = value.NODE_ENV === 'production'
  const embedded = value.DATABASE_URL === undefined
  const config: Config = {
    production,
    port: value.PORT,
    host: value.HOST,
    boundToLoopback: loopbackHosts.has(value.HOST),
    databaseUrl: value.DATABASE_URL,
    dataDir: value.FLOWPOST_DATA_DIR,
    logLevel: value.LOG_LEVEL,
    bootstrapKeys: value.FLOWPOST_BOOTSTRAP_KEYS,
    role: value.FLOWPOST_ROLE,
    capture: value.FLOWPOST_CAPTURE ?? (embedded && !production ? 'missing' : 'off'),
    outbox: value.FLOWPOST_OUTBOX === 'on',
    smtpUrl: value.FLOWPOST_SMTP_URL,
    emailFrom: value.FLOWPOST_EMAIL_FROM,
    smtpConnections: value.FLOWPOST_SMTP_CONNECTIONS,
    mailgun:
      value.FLOWPOST_MAILGUN_API_KEY !== undefined && value.FLOWPOST_MAILGUN_DOMAIN !== undefined
        ? { apiKey: value.FLOWPOST_MAILGUN_API_KEY, domain: value.FLOWPOST_MAILGUN_DOMAIN, region: value.FLOWPOST_MAILGUN_REGION }
        : undefined,
    mailgunApiUrl: value.FLOWPOST_MAILGUN_API_URL,
    slackToken: value.FLOWPOST_SLACK_TOKEN,
    slackApiUrl: value.FLOWPOST_SLACK_API_URL,
    sharedCredentials: sharedCredentials(value.FLOWPOST_SHARED_CREDENTIALS),
    retryBudgetMs: value.FLOWPOST_RETRY_BUDGET_HOURS * hourMs,
    ambiguous: value.FLOWPOST_AMBIGUOUS,
    bodyLimitBytes: value.FLOWPOST_BODY_LIMIT_BYTES,
  }
  return { config, warnings }
}
