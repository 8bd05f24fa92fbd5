import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { SettingsExport } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { compareLocks, describeDifference, type LockDifference } from '../lock/compare-locks.ts'
import { declarationsFileName, differInContent, toDeclarations } from '../lock/declarations.ts'
import { exportProjects } from '../lock/export-projects.ts'
import { formatLock, hasTargets, lockFileName, readLock, readText, toLock } from '../lock/lock-file.ts'
import { toSafeLine } from '../output/terminal-text.ts'

const write = (path: string, text: string): Promise<void> =>
  writeFile(path, text).catch((error: Error) => Promise.reject(new CliError(`${path} cannot be written: ${error.message}`)))

/** Warns about flows without a key. A notification to the project can trigger these flows, but the written files omit them. */
const warnOfFlowsWithoutKey = ({ output }: CommandContext, exported: readonly SettingsExport[]): void => {
  for (const { document, warnings } of exported)
    for (const { code, message } of warnings)
      if (code === 'flows_without_key') output.warn(`${toSafeLine(document.project.key ?? '')}  ${toSafeLine(message)}`)
}

/** Prints whether the files are up to date. If not, sets the exit code to 2. */
const report = (
  { output, setExitCode }: CommandContext,
  { differences, staleDeclarations }: { readonly differences: readonly LockDifference[]; readonly staleDeclarations: boolean },
): void => {
  for (const difference of differences) output.print(toSafeLine(describeDifference(difference)))
  if (staleDeclarations) output.print(`${declarationsFileName} is out of date.`)
  if (differences.length === 0 && !staleDeclarations) {
    output.print('The files are up to date.')
    return
  }
  output.note('Run `flowpost types` and review the changes.')
  setExitCode(2)
}

/** `flowpost types`: writes the lock file, and the TypeScript declarations of the projects and flows. */
export const defineTypes: DefineCommand = (command, context) => {
  const { io, output, connect } = context
  addExamples(command, 'flowpost types', 'flowpost types --project billing shop --out src', 'flowpost types --check')
  command.addHelpText(
    'after',
    `
Writes two files. Commit both. The API key needs the scope settings:read.

${lockFileName} contains the projects' settings, but no secrets. It contains targets only with --with-targets. The mock of
@flowpost/testing and the client's \`lock\` option read this file.

${declarationsFileName} declares the projects and flows. Include it in your TypeScript program: code that names any other
project or flow by its key then does not compile.

--check writes nothing, and exits with 2 if the files do not match the server. It also detects changed targets when the lock file
contains none, because the digest in the lock file covers them.`,
  )
  command
    .option('-p, --project <keys...>', 'the keys of the projects (default: those in the lock file, or all if there is no lock file)')
    .option('-o, --out <folder>', 'the folder for the files', '.')
    .option('--with-targets', 'include the flow targets, now and in later runs')
    .option('--without-targets', 'stop including the targets')
    .option('--check', 'only check whether the files are up to date')
    .action(async (options) => {
      if (options.withTargets && options.withoutTargets) throw new CliError('--with-targets and --without-targets cannot be combined.')
      const folder = resolve(io.workingFolder, options.out)
      const [lockPath, declarationsPath] = [join(folder, lockFileName), join(folder, declarationsFileName)]
      const before = await readLock(folder)
      const keys = options.project ?? (before && Object.keys(before.projects))
      const { flowpost } = await connect()
      const { exported, missing } = await output.withProgress('Reading', () => exportProjects(flowpost, keys, io.signal))
      const isGone = missing.length > 0 && !(options.check && options.project === undefined)
      if (isGone)
        throw new CliError(
          `No project has the key ${missing.join(', ')}.`,
          'Pass existing project keys with --project, or give a project the missing key with PUT /v1/settings/projects/ID.',
        )
      if (exported.length === 0 && missing.length === 0)
        throw new CliError(
          'No project has a key.',
          'Create a project with `flowpost apply`, or set the key of an existing project with PUT /v1/settings/projects/ID.',
        )
      const withTargets = options.withTargets ?? (!options.withoutTargets && before !== undefined && hasTargets(before))
      const lock = toLock(exported, { withTargets })
      const declarations = toDeclarations(lock)
      const differences = compareLocks(before ?? { ...lock, projects: {} }, lock)
      const written = await readText(declarationsPath)
      const staleDeclarations = written === undefined || differInContent(written, declarations)
      warnOfFlowsWithoutKey(context, exported)
      if (options.check) report(context, { differences, staleDeclarations })
      else {
        await mkdir(folder, { recursive: true })
        await write(lockPath, formatLock(lock))
        await write(declarationsPath, declarations)
        const names = Object.keys(lock.projects).join(', ')
        output.print(`Wrote ${toSafeLine(lockPath)} and ${declarationsFileName} for ${toSafeLine(names)}.`)
      }
      output.printJson({
        lock_path: lockPath,
        declarations_path: declarationsPath,
        projects: Object.keys(lock.projects),
        current: differences.length === 0 && !staleDeclarations,
        differences,
        declarations_current: !staleDeclarations,
      })
    })
}
