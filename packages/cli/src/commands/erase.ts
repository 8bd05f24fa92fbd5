import { setTimeout } from 'node:timers/promises'
import type { Erasure, Flowpost } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { formatCount, toSafeLine } from '../output/terminal-text.ts'

/** Time between two reads of a running erasure, in milliseconds. */
const pollMs = 500

const follow = async (flowpost: Flowpost, created: Erasure, signal: AbortSignal): Promise<Erasure> => {
  let erasure = created
  while (erasure.status === 'running') {
    await setTimeout(pollMs, undefined, { signal })
    erasure = await flowpost.erasures.get(created.id, { signal })
  }
  return erasure
}

/** `flowpost erase`: erases a recipient's data from the log. */
export const defineErase: DefineCommand = (command, { connect, io, output }) => {
  addExamples(command, 'flowpost erase ada@example.com', 'flowpost erase smtp:ada@example.com --block --yes --json')
  command.addHelpText(
    'after',
    `
Removes the messages to the recipient, the providers' responses and every mention of the address from the log of all projects. Cancels
queued deliveries. This cannot be undone. Flows are not changed: if a flow has the recipient as its target, change the flow.`,
  )
  command
    .argument('<recipient>', 'an address, or <provider>:<address> such as smtp:ada@example.com')
    .option('--block', 'also suppress the recipient in every project')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (target, options) => {
      if (!options.yes && (!io.stdin.isTTY || output.isJson)) throw new CliError('Erasing needs confirmation.', 'Pass --yes.')
      const { flowpost } = await connect()
      if (!options.yes && !(await io.prompts.confirm(`Erase ${toSafeLine(target)} from the log of all projects? This cannot be undone.`)))
        throw new CliError('Not confirmed. Nothing was erased.')
      const created = await output.withProgress('Erasing', () =>
        flowpost.erasures.create({ target, block: options.block === true }, { signal: io.signal }),
      )
      // Printed before the wait, so that the user has the id as proof of the erasure even if the command is
      // interrupted.
      output.note(`The erasure ${toSafeLine(created.id)} continues on the server, even if this command ends.`)
      const erasure = await output.withProgress('Erasing', () => follow(flowpost, created, io.signal))
      const count = `${formatCount(erasure.deliveries)} ${erasure.deliveries === 1 ? 'delivery' : 'deliveries'}`
      output.print(`${toSafeLine(erasure.id)} is ${toSafeLine(erasure.status)}: ${count} erased.`)
      output.print(
        `The log now shows the recipient as ${toSafeLine(erasure.target)}${erasure.block ? '. The recipient is suppressed' : ''}.`,
      )
      output.printJson(erasure)
    })
}
