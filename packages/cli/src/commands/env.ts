import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import type { Environments } from '../environments/environments-file.ts'
import { devFolderName } from '../environments/folder-environment.ts'
import { describeKey, readKeyFacts } from '../environments/key-facts.ts'
import { formatOverride, readOverride } from '../environments/override.ts'
import { addExamples } from '../examples.ts'
import { toSafeLine } from '../output/terminal-text.ts'

const requireName = ({ named }: Environments, name: string): void => {
  if (!named.has(name))
    throw new CliError(
      `There is no environment ${name}. Environments: ${[...named.keys()].join(', ') || 'none'}.`,
      `Run: flowpost login ${name}`,
    )
}

const list = async ({ environmentsFile, io, output }: CommandContext): Promise<void> => {
  const { current, named } = await environmentsFile.read()
  const warning = await environmentsFile.permissionWarning()
  if (warning !== undefined) output.warn(warning)
  const override = await readOverride(io)
  const stored = override ? undefined : current
  const rows = [...named].map(([name, { baseUrl, apiKey }]) => [
    name === stored ? '*' : ' ',
    toSafeLine(name),
    toSafeLine(baseUrl),
    toSafeLine(describeKey(readKeyFacts(apiKey))),
  ])
  if (override?.source === 'variables')
    rows.unshift(['*', '(variables)', toSafeLine(override.environment.baseUrl), 'FLOWPOST_BASE_URL and FLOWPOST_API_KEY'])
  if (override?.source === 'folder')
    rows.unshift(['*', '(folder)', toSafeLine(override.environment.baseUrl), `${devFolderName} in this folder (flowpost dev)`])
  if (override?.source === 'incomplete')
    output.warn(`${override.present} is set, but ${override.missing} is not, so commands without --env fail.`)
  if (rows.length > 0) output.printTable(['', 'NAME', 'SERVER', 'KEY'], rows)
  else output.print('No servers are stored. Run `flowpost login`.')
  output.printJson({
    current: stored ?? null,
    from_variables: override?.source === 'variables',
    from_folder: override?.source === 'folder',
    environments: [...named].map(([name, { baseUrl, apiKey }]) => ({ name, base_url: baseUrl, key_id: readKeyFacts(apiKey).id })),
  })
}

/** `flowpost env`: lists, selects and removes stored servers. Never prints keys. */
export const defineEnv: DefineCommand = (command, context) => {
  const { output, environmentsFile } = context
  addExamples(command, 'flowpost env', 'flowpost env use production', 'flowpost env remove staging')
  command.action(() => list(context))
  const listCommand = command.command('list').description('list the stored servers (default command)')
  addExamples(listCommand, 'flowpost env list --json')
  listCommand.action(() => list(context))

  const use = command.command('use').description('select the server that commands use by default')
  addExamples(use, 'flowpost env use production')
  use.argument('<name>', 'the name of a stored server').action(async (name) => {
    const override = await readOverride(context.io)
    await environmentsFile.update((environments) => {
      requireName(environments, name)
      return { ...environments, current: name }
    })
    output.print(`${name} is now the current server.`)
    output.printJson({ current: name })
    if (override) output.warn(formatOverride(override, name))
  })

  const remove = command.command('remove').description('remove a stored server and its key from this machine')
  addExamples(remove, 'flowpost env remove staging')
  remove.addHelpText('after', '\nThe key remains valid. To revoke it, use `flowpost keys revoke`.')
  remove.argument('<name>', 'the name of a stored server').action(async (name) => {
    await environmentsFile.update((environments) => {
      requireName(environments, name)
      const named = new Map([...environments.named].filter(([other]) => other !== name))
      return { named, current: environments.current === name ? undefined : environments.current }
    })
    output.print(`Removed ${name}.`)
    output.printJson({ removed: name })
  })
}
