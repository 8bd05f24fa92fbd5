import type { Suppression } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'

/** The pattern of a suppression's id. The prefix alone proves nothing: `sup_team@example.com` is an address. */
const idPattern = /^sup_[0-7][0-9a-hjkmnp-tv-z]{25}$/

const reasons = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const

interface ListOptions {
  readonly project?: string | undefined
  readonly target?: string | undefined
}

const describeTarget = ({ source_type, target }: Suppression): string =>
  toSafeLine(source_type === null ? target : `${source_type}:${target}`)

/** The suppressions of an address. */
interface FoundSuppressions {
  /** The suppressions for the provider that the user named, or all suppressions if the user named no provider. */
  readonly matching: readonly Suppression[]
  /** All other suppressions: those for a different provider, and those that apply to every provider. */
  readonly others: readonly Suppression[]
}

/**
 * Selects the suppressions for the provider that `recipient` names, such as `smtp` in `smtp:ops@example.com`. The server
 * filters by address only. An erased address, `erased:…`, also contains a colon, but names no provider.
 */
const selectByProvider = (suppressions: readonly Suppression[], recipient: string): FoundSuppressions => {
  const [prefix, name] = /^\s*([^:]+):/.exec(recipient) ?? []
  const isInAddress = ({ target }: Suppression) => target.toLowerCase().startsWith(`${name}:`.toLowerCase())
  if (prefix === undefined || suppressions.some(isInAddress)) return { matching: suppressions, others: [] }
  return {
    matching: suppressions.filter(({ source_type }) => source_type === name),
    others: suppressions.filter(({ source_type }) => source_type !== name),
  }
}

const listLines = (suppressions: readonly Suppression[]): string =>
  suppressions.map((suppression) => `  ${toSafeLine(suppression.id)}  ${describeTarget(suppression)}`).join('\n')

const readAll = async ({ connect, io, output }: CommandContext, { project, target }: ListOptions) => {
  const { flowpost } = await connect()
  return output.withProgress('Reading', async () => {
    const projectId = await findProjectId(flowpost, project)
    const suppressions: Suppression[] = []
    for await (const item of flowpost.suppressions.list(projectId, { limit: 1000, target }, { signal: io.signal })) suppressions.push(item)
    return { projectId, ...(target === undefined ? { matching: suppressions, others: [] } : selectByProvider(suppressions, target)) }
  })
}

const list = async (context: CommandContext, options: ListOptions): Promise<void> => {
  const { output } = context
  const { matching: suppressions } = await readAll(context, options)
  if (suppressions.length === 0) output.note(options.target === undefined ? 'No recipients are suppressed.' : 'No suppressions match.')
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
    .argument('<recipient>', 'an address, or <provider>:<address> such as smtp:ops@example.com')
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
 * Returns the only suppression that matches `given`.
 *
 * @throws {CliError} When no suppression matches, or more than one.
 */
const findOne = ({ matching, others }: FoundSuppressions, given: string): Suppression => {
  const [found, second] = matching
  if (found === undefined)
    throw new CliError(
      `The project does not suppress ${given}.`,
      others.length > 0 ? `Suppressions of the same address in this project:\n${listLines(others)}` : undefined,
    )
  if (second === undefined) return found
  throw new CliError(`Several suppressions match ${given}. Use an id.`, listLines(matching))
}

const defineRemove: DefineCommand = (command, context) => {
  const { io, output, connect } = context
  addExamples(command, 'flowpost suppressions remove ops@example.com --project billing')
  command.addHelpText('after', '\nDeliveries that failed because of the suppression can be retried.')
  command
    .argument('<recipient>', 'an address, <provider>:<address> (such as smtp:ops@example.com), or a suppression id')
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only project)')
    .action(async (given, { project }) => {
      const { flowpost } = await connect()
      const { projectId, id, others } = idPattern.test(given)
        ? { projectId: await findProjectId(flowpost, project), id: given, others: [] }
        : await readAll(context, { project, target: given }).then((all) => ({ ...all, id: findOne(all, given).id }))
      await output.withProgress('Removing', () => flowpost.suppressions.delete(projectId, id, { signal: io.signal }))
      output.print(`Removed the suppression: ${toSafeLine(given)}`)
      for (const other of others.filter(({ source_type }) => source_type === null))
        output.warn(`${describeTarget(other)} is still suppressed for every provider (${toSafeLine(other.id)}).`)
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
    .option('-t, --target <recipient>', 'only this recipient: an address, or <provider>:<address> such as smtp:ops@example.com')
    .action((options) => list(context, options))
  defineAdd(command.command('add').description('suppress a recipient'), context)
  defineRemove(command.command('remove').description('stop suppressing a recipient'), context)
}
