/** Formats an API timestamp in local time, such as `2026-11-23 06:15:02`. */
export const formatTime = (timestamp: string): string => {
  const time = new Date(timestamp)
  if (Number.isNaN(time.getTime())) return '-'
  const two = (value: number) => String(value).padStart(2, '0')
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** Formats a duration, such as `850 ms`, `12 s`, `5 min`, `3 h` or `2 d`. */
export const formatDuration = (durationMs: number): string => {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`
  const steps = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ] as const
  // Picks the largest unit that fits at least twice, so that 90 seconds become `90 s` and not `2 min`.
  const [length, unit] = steps.find(([length]) => durationMs >= 2 * length) ?? [1_000, 's']
  return `${Math.round(durationMs / length)} ${unit}`
}
