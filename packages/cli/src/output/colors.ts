import { styleText } from 'node:util'
import type { Io, OutputStream } from '../io.ts'

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'

/** Adds a style to a text, or returns the text unchanged if colors are off. */
export type Paint = (style: Style, text: string) => string

/**
 * Returns whether to print colors to a stream. `NO_COLOR` disables colors. Otherwise `FORCE_COLOR` decides: `0` and `false`
 * disable colors, and any other value enables them. Without these variables, a terminal has colors unless `TERM` is
 * `dumb`, and other streams have none.
 */
export const hasColors = (stream: OutputStream, env: Io['env']): boolean => {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}

/** Creates a function that styles text for a stream. */
export const createPaint = (stream: OutputStream, env: Io['env']): Paint => {
  if (!hasColors(stream, env)) return (_, text) => text
  // `hasColors` has already checked the stream. Without `validateStream: false`, `styleText` would also check the process's
  // standard output, and would add no style if standard output has no colors.
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
