import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino'
import { isPostgresOutage } from './database/failures.ts'
import { logHelpUrl } from './log-help/log-help.ts'

const warnLevel = 40

const errorOf = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'err' in value ? value.err : undefined)

/** Adds the field `help`, a link to the documentation, to a documented log line, unless the line already has it. */
const withHelp = (args: Parameters<LogFn>, level: number): Parameters<LogFn> => {
  const [first, second] = args as unknown as [object | string, string | undefined]
  const message = typeof first === 'string' ? first : second
  const help = message === undefined ? undefined : logHelpUrl(message, level)
  if (help === undefined) return args
  const fields = typeof first === 'string' ? { help } : { help, ...first }
  return [fields, message] as unknown as Parameters<LogFn>
}

/**
 * Creates the logger of a process. By default, it writes one JSON object per line to standard output. It redacts credentials in
 * headers and settings. Errors caused by a PostgreSQL outage are logged at `debug`, because `outage-log.ts` logs the outage once.
 * Adds the field `help`, a link to the documentation, to each documented line at `warn` or above.
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
        else method.apply(this, level >= warnLevel ? withHelp(args, level) : args)
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
        // The parameters of a failed query may contain the text of messages. PostgreSQL may quote them in `where`.
        'err.params',
        'err.detail',
        'err.where',
        'err.query',
        'err.queryOptions',
        // The pool adds the connection to errors. The connection contains the key with which its statements can be canceled.
        'err.client',
      ],
      censor: '[redacted]',
    },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
