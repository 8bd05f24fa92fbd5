import type { Paint } from '../output/colors.ts'
import { toSafeLine } from '../output/terminal-text.ts'

const levelStyles = { warn: 'yellow', error: 'red', fatal: 'red' } as const

const formatValue = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message)
  return JSON.stringify(value)
}

/** Parses a line of the server's log, which starts with `{`. Returns `undefined` if the line is not JSON. */
export const parseLogLine = (line: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Formats a line of the server's log for a person. If the line is not JSON, replaces only its control characters. */
export const formatLogLine = (line: string, paint: Paint): string => {
  const entry = parseLogLine(line)
  if (entry === undefined) return toSafeLine(line)
  const { level, time, msg, ...fields } = entry
  const name = String(level)
  const style = levelStyles[name as keyof typeof levelStyles] ?? 'dim'
  const clock = new Date(String(time))
  const shownTime = Number.isNaN(clock.getTime()) ? '' : `${clock.toTimeString().slice(0, 8)} `
  const details = Object.entries(fields).map(([key, value]) => paint('dim', ` ${toSafeLine(`${key}=${formatValue(value)}`)}`))
  return `${paint('dim', shownTime)}${paint(style, toSafeLine(name).padEnd(5))} ${toSafeLine(String(msg ?? ''))}${details.join('')}`
}
