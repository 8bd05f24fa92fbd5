import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { lockFileName, readLock } from '../lock/lock-file.ts'
import { locateWarnings, toDocument } from '../settings/config-document.ts'
import { handOverSecrets, resolveSecretsFile, warnIfSecretsLost } from '../settings/created-secrets.ts'
import { checkDocument, explainRejection } from '../settings/plan-config.ts'
import { realChanges } from '../settings/print-changes.ts'
import { readConfig } from '../settings/read-config.ts'
import { listSecrets, showPlan } from '../settings/show-plan.ts'
import { explainUnknownOutcome } from '../unknown-outcome.ts'

/** `flowpost apply`: makes a project match its config file. */
export const defineApply: DefineCommand = (command, context) => {
  const { io, output, connect, waitBeforeExit } = context
  addExamples(command, 'flowpost apply', 'flowpost apply settings/billing.config.ts --prune', 'flowpost apply --yes --keep-secrets')
  command.addHelpText(
    'after',
    `
Shows the changes, asks for confirmation, and then applies exactly these changes in one transaction. If the settings have changed
in the meantime, it applies nothing. It reads secrets from their environment variables and sets them every time: it cannot
compare them, because the API never returns them. The server creates a signing secret for each new event endpoint and returns
it only once. The command prints this secret, or writes it to the file given with --secrets-file, as JSON keyed by endpoint. If
a signing secret is lost, rotate it.

--prune deletes integrations only if the file has the field "integrations". It deletes event endpoints only if the file has the
field "event_endpoints".`,
  )
  command
    .argument('[file]', 'the config file (default: flowpost.config.ts)')
    .option(
      '--prune',
      'also delete integrations, flows and event endpoints that are not in the file; flows and endpoints without a key stay',
    )
    .option('--secrets-file <file>', 'write the signing secrets of created event endpoints to this file, which must not exist yet')
    .option(
      '--keep-secrets',
      'do not set secrets that the server already has, unless the new settings could send them to another destination',
    )
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (file, options) => {
      // Connects first to print the server's URL early, because loading a TypeScript config is slow.
      await connect()
      const { path, config } = await readConfig(file, io.workingFolder)
      if (!options.yes && (!io.stdin.isTTY || output.isJson)) throw new CliError('Applying needs confirmation.', 'Pass --yes.')
      const secretsFile = options.secretsFile === undefined ? undefined : resolveSecretsFile(options.secretsFile, io.workingFolder)
      const prune = options.prune === true
      const plan = await showPlan(config, { ...context, prune, consequences: !options.yes })
      const kept = new Set(options.keepSecrets ? plan.storedSecrets.map(({ sourceType, name }) => `${sourceType} ${name}`) : [])
      const reset = options.keepSecrets ? [] : plan.storedSecrets
      // Created before asking for confirmation, because `toDocument` throws if a variable is not set.
      const document = { ...toDocument(config, io.env, ({ sourceType, name }) => !kept.has(`${sourceType} ${name}`)), prune }
      const toJson = (
        { project_id, digest, changes, warnings }: Pick<typeof plan, 'project_id' | 'digest' | 'changes' | 'warnings'>,
        applied: boolean,
      ) => output.printJson({ path, applied, project_id, digest, changes, warnings })
      if (!plan.isChanged && reset.length === 0) {
        output.print('Nothing to change.')
        toJson(plan, false)
        return
      }
      const { flowpost } = await connect()
      const { signal } = io
      // Reports errors before the prompt. With --yes, there is no prompt, and applying the document reports the same errors.
      if (reset.length > 0 && !options.yes) await output.withProgress('Checking', () => checkDocument(flowpost, document, { plan, signal }))
      if (reset.length > 0) output.print(`Secrets to set again: ${listSecrets(reset)}.`)
      if (!options.yes && !(await io.prompts.confirm(`Apply these changes to the project ${config.project.key}?`)))
        throw new CliError('Not confirmed. Nothing was applied.')
      // The command does not update the lock file, because it often runs in CI, where nobody would commit the change.
      const projects = (await readLock(io.workingFolder).catch(() => undefined))?.projects ?? {}
      const createsEndpoint = plan.changes.some(({ action, kind }) => action === 'create' && kind === 'event_endpoint')
      const explain = () => {
        if (!plan.isChanged) {
          output.warn('The secrets may have been set. `flowpost plan` cannot compare secrets: run `flowpost apply` again.')
          return
        }
        const secrets = createsEndpoint ? ' If so, the signing secrets of the created event endpoints are lost: rotate them.' : ''
        output.warn(`The changes may have been applied. Run \`flowpost plan\` to find out.${secrets}`)
      }
      const applied = await output
        .withProgress('Applying', () =>
          explainUnknownOutcome(() => flowpost.settings.apply(document, { ifMatch: `"${plan.digest}"`, signal }), { signal, explain }),
        )
        .catch((error: unknown) => Promise.reject(explainRejection(error, document, plan)))
      const deletions = realChanges(applied).filter(({ action }) => action === 'delete').length
      output.print(`Applied.${deletions > 0 ? ` Deleted: ${deletions}.` : ''}`)
      if (Object.hasOwn(projects, config.project.key) && projects[config.project.key]?.digest !== applied.digest)
        output.note(`${lockFileName} does not match the server. Run \`flowpost types\` and commit the files.`)
      const handedOver = handOverSecrets(output, applied.changes, secretsFile)
      waitBeforeExit(handedOver)
      const changes = await handedOver
      toJson({ ...applied, changes, warnings: locateWarnings(applied.warnings, document) }, true)
      await warnIfSecretsLost(output, changes)
    })
}
