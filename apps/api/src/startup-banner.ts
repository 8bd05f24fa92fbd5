import type { App } from './app.ts'
import type { Config } from './config/config.ts'
import { firstKeyUser } from './features/api-keys/provision-keys.ts'
import { readDeploymentCredentials } from './features/integrations/credentials.ts'
import { firstMessageCommands } from './features/outbox/first-message.ts'

/** The configuration and the running server that the banner describes. */
export type BannerOptions = { readonly config: Config; readonly dataDir: string } & Pick<
  App,
  'port' | 'firstKey' | 'onHold' | 'outboxToken' | 'sourceTypes' | 'loadedProviders'
>

/**
 * Returns the text that a server prints once at startup: its address, how messages are handled, and the first steps. The text
 * contains secrets (the first key and the outbox link), so print it to the terminal and never log it.
 */
export const startupBanner = (options: BannerOptions): string => {
  const { config, port, firstKey, onHold, outboxToken, loadedProviders, dataDir } = options
  const host = config.boundToLoopback || config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const database = config.databaseUrl === undefined ? `embedded, in ${dataDir}` : 'PostgreSQL (DATABASE_URL)'
  const lines = ['', `Flowpost is ready on ${url}`, '', `  role      ${config.role}`, `  database  ${database}`]
  if (loadedProviders.length > 0) lines.push(`  loaded    ${loadedProviders.join(', ')} (FLOWPOST_PROVIDERS)`)
  if (onHold) lines.push('  on hold   nothing is sent, because the database was restored: see FLOWPOST_AFTER_RESTORE')
  if (config.role === 'worker') return `${lines.join('\n')}\n`
  const link = outboxLink(config, url, outboxToken)
  if (link !== undefined) lines.push(`  outbox    ${link}`)
  lines.push('', 'Messages, by provider:', '', ...messageLines(options))
  if (firstKey !== undefined) lines.push('', ...firstSteps(config, url, firstKey))
  return `${lines.join('\n')}\n`
}

const outboxLink = ({ outbox }: Config, url: string, token: string | undefined): string | undefined => {
  if (token !== undefined) return `${url}/outbox?token=${token}`
  return outbox === 'off' ? undefined : `${url}/outbox`
}

/**
 * Describes how a provider's messages are handled. Must agree with `decideCapture`.
 * @param hasCredentials whether the deployment has credentials for the provider.
 */
const handlingOf = (config: Config, hasCredentials: boolean): string => {
  if (config.capture === 'on') return 'captured'
  const otherwise = `${config.capture === 'missing' ? 'captured' : 'rejected (integration_missing)'} unless the project has credentials`
  if (!hasCredentials || config.sharedCredentials === 'none') return otherwise
  return config.sharedCredentials === 'all' ? 'sent' : `sent for the users in FLOWPOST_SHARED_CREDENTIALS; others: ${otherwise}`
}

const messageLines = ({ config, sourceTypes }: Pick<BannerOptions, 'config' | 'sourceTypes'>): string[] => {
  const credentials = readDeploymentCredentials(config)
  const width = Math.max(...sourceTypes.map((sourceType) => sourceType.length))
  return sourceTypes.map((sourceType) => `  ${sourceType.padEnd(width)}  ${handlingOf(config, credentials.has(sourceType))}`)
}

/** Returns the heading of the example commands, which send a message by SMTP. */
const exampleHeading = (config: Config): string => {
  const { sharedCredentials } = config
  const isShared = sharedCredentials === 'all' || sharedCredentials.includes(firstKeyUser)
  const hasSmtp = readDeploymentCredentials(config).has('smtp')
  const smtp = handlingOf(config, isShared && hasSmtp)
  if (smtp.startsWith('captured')) return 'Send a first message. It is captured and appears in the outbox:'
  if (smtp.startsWith('sent')) return 'Send a first message. This sends a real email, so replace ops@example.com with your own address:'
  const missing = [
    ...(hasSmtp ? [] : ['FLOWPOST_SMTP_URL', 'FLOWPOST_EMAIL_FROM']),
    ...(isShared ? [] : [`"${firstKeyUser}" in FLOWPOST_SHARED_CREDENTIALS`]),
  ]
  return `To send a first message, restart with FLOWPOST_CAPTURE=missing, or with ${missing.join(' and ')}:`
}

const firstSteps = (config: Config, url: string, key: string): string[] => [
  `Your API key, for the user "${firstKeyUser}", with all scopes. It is shown only once:`,
  '',
  `  ${key}`,
  '',
  exampleHeading(config),
  '',
  ...[`export FLOWPOST_BASE_URL=${url}`, `export FLOWPOST_API_KEY=${key}`, '', ...firstMessageCommands.split('\n')].map((line) =>
    line === '' ? '' : `  ${line}`,
  ),
]
