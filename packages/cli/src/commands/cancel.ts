import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { addBulkOptions, requireNoOptions } from '../notifications/bulk-filters.ts'
import { formatNotification, summarizeDeliveries } from '../notifications/notification-text.ts'
import { runBulkAction } from '../notifications/run-bulk-action.ts'

/** `flowpost cancel`: cancels the pending deliveries of one notification, or all that match the options. */
export const defineCancel: DefineCommand = (command, context) => {
  const { io, output, connect } = context
  addExamples(
    command,
    'flowpost cancel ntf_01jd3k8x5rf2vbq9m7w4t6y0ae',
    'flowpost cancel --since 1h --project billing --flow ops-mail',
    'flowpost cancel --since 1h --status queued --dry-run',
  )
  command.addHelpText(
    'after',
    '\nWithout an id, shows how many deliveries match the options, asks for confirmation, cancels them, and waits until all are canceled.',
  )
  addBulkOptions(command.argument('[id]', 'the id of a notification'), 'cancel', io.now).action(async (id, options) => {
    if (id === undefined) return runBulkAction(context, 'cancel', options)
    requireNoOptions(options)
    const { flowpost } = await connect()
    const notification = await output.withProgress('Canceling', () => flowpost.notifications.cancel(id, { signal: io.signal }))
    for (const line of formatNotification(output.paint, notification)) output.print(line)
    output.print(`deliveries ${summarizeDeliveries(notification.deliveries)}`)
    output.printJson(notification)
  })
}
