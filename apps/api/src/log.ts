import { type DestinationStream, destination, type LogFn, type Logger, type LoggerOptions, pino } from 'pino'
import { isPostgresOutage } from './database/failures.ts'
import { logHelpUrl } from './log-help/log-help.ts'

const warnLevel = 40

// The maximum length of the lines that wait while standard output cannot be written. Further lines are dropped.
const maxPendingLength = 16 * 1_048_576

/**
 * Opens standard output for log lines. A server must continue if its log cannot be written, for example because the disk is full.
 * Lines that could not be written are written with a later line, if that succeeds.
 */
const openStandardOutput = (): DestinationStream => {
  const stream = destination({ dest: 1, sync: false, maxLength: maxPendingLength })
  stream.on('error', () => {})
  // Without this, a stream whose buffer is full would never write again.
  stream.on('drop', () => stream.flush())
  const flush = stream.flushSync.bind(stream)
  // Called when the process ends. An error there would replace the exit code.
  stream.flushSync = () => {
    try {
      flush()
    } catch {}
  }
  return stream
}

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

// The fields of an error that must not be logged. The parameters of a failed query may contain the text of messages, and
// PostgreSQL may quote the parameters in `where`. The pool adds the connection (`client`) to errors. The connection contains a
// secret key: anyone who has this key can cancel the connection's statements.
const privateErrorFields = ['params', 'detail', 'where', 'query', 'queryOptions', 'client']

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
        ...privateErrorFields.flatMap((field) => [`err.${field}`, `err.aggregateErrors[*].${field}`]),
      ],
      censor: '[redacted]',
    },
  }
  return pino(settings, options.destination ?? openStandardOutput())
}
