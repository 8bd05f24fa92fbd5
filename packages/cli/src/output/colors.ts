import { styleText } from 'node:util'
import type { Io, OutputStream } from '../io.ts'

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'

/** Adds a style to a text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string

/**
 * Returns whether a stream shows colors: `NO_COLOR` disables them, then `FORCE_COLOR` enables them (`0` and `false` disable),
 * otherwise a terminal has colors unless it is `dumb`.
 */
export const hasColors = (stream: OutputStream, env: Io['env']): boolean => {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}

/** Creates the function that styles the text of a stream. */
export const createPaint = (stream: OutputStream, env: Io['env']): Paint => {
  if (!hasColors(stream, env)) return (_, text) => text
  // `styleText` would otherwise decide again, for the standard output of the process.
  return (style, text) => styleText(style, text, { validateStream: false })
}

const statusStyles: Readonly<Record<string, Style>> = {
  sent: 'green',
  captured: 'green',
  healthy: 'green',
  ok: 'green',
  failed: 'red',
  unhealthy: 'red',
  problem: 'red',
  ambiguous: 'red',
  partially_sent: 'yellow',
  retrying: 'yellow',
  canceled: 'yellow',
  warning: 'yellow',
  queued: 'cyan',
  sending: 'cyan',
}

/** Colors a status, such as `sent` or `failed`. Unknown statuses have no color. */
export const paintStatus = (paint: Paint, status: string): string => {
  const style = statusStyles[status]
  return style === undefined ? status : paint(style, status)
}
