import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino'
import { isPostgresOutage } from './database/failures.ts'

const warnLevel = 40

const errorOf = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'err' in value ? value.err : undefined)

/**
 * Creates the logger of a process. By default, it writes one JSON object per line to standard output. It redacts credentials in
 * headers and settings. Errors caused by a PostgreSQL outage are logged at `debug`, because `outage-log.ts` logs the outage once.
 */
export const createLog = (options: { level: string; destination?: DestinationStream }): Logger => {
  const settings: LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: {
      logMethod(args: Parameters<LogFn>, method: LogFn, level: number) {
        if (level >= warnLevel && isPostgresOutage(errorOf(args[0]))) this.debug(...args)
        else method.apply(this, args)
      },
    },
    redact: {
      paths: [
        'authorization',
        'password',
        'token',
        'secret',
        'apiKey',
        '*.authorization',
        '*.password',
        '*.token',
        '*.secret',
        '*.secrets',
        '*.apiKey',
        'req.headers.authorization',
        'req.headers.cookie',
        // The parameters of a failed query may contain messages.
        'err.params',
        'err.detail',
        'err.query',
        'err.queryOptions',
        // The pool attaches the connection to errors, including the secret that cancels its statements.
        'err.client',
      ],
      censor: '[redacted]',
    },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
