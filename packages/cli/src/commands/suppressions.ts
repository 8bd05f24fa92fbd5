import type { Suppression } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'

const reasons = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const

interface ListOptions {
  readonly project?: string | undefined
  readonly target?: string | undefined
}

const describeTarget = ({ source_type, target }: Suppression): string =>
  toSafeLine(source_type === null ? target : `${source_type}:${target}`)

const readAll = async ({ connect, io, output }: CommandContext, { project, target }: ListOptions) => {
  const { flowpost } = await connect()
  return output.withProgress('Reading', async () => {
    const projectId = await findProjectId(flowpost, project)
    const suppressions: Suppression[] = []
    for await (const item of flowpost.suppressions.list(projectId, { limit: 1000, target }, { signal: io.signal })) suppressions.push(item)
    return { flowpost, projectId, suppressions }
  })
}

const list = async (context: CommandContext, options: ListOptions): Promise<void> => {
  const { output } = context
  const { suppressions } = await readAll(context, options)
  if (suppressions.length === 0) output.note('No recipients are suppressed.')
  else
    output.printTable(
      ['ADDED', 'ID', 'RECIPIENT', 'REASON', 'SOURCE'],
      suppressions.map((suppression) => [
        formatTime(suppression.created_at),
        toSafeLine(suppression.id),
        describeTarget(suppression),
        toSafeLine(suppression.reason),
        toSafeLine(suppression.source),
      ]),
    )
  output.printJson({ suppressions })
}

const defineAdd: DefineCommand = (command, { connect, io, output }) => {
  addExamples(
    command,
    'flowpost suppressions add ops@example.com --project billing',
    'flowpost suppressions add smtp:ops@example.com --reason bounce',
  )
  command
    .argument('<recipient>', 'an address, or a provider and an address, such as smtp:ops@example.com')
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only project)')
    .addOption(command.createOption('--reason <reason>', 'why the recipient is suppressed (default: manual)').choices(reasons))
    .action(async (target, { project, reason }) => {
      const { flowpost } = await connect()
      const suppression = await output.withProgress('Adding', async () =>
        flowpost.suppressions.create(await findProjectId(flowpost, project), { target, reason }, { signal: io.signal }),
      )
      output.print(`${describeTarget(suppression)} is suppressed (${toSafeLine(suppression.id)}, ${toSafeLine(suppression.reason)}).`)
      output.printJson(suppression)
    })
}

/**
 * Returns the only suppression that the server found for `given`.
 *
 * @throws {CliError} When `suppressions` is empty, or contains more than one.
 */
const findOne = (suppressions: readonly Suppression[], given: string): Suppression => {
  const [found, second] = suppressions
  if (found === undefined) throw new CliError(`The project does not suppress ${given}.`)
  if (second === undefined) return found
  const lines = suppressions.map((suppression) => `  ${toSafeLine(suppression.id)}  ${describeTarget(suppression)}`)
  throw new CliError(`Several suppressions match ${given}. Use an id.`, lines.join('\n'))
}

const defineRemove: DefineCommand = (command, context) => {
  const { io, output, connect } = context
  addExamples(command, 'flowpost suppressions remove ops@example.com --project billing')
  command.addHelpText('after', '\nDeliveries that failed because of the suppression can be retried.')
  command
    .argument('<recipient>', 'the address, or the id of the suppression')
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only project)')
    .action(async (given, { project }) => {
      const { flowpost } = await connect()
      const isId = given.startsWith('sup_')
      const { projectId, id } = isId
        ? { projectId: await findProjectId(flowpost, project), id: given }
        : await readAll(context, { project, target: given }).then((all) => ({ ...all, ...findOne(all.suppressions, given) }))
      await output.withProgress('Removing', () => flowpost.suppressions.delete(projectId, id, { signal: io.signal }))
      output.print(`${toSafeLine(given)} is no longer suppressed.`)
      output.printJson({ removed: id })
    })
}

/** `flowpost suppressions`: lists, adds and removes a project's suppressed recipients. */
export const defineSuppressions: DefineCommand = (command, context) => {
  addExamples(command, 'flowpost suppressions list --project billing', 'flowpost suppressions add ops@example.com')
  const listCommand = command.command('list').description("list a project's suppressed recipients, oldest first")
  addExamples(listCommand, 'flowpost suppressions list --project billing', 'flowpost suppressions list --target ops@example.com --json')
  listCommand
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only project)')
    .option('-t, --target <address>', 'only suppressions of this recipient')
    .action((options) => list(context, options))
  defineAdd(command.command('add').description('suppress a recipient'), context)
  defineRemove(command.command('remove').description('stop suppressing a recipient'), context)
}
