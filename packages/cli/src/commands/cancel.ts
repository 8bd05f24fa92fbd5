import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { formatNotification, summarizeDeliveries } from '../notifications/notification-text.ts'

/** `flowpost cancel`: cancels the pending deliveries of a notification. */
export const defineCancel: DefineCommand = (command, { io, output, connect }) => {
  addExamples(command, 'flowpost cancel ntf_01jd3k8x5rf2vbq9m7w4t6y0ae')
  command.argument('<id>', 'the id of the notification').action(async (id) => {
    const { flowpost } = await connect()
    const notification = await output.withProgress('Canceling', () => flowpost.notifications.cancel(id, { signal: io.signal }))
    for (const line of formatNotification(output.paint, notification)) output.print(line)
    output.print(`deliveries ${summarizeDeliveries(notification.deliveries)}`)
    output.printJson(notification)
  })
}
