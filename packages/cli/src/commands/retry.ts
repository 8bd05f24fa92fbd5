import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readDuration } from '../input/read-time.ts'
import { addBulkOptions, requireNoOptions } from '../notifications/bulk-filters.ts'
import { formatNotification, summarizeDeliveries } from '../notifications/notification-text.ts'
import { runBulkAction } from '../notifications/run-bulk-action.ts'

/** `flowpost retry`: retries the failed and ambiguous deliveries of one notification, or all that match the options. */
export const defineRetry: DefineCommand = (command, context) => {
  const { io, output, connect } = context
  addExamples(
    command,
    'flowpost retry ntf_01jd3k8x5rf2vbq9m7w4t6y0ae',
    'flowpost retry --since 2h --project billing --failure-code rate_limited --spread 10m',
    'flowpost retry --since 2026-11-23 --flow ops-mail --dry-run',
  )
  command.addHelpText(
    'after',
    `
Without an id, shows how many deliveries match the options, asks for confirmation, and queues them again. Waits until all are
queued, but not until they are sent.

The message of an ambiguous delivery may already have been sent. Without an id, --status failed leaves out these deliveries.`,
  )
  addBulkOptions(command.argument('[id]', 'the id of a notification'), 'retry', io.now)
    .option('--spread <duration>', 'spread the deliveries over this time, such as 10m', readDuration)
    .action(async (id, options) => {
      if (id === undefined) return runBulkAction(context, 'retry', { ...options, spreadMs: options.spread })
      requireNoOptions(options)
      const { flowpost } = await connect()
      const notification = await output.withProgress('Retrying', () => flowpost.notifications.retry(id, { signal: io.signal }))
      for (const line of formatNotification(output.paint, notification)) output.print(line)
      output.print(`deliveries ${summarizeDeliveries(notification.deliveries)}`)
      output.printJson(notification)
    })
}
