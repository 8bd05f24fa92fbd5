import type { FlowpostEvent } from '@flowpost/client/events'
import { type Paint, paintStatus } from '../output/colors.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'

const describeData = (type: string, data: Readonly<Record<string, unknown>>, paint: Paint): string => {
  const { id, status, target, reference, name } = data
  const parts = [id, target, name].filter((part): part is string => typeof part === 'string').map(toSafeLine)
  if (typeof status === 'string' && !type.startsWith('flow.')) parts.push(paintStatus(paint, toSafeLine(status)))
  if (typeof reference === 'string') parts.push(`reference ${toSafeLine(reference)}`)
  return parts.join('  ')
}

/** Describes an event in one line: its time, its type, and its main data, such as the id and the status. */
export const formatEvent = (event: FlowpostEvent, paint: Paint): string =>
  [
    paint('dim', formatTime(event.created_at)),
    toSafeLine(event.type).padEnd(20),
    describeData(event.type, event.data as unknown as Record<string, unknown>, paint),
  ].join('  ')
