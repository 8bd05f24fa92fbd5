import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino'
import { isPostgresOutage } from './database/failures.ts'

const warnLevel = 40

const errorOf = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'err' in value ? value.err : undefined)

/**
 * The log of a process: one JSON object a line on standard output. Credentials that might be logged
 * by accident within headers or settings are replaced. Errors that come from an outage of PostgreSQL are logged at `debug`,
 * because the outage itself is logged once (`outage-log.ts`).
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
        // A failed query would otherwise bring the values that it was run with, messages included.
        'err.params',
        'err.detail',
        'err.query',
        'err.queryOptions',
        // The pool attaches the connection to the error of an idle one, the key that cancels its statements included.
        'err.client',
      ],
      censor: '[redacted]',
    },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
