import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryWithAttempts, Flowpost, NotificationWithAttempts } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readLimit } from '../input/read-limit.ts'
import { formatExplanation, readExplanation } from '../notifications/explanation-text.ts'
import { followLog } from '../notifications/follow-log.ts'
import { addLogFilters, type LogFilters, readLogQuery } from '../notifications/log-filters.ts'
import { formatDeliveryInFull, formatNotification, summarizeDeliveries } from '../notifications/notification-text.ts'
import { paintStatus } from '../output/colors.ts'
import type { Output } from '../output/output.ts'
import { truncate } from '../output/table.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'

const defaultLimit = 20

const heading = ['CREATED', 'ID', 'STATUS', 'DELIVERIES', 'SUBJECT']

const rowOf = ({ paint, columns }: Output, notification: NotificationWithAttempts): string[] => {
  const { id, created_at, status, subject, deliveries, test } = notification
  const shownSubject = subject === null ? '-' : toSafeLine(subject)
  const width = Number.isFinite(columns) ? Math.max(10, columns - 95) : 60
  const summary = `${summarizeDeliveries(deliveries)}${test ? ' (test)' : ''}`
  return [formatTime(created_at), toSafeLine(id), paintStatus(paint, toSafeLine(status)), summary, truncate(shownSubject, width)]
}

/** Reads the newest notifications, newest first. */
const readNewest = async (
  flowpost: Flowpost,
  filters: LogFilters,
  limit: number,
  signal: AbortSignal,
): Promise<NotificationWithAttempts[]> => {
  const found: NotificationWithAttempts[] = []
  const query = await readLogQuery(flowpost, filters)
  for await (const notification of flowpost.notifications.list({ ...query, limit: Math.min(limit, 1000) }, { signal })) {
    found.push(notification)
    if (found.length === limit) break
  }
  return found
}

const showOne = async (flowpost: Flowpost, id: string, output: Output, signal: AbortSignal): Promise<void> => {
  const read = await output.withProgress('Reading', async () => {
    const notification = await flowpost.notifications.get(id, {}, { signal })
    const explanation = await readExplanation(flowpost, id, signal)
    // The response embeds at most the first 100 deliveries. If it contains fewer than 100, the list is complete.
    if (notification.deliveries.length < 100) return { notification, explanation, deliveries: notification.deliveries }
    const deliveries: DeliveryWithAttempts[] = []
    for await (const delivery of flowpost.notifications.deliveries(id, { limit: 1000 }, { signal })) deliveries.push(delivery)
    return { notification, explanation, deliveries }
  })
  for (const line of formatNotification(output.paint, read.notification)) output.print(line)
  for (const line of formatExplanation(output.paint, read.explanation)) output.print(line)
  for (const delivery of read.deliveries) {
    output.print()
    for (const line of formatDeliveryInFull(output.paint, delivery)) output.print(line)
  }
  output.printJson({ ...read.notification, deliveries: read.deliveries, explanation: read.explanation })
}

/** `flowpost log`: lists and follows notifications, or shows one in full. */
export const defineLog: DefineCommand = (command, { io, output, connect, endWithReader }) => {
  addExamples(
    command,
    'flowpost log --status failed --since 2h',
    'flowpost log --project billing --target ops@example.com --json | jq .id',
    'flowpost log --follow',
    'flowpost log ntf_01jd3k8x5rf2vbq9m7w4t6y0ae',
  )
  command.addHelpText(
    'after',
    `
Lists newest first; with --follow, oldest first. With --json, prints one notification per line.
With --status, --failure-kind or --failure-code, --follow also lists a notification that starts to match later, for example when
it fails. --follow watches only notifications newer than the oldest one in the first list. To watch older ones, raise --limit.
After 10,000 matches, --follow watches only notifications newer than the 10,000th newest match.`,
  )
  addLogFilters(command.argument('[id]', 'show this notification in full: its flows, deliveries, attempts and receipts'), io.now)
    .option('-n, --limit <number>', `how many notifications to list (default: ${defaultLimit})`, readLimit)
    .option('--follow', 'wait for new notifications and list them until Ctrl-C')
    .action(async (id, options) => {
      if (id !== undefined && Object.keys(options).some((name) => !['env', 'json', 'timeout'].includes(name)))
        throw new CliError('An id cannot be combined with filters.')
      if (options.follow) endWithReader()
      const { flowpost } = await connect()
      if (id !== undefined) return showOne(flowpost, id, output, io.signal)
      const startedAt = io.now()
      const newest = await output.withProgress('Searching', () => readNewest(flowpost, options, options.limit ?? defaultLimit, io.signal))
      const listed = options.follow ? newest.reverse() : newest
      for (const notification of listed) output.printJsonLine(notification)
      if (listed.length > 0 || options.follow)
        output.printTable(
          heading,
          listed.map((notification) => rowOf(output, notification)),
        )
      else output.note('No notifications match.')
      if (!options.follow) return
      const query = await readLogQuery(flowpost, options)
      const { signal } = io
      const wait = (ms: number) => sleep(ms, undefined, { signal })
      for await (const notification of followLog(flowpost, query, newest, { signal, startedAt, wait })) {
        output.print(rowOf(output, notification).join('  '))
        output.printJsonLine(notification)
      }
    })
}
