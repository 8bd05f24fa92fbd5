import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readConfig } from '../settings/read-config.ts'
import { listSecrets, showPlan, toPlanJson } from '../settings/show-plan.ts'

/** `flowpost plan`: shows what `flowpost apply` would change. */
export const definePlan: DefineCommand = (command, context) => {
  const { io, output, connect, setExitCode } = context
  addExamples(command, 'flowpost plan', 'flowpost plan settings/billing.config.ts --prune --json')
  command.addHelpText(
    'after',
    `
Changes nothing. Exits with 2 if \`apply\` would change anything. The file is a program and is executed. The key needs the scopes
settings:read and settings:write. A secret that the server has is not compared, because the API never returns it. Only a secret that the
server does not have, or requires again, needs its environment variable.
Also shows what the changes would have done to the notifications of the last days: more or fewer deliveries, rejections, and
changed messages and targets. The server examines up to 10,000 notifications in up to two seconds.`,
  )
  command
    .argument('[file]', 'the config file (default: flowpost.config.ts)')
    .option('--prune', 'also delete what the file does not contain: flows and event endpoints with a key, and integrations')
    .action(async (file, options) => {
      // Connects before it loads the config, so that the user sees the server at once: loading TypeScript takes long.
      await connect()
      const { path, config } = await readConfig(file, io.workingFolder)
      const plan = await showPlan(config, { ...context, prune: options.prune === true, consequences: true })
      if (!plan.isChanged) output.print('Nothing would change.')
      if (plan.storedSecrets.length > 0)
        output.note(`Not compared, and set again by \`flowpost apply\`: ${listSecrets(plan.storedSecrets)}.`)
      output.printJson(toPlanJson(path, plan))
      if (plan.isChanged) setExitCode(2)
    })
}
