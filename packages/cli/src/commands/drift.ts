import { basename } from 'node:path'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { formatCommand } from '../output/shell-command.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { readConfig } from '../settings/read-config.ts'
import { listSecrets, showPlan, toPlanJson } from '../settings/show-plan.ts'

/** `flowpost drift`: compares the server's settings with a config file. */
export const defineDrift: DefineCommand = (command, context) => {
  const { io, output, connect, setExitCode } = context
  addExamples(command, 'flowpost drift', 'flowpost drift settings/billing.config.ts --listed-only --json')
  command.addHelpText(
    'after',
    `
Changes nothing. Exits with 2 if the server differs from the file, so that a scheduled job notices changes made elsewhere. The output
shows the changes that would make the server match the file. Secrets stored on the server are not compared.

These resources count as differences if they exist only on the server:
- flows with a key
- integrations, if the file has the field "integrations"
- event endpoints with a key, if the file has the field "event_endpoints"`,
  )
  command
    .argument('[file]', 'the config file (default: flowpost.config.ts)')
    .option('--listed-only', 'ignore flows, integrations and event endpoints that the file does not contain')
    .action(async (file, options) => {
      // Connects first to print the server's URL early, because loading a TypeScript config is slow.
      await connect()
      const { path, config } = await readConfig(file, io.workingFolder)
      const plan = await showPlan(config, { ...context, prune: options.listedOnly !== true, consequences: false })
      if (plan.isChanged) {
        const toCommand = (name: string, ...options: string[]) => {
          const environment = context.options.env === undefined ? [] : ['--env', context.options.env]
          return toSafeLine(formatCommand(['flowpost', name, file ?? basename(path), ...options, ...environment], io.platform))
        }
        const [apply, pull] = [toCommand('apply'), toCommand('pull', '--project', config.project.key, '--force')]
        output.note(
          `The server differs from the file. To change the server, run \`${apply}\` (it deletes only with --prune). To change the file, run \`${pull}\`.`,
        )
      } else output.print('The server matches the file.')
      if (plan.storedSecrets.length > 0) output.note(`Not compared: the secrets ${listSecrets(plan.storedSecrets)}.`)
      output.printJson(toPlanJson(path, plan))
      if (plan.isChanged) setExitCode(2)
    })
}
