import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readDuration } from '../input/read-time.ts'
import { followNotification } from '../notifications/follow-notification.ts'

/** `flowpost watch`: follows a notification until it is completed. */
export const defineWatch: DefineCommand = (command, { io, output, connect, setExitCode }) => {
  addExamples(command, 'flowpost watch ntf_01jd3k8x5rf2vbq9m7w4t6y0ae', 'flowpost watch ntf_01jd3k8x5rf2vbq9m7w4t6y0ae --for 5m --json')
  command.addHelpText('after', '\nShows the first 100 deliveries. Exits with 1 unless every delivery is sent.')
  command
    .argument('<id>', 'the id of the notification')
    .option('--for <duration>', 'stop after this time, such as 5m, even if the notification is not completed', readDuration)
    .action(async (id, options) => {
      const { flowpost } = await connect()
      const { status } = await followNotification({ flowpost, id, output, signal: io.signal, now: io.now, maxMs: options.for })
      if (status !== 'sent') setExitCode(1)
    })
}
