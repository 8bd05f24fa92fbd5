import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { hasVariables, toDocument } from '../settings/config-document.ts'
import { checkDocument } from '../settings/plan-config.ts'
import { readConfig } from '../settings/read-config.ts'
import { listSecrets, showPlan, toPlanJson } from '../settings/show-plan.ts'

/** `flowpost plan`: shows what `flowpost apply` would change. */
export const definePlan: DefineCommand = (command, context) => {
  const { io, output, connect, setExitCode } = context
  addExamples(command, 'flowpost plan', 'flowpost plan settings/billing.config.ts --prune --json')
  command.addHelpText(
    'after',
    `
Changes nothing, but the key needs the scopes settings:read and settings:write. Exits with 2 if \`apply\` would change anything.
The config file is a program, and the command executes it.

Secrets that the server has stored are not compared, because the API never returns them. A secret's environment variable must be
set if the server has not stored the secret, or if the changes could send the secret to another destination. If all variables are
set, the command also checks that the server accepts the secrets.

Also shows how the changes would have affected recent notifications: how many more or fewer deliveries there would have been,
and how many notifications would have been rejected, matched no flow, or had a different message or target. The server examines
up to 10,000 notifications in up to two seconds.

--prune deletes integrations only if the file has the field "integrations". It deletes event endpoints only if the file has the
field "event_endpoints".`,
  )
  command
    .argument('[file]', 'the config file (default: flowpost.config.ts)')
    .option(
      '--prune',
      'also delete integrations, flows and event endpoints that are not in the file; flows and endpoints without a key stay',
    )
    .action(async (file, options) => {
      // Connects first to print the server's URL early, because loading a TypeScript config is slow.
      await connect()
      const { path, config } = await readConfig(file, io.workingFolder)
      const prune = options.prune === true
      const plan = await showPlan(config, { ...context, prune, consequences: true })
      if (
        plan.storedSecrets.length > 0 &&
        Object.values(config.integrations ?? {}).every((integration) => hasVariables(integration, io.env))
      ) {
        const { flowpost } = await connect()
        const document = { ...toDocument(config, io.env, () => true), prune }
        await output.withProgress('Checking', () => checkDocument(flowpost, document, { plan, signal: io.signal }))
      }
      if (!plan.isChanged) output.print('Nothing would change.')
      if (plan.storedSecrets.length > 0)
        output.note(`These secrets cannot be compared, so \`flowpost apply\` sets them again: ${listSecrets(plan.storedSecrets)}.`)
      output.printJson(toPlanJson(path, plan))
      if (plan.isChanged) setExitCode(2)
    })
}
