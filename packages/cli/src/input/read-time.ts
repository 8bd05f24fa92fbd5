import { InvalidArgumentError } from 'commander'

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Parses a duration, such as `500ms`, `30s`, `2h` or `7d`, to milliseconds.
 *
 * @throws {InvalidArgumentError} When the text is not a duration.
 */
export const readDuration = (text: string): number => {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? []
  if (amount === undefined || unit === undefined) throw new InvalidArgumentError('It must be a duration, such as 30s, 15m, 2h or 7d.')
  return Number(amount) * unitMs[unit as keyof typeof unitMs]
}

// Requires a time zone, because a time without a zone would depend on the machine.
const timestamp = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

// `Date` moves a day that does not exist, such as February 30, into the next month.
const isDay = (text: string): boolean => new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)

/**
 * Creates a parser for times: an RFC 3339 timestamp, a date in UTC, or a duration relative to now.
 *
 * @param direction -1 if durations are in the past, 1 if they are in the future.
 */
export const createTimeReader =
  (now: () => number, direction: -1 | 1) =>
  (text: string): string => {
    if (timestamp.test(text)) {
      const time = new Date(text)
      if (!Number.isNaN(time.getTime()) && isDay(text.slice(0, 10))) return time.toISOString()
    }
    if (/^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text)) {
      const time = new Date(now() + direction * readDuration(text))
      if (!Number.isNaN(time.getTime())) return time.toISOString()
    }
    throw new InvalidArgumentError('It must be a duration, such as 2h or 7d, or a time, such as 2026-11-23T06:15:00Z.')
  }
