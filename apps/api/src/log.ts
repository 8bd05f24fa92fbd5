import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * The log of a process: one JSON object a line on standard output. Credentials that might be logged
 * by accident within headers or settings are replaced.
 */
export const createLog = (options: { level: string; destination?: DestinationStream }): Logger => {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
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
      ],
      censor: '[redacted]',
    },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
