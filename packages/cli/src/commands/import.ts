import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readAppriseConfig } from '../import/apprise-config.ts'
import { buildConfig, type ImportedConfig } from '../import/build-config.ts'
import { buildNotifyConfig, projectKeyOf } from '../import/build-notify-config.ts'
import type { ImportedPart } from '../import/imported-service.ts'
import { uniqueKey } from '../import/keys.ts'
import { mapAppriseUrl } from '../import/map-apprise.ts'
import { parseNotifyExport } from '../import/notify-export.ts'
import { requireWritable, writeConfig, writeVariables } from '../import/write-config.ts'
import { readStdin } from '../input/read-stdin.ts'
import { readTextFile } from '../input/read-text-file.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { configPathToWrite } from '../settings/load-config.ts'

interface WriteOptions {
  readonly output?: string | undefined
  readonly secretsFile?: string | undefined
  readonly force?: boolean | undefined
}

/** Reads a file, or standard input for `-`. */
const readSource = async (name: string, { io }: CommandContext): Promise<string> => {
  if (name === '-') return readStdin(io.stdin)
  if (!existsSync(resolve(io.workingFolder, name))) throw new CliError(`There is no file ${name}.`)
  return readTextFile(name, io.workingFolder)
}

/** Writes the secrets, then the configs, and reports what could not be imported and which variables to set. */
const writeImport = async (
  configs: readonly { readonly file: string; readonly imported: ImportedConfig }[],
  { io, output }: CommandContext,
  { secretsFile, force = false }: WriteOptions,
): Promise<void> => {
  requireWritable([...configs.map(({ file }) => file), ...(secretsFile === undefined ? [] : [secretsFile])], io.workingFolder, force)
  const variables = configs.flatMap(({ imported }) => imported.variables)
  const issues = configs.flatMap(({ imported }) => imported.issues)
  const written = []
  for (const { origin, reason } of issues) output.print(`${output.paint('yellow', toSafeLine(origin))}  ${toSafeLine(reason)}`)
  const missing =
    secretsFile === undefined ? variables.map(({ name }) => name) : await writeVariables(secretsFile, variables, io.workingFolder)
  if (secretsFile !== undefined) output.print(`Wrote the secrets to ${toSafeLine(secretsFile)}. Do not commit this file.`)
  for (const { file, imported } of configs) {
    const path = await writeConfig(file, imported.config, io.workingFolder, force)
    const count = Object.keys(imported.config.flows).length
    written.push({ path, project_key: imported.config.project.key, flows: count })
    output.print(`Wrote ${toSafeLine(path)} with ${count} ${count === 1 ? 'flow' : 'flows'}.`)
  }
  if (missing.length > 0) output.print('Set these environment variables before `flowpost apply`:')
  for (const name of missing) output.print(`  ${name}`)
  output.printJson({
    files: written,
    variables: variables.map(({ name }) => name),
    missing_variables: missing,
    not_mapped: issues,
  })
}

const addWriteOptions = <Target extends Parameters<DefineCommand>[0]>(command: Target) =>
  command
    .option('-o, --output <file>', "the config file to write (default: the folder's config file, or flowpost.config.ts)")
    .option('--secrets-file <file>', 'also write the secret values to this file, which only you can read')
    .option('--force', 'overwrite existing files')

const defineApprise: DefineCommand = (command, context) => {
  addExamples(
    command,
    'flowpost import apprise ~/.config/apprise.yaml --secrets-file .env',
    'flowpost import apprise "mailtos://user:password@example.com?to=ops@example.com" --project ops',
    'flowpost import apprise - --tag critical < apprise.conf',
  )
  command.addHelpText(
    'after',
    `
Each source is an Apprise URL, an Apprise configuration file (text or YAML), or - for standard input. Other users of this machine
can see URLs that you pass as arguments, including passwords. Tags become part of the flow names. With --tag, only services with
that tag are imported. To make each tag a project, run the command once per tag. Everything that cannot be imported is listed
with the reason, without secrets.`,
  )
  addWriteOptions(command)
    .argument('<sources...>', 'Apprise URLs and configuration files')
    .option('-p, --project <key>', 'the project key', 'apprise')
    .option('--tag <tag>', 'import only services with this tag')
    .action(async (sources: string[], options) => {
      const parts: ImportedPart[] = []
      for (const [index, source] of sources.entries()) {
        const origin = sources.length > 1 ? `source ${index + 1}` : ''
        if (source.includes('://')) {
          parts.push({ origin: `URL ${index + 1}`, labels: [], mapping: mapAppriseUrl(source) })
          continue
        }
        const read = await readAppriseConfig(await readSource(source, context))
        parts.push(...read.map((part) => ({ ...part, origin: `${origin} ${part.origin}`.trim() })))
      }
      const { tag, project: key } = options
      const selected = tag === undefined ? parts : parts.filter(({ labels }) => labels.includes(tag))
      const imported = buildConfig({ key, name: key }, selected)
      if (Object.keys(imported.config.flows).length === 0)
        throw new CliError('Nothing could be imported.', imported.issues.map(({ origin, reason }) => `${origin}  ${reason}`).join('\n'))
      const file = configPathToWrite(options.output, context.io.workingFolder)
      await writeImport([{ file, imported }], context, options)
    })
}

const addSourceType = (text: string, given: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> => {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be NAME=PROVIDER, such as mail=smtp.')
  return new Map([...given, [text.slice(0, at), text.slice(at + 1)]])
}

const defineNotify: DefineCommand = (command, context) => {
  addExamples(
    command,
    'flowpost import notify export.json',
    'flowpost import notify export.json --source-type mail=smtp --source-type chat=slack --project Billing',
  )
  command.addHelpText(
    'after',
    `
The export is JSON: { "projects": [{ "name", "flows": [...] }], "hosts": [...] }. Flows and hosts have the same fields as
in the API of the exporting service. With several projects, each gets its own file, named after the project's key.
Everything that cannot be imported is listed with the reason, without secrets.`,
  )
  addWriteOptions(command)
    .argument('<file>', 'the export, or - for standard input')
    .option('-p, --project <name>', 'import only this project')
    .option('--source-type <name=provider>', 'the provider for a source type in the export; can be repeated', addSourceType)
    .action(async (file: string, options) => {
      const { projects, hosts } = parseNotifyExport(await readSource(file, context))
      const selected = options.project === undefined ? projects : projects.filter(({ name }) => name === options.project)
      if (selected.length === 0)
        throw new CliError(
          'The export has no project with this name.',
          `Projects: ${projects.map(({ name }) => name).join(', ') || 'none'}.`,
        )
      if (selected.length > 1 && options.output !== undefined)
        throw new CliError(
          'The export has several projects, each with its own file, but --output names a single file.',
          'Omit --output, or select a project with --project.',
        )
      const keys = new Set<string>()
      const configs = selected.map((project) => {
        const key = uniqueKey(projectKeyOf(project.name), keys)
        keys.add(key)
        const imported = buildNotifyConfig(project, hosts, options.sourceType ?? new Map(), key)
        return { file: selected.length === 1 ? configPathToWrite(options.output, context.io.workingFolder) : `${key}.config.ts`, imported }
      })
      await writeImport(configs, context, options)
    })
}

/** `flowpost import`: converts the settings of other services to config files. */
export const defineImport: DefineCommand = (command, context) => {
  addExamples(command, 'flowpost import apprise ~/.config/apprise.yaml', 'flowpost import notify export.json')
  defineApprise(command.command('apprise').description('write a config file from Apprise URLs and configuration files'), context)
  defineNotify(command.command('notify').description('write config files from an export of projects, flows and hosts'), context)
}
