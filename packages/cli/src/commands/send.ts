import { randomUUID } from 'node:crypto'
import { isFlowpostError } from '@flowpost/client'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readDuration } from '../input/read-time.ts'
import { followNotification } from '../notifications/follow-notification.ts'
import { addMessageOptions, readNotification } from '../notifications/message-options.ts'
import { formatNotification, summarizeDeliveries } from '../notifications/notification-text.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { explainUnknownOutcome } from '../unknown-outcome.ts'

/** `flowpost send`: sends a notification and, with `--wait`, follows it. */
export const defineSend: DefineCommand = (command, { io, output, connect, setExitCode }) => {
  addExamples(
    command,
    'flowpost send "The invoice is ready." --project billing --subject "Invoice 42"',
    'flowpost send --project billing --flow ops-mail --subject "Report" --file report.html --html --wait',
    'df -h | flowpost send --subject "Disk usage" --target ops@example.com',
  )
  addMessageOptions(command, io.now)
    .option('-w, --wait [duration]', 'follow the notification until it is completed, or for a duration such as 30s', readDuration)
    .option('--idempotency-key <key>', 'send nothing if the server accepted this key and body in the last 24 hours (default: a random key)')
    .action(async (message, options) => {
      const body = await readNotification(message, options, io, async () => (await connect()).flowpost)
      const { flowpost } = await connect()
      const idempotencyKey = options.idempotencyKey ?? randomUUID()
      // A lost response leaves the outcome unknown. With the idempotency key, the user can repeat the command safely. The text
      // starts with "If", because after a 503 such as `queue_full` the message was probably not accepted.
      const explain = () =>
        output.warn(
          `If the message was accepted, repeating the command sends it again. To prevent this, add: --idempotency-key ${idempotencyKey}`,
        )
      const { signal } = io
      const notification = await output.withProgress('Sending', () =>
        explainUnknownOutcome(() => flowpost.notifications.send(body, { idempotencyKey, signal }), { signal, explain }),
      )
      if (options.wait === undefined) {
        for (const line of formatNotification(output.paint, notification)) output.print(line)
        output.print(`deliveries ${summarizeDeliveries(notification.deliveries)}`)
        output.printJson(notification)
        return
      }
      const maxMs = options.wait === true ? undefined : options.wait
      const { status } = await followNotification({ flowpost, id: notification.id, output, signal, now: io.now, maxMs }).catch(
        (error: unknown) => {
          // Without this warning, a user may think that nothing was sent, and repeat the command.
          if (isFlowpostError(error) && !signal.aborted)
            output.warn(`The message was accepted as ${toSafeLine(notification.id)}, but its status could not be read.`)
          throw error
        },
      )
      if (status !== 'sent') setExitCode(1)
    })
}
