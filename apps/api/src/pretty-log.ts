import type { Writable } from 'node:stream'
import { type PrettyStream, PinoPretty as pretty } from 'pino-pretty'

/**
 * Returns a stream that formats log entries for people: one line each, with the local time, followed by the stack of any
 * error. `main.ts` imports this module only if standard output is a terminal.
 * @param destination where to write. @default standard output
 */
export const createPrettyStream = (destination: Writable | number = 1): PrettyStream =>
  pretty({ destination, sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
