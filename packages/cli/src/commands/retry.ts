import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { formatNotification, summarizeDeliveries } from '../notifications/notification-text.ts'

/** `flowpost retry`: queues the failed and ambiguous deliveries of a notification again. */
export const defineRetry: DefineCommand = (command, { io, output, connect }) => {
  addExamples(command, 'flowpost retry ntf_01jd3k8x5rf2vbq9m7w4t6y0ae')
  command.argument('<id>', 'the id of the notification').action(async (id) => {
    const { flowpost } = await connect()
    const notification = await output.withProgress('Retrying', () => flowpost.notifications.retry(id, { signal: io.signal }))
    for (const line of formatNotification(output.paint, notification)) output.print(line)
    output.print(`deliveries ${summarizeDeliveries(notification.deliveries)}`)
    output.printJson(notification)
  })
}
