import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import type { Config } from '../settings/config-types.ts'
import { loadConfig } from '../settings/load-config.ts'
import { findConfigIssues, findConfigWarnings } from '../settings/validate-config.ts'

/** `flowpost validate`: checks a config file without a server. */
export const defineValidate: DefineCommand = (command, { io, output, setExitCode }) => {
  addExamples(command, 'flowpost validate', 'flowpost validate settings/billing.config.ts --json')
  command.addHelpText(
    'after',
    "\nThis command executes the file. Some rules, such as each provider's rules for targets, are checked only by the server.",
  )
  command.argument('[file]', 'the config file (default: flowpost.config.ts)').action(async (file) => {
    const { path, value } = await loadConfig(file, io.workingFolder)
    const issues = findConfigIssues(value)
    const warnings = issues.length === 0 ? findConfigWarnings(value as Config) : []
    for (const { pointer, message } of issues) output.print(`${output.paint('red', toSafeLine(pointer || '/'))}  ${toSafeLine(message)}`)
    for (const { pointer, message } of warnings) output.warn(`${toSafeLine(pointer)}  ${toSafeLine(message)}`)
    if (issues.length === 0) output.print(`${toSafeLine(path)} is valid.`)
    else output.print(`${issues.length} ${issues.length === 1 ? 'issue' : 'issues'} in ${toSafeLine(path)}`)
    output.printJson({ path, valid: issues.length === 0, issues, warnings })
    if (issues.length > 0) setExitCode(1)
  })
}
