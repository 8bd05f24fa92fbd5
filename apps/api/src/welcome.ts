import type { App } from './app.ts'
import type { Config } from './config.ts'

/** What a server says when it has started: where it is, the first key, and what to try next. */
export const welcome = (options: { config: Config; dataDir: string } & Pick<App, 'port' | 'firstKey' | 'loadedProviders'>): string => {
  const { config, port, firstKey, loadedProviders, dataDir } = options
  const host = config.boundToLoopback || config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const database = config.databaseUrl === undefined ? `embedded, in ${dataDir}` : 'PostgreSQL, by DATABASE_URL'
  const lines = ['', `Flowpost is ready on ${url}`, '', `  role      ${config.role}`, `  database  ${database}`]
  if (loadedProviders.length > 0) lines.push(`  loaded    ${loadedProviders.join(', ')}, by FLOWPOST_PROVIDERS`)
  if (config.role !== 'worker') {
    if (config.boundToLoopback && !config.production) lines.push(`  outbox    ${url}/outbox`)
    lines.push(`  messages  ${deliveryLine(config)}`)
  }
  if (firstKey !== undefined) lines.push('', ...firstSteps(url, firstKey))
  return `${lines.join('\n')}\n`
}

const deliveryLine = (config: Config): string => {
  if (config.capture === 'on') return 'all captured, none leaves this machine'
  const sent = config.smtpUrl === undefined ? 'no provider has credentials' : 'sent by SMTP'
  return config.capture === 'missing' ? `${sent}; captured where credentials are missing` : sent
}

const firstSteps = (url: string, key: string): string[] => [
  'Your API key, for the user "local", with all scopes. It is shown this once:',
  '',
  `  ${key}`,
  '',
  'Try it:',
  '',
  `  export FLOWPOST_API_KEY=${key}`,
  `  curl -s ${url}/v1/settings/projects -H "Authorization: Bearer $FLOWPOST_API_KEY" \\`,
  `    -H 'Content-Type: application/json' -d '{ "name": "billing" }'`,
  '',
  'The README goes on from here: a flow, and the first message.',
]
