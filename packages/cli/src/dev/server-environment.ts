import type { Io } from '../io.ts'

/** The `FLOWPOST_` variables that are passed on to the local server, because custom providers need them. */
const passedVariables = new Set(['FLOWPOST_PROVIDERS', 'FLOWPOST_EGRESS_ALLOW'])

// Variables such as DATABASE_URL are omitted, because they may be meant for the user's program or for a server in production.
const isOmitted = (name: string): boolean =>
  !passedVariables.has(name) &&
  (/^(?:FLOWPOST|OTEL)_/.test(name) || ['PORT', 'HOST', 'DATABASE_URL', 'LOG_LEVEL', 'NODE_ENV'].includes(name))

/** The settings of a local server. */
export interface ServerSettings {
  readonly port: number
  readonly apiKey: string
  readonly dataFolder: string
  readonly logLevel: string
}

/** Returns the environment variables of a local server, which captures every message. */
export const createServerEnvironment = (variables: Io['env'], settings: ServerSettings): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(variables).filter(([name]) => !isOmitted(name))),
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: String(settings.port),
  LOG_LEVEL: settings.logLevel,
  FLOWPOST_DATA_DIR: settings.dataFolder,
  FLOWPOST_BOOTSTRAP_KEYS: `local:${settings.apiKey}`,
  FLOWPOST_CAPTURE: 'on',
  FLOWPOST_OUTBOX: 'local',
  FLOWPOST_RATE_LIMIT: 'off',
})
